// Items that change hands: an import may move some from one account to another, says so, and is refused where
// they are many, because a file whose accounts are shifted by one shows every customer another's list.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ImportRejected } from '../../server/import/faults.ts';
import { importFiles } from '../../server/import/import.ts';
import type { ImportJob } from '../../server/import/job.ts';
import { openStore } from '../../server/store/open.ts';
import { tables } from '../../server/store/tables.ts';
import { readAudit } from '../kit/audit-log.ts';
import { NDJSON, openIntake } from '../kit/intake-server.ts';
import { runProgram } from '../kit/program.ts';
import { ndjson, numberRow } from '../kit/rows.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { everythingIn } from '../kit/stored-items.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const ACCOUNTS = 10;
const ITEMS = 300;

const folder = temporaryFolder();
let files = 0;

/** A file of numbers, each of the account that `of` says. */
function file(of: (id: number) => string, count = ITEMS): string {
  files += 1;
  const path = join(folder, `${files}.ndjson`);
  writeFileSync(path, ndjson(Array.from({ length: count }, (_, i) => numberRow(of(i + 1), i + 1))));
  return path;
}

const owner = (id: number, shift = 0) => `C${(id + shift) % ACCOUNTS}`;
const right = file((id) => owner(id));
const shifted = file((id) => owner(id, 1));
const movingTwo = file((id) => (id <= 2 ? 'C9' : owner(id)));

for (const kind of stores) {
  describe(`items that move between accounts, on ${kind.name}`, () => {
    async function withList(work: (run: Run, url: string) => Promise<void>): Promise<void> {
      const database = await databaseOf(kind);
      const store = await openStore(database.url, 'write');
      const run = (path: string, job: Partial<ImportJob> = {}) =>
        importFiles({ store, table: tables.virtual_numbers, files: [path], ...job });
      try {
        assert.equal((await run(right)).moved, 0);
        await work({ of: run, everything: () => everythingIn(store), store }, database.url);
      } finally {
        await store.close();
        await database.remove();
      }
    }

    interface Run {
      readonly store: Awaited<ReturnType<typeof openStore>>;
      readonly of: (path: string, job?: Partial<ImportJob>) => ReturnType<typeof importFiles>;
      readonly everything: () => ReturnType<typeof everythingIn>;
    }

    test('a file whose accounts are all shifted is refused in every mode, and changes nothing', async () => {
      await withList(async ({ of, everything }) => {
        const before = await everything();
        for (const mode of [{}, { replace: true }, { replace_all: true }]) {
          await assert.rejects(of(shifted, mode), (error: unknown) => {
            assert.ok(error instanceof ImportRejected);
            assert.match(
              error.message,
              /^This would move 300 items from one account to another, and at most 100 may be moved\. If it is right, add --max-moved 300; --dry-run shows whose they are\. Nothing was imported/,
            );
            return true;
          });
        }
        await assert.rejects(of(movingTwo, { max_moved: { items: 1 } }), ImportRejected);
        await assert.rejects(of(movingTwo, { max_moved: { items: 0 } }), ImportRejected);
        assert.deepEqual(await everything(), before);
      });
    });

    test('by itself a hundred may move, or one in a hundred rows', async () => {
      await withList(async ({ of }) => {
        const moving = (count: number) => file((id) => owner(id, id <= count ? 1 : 0));
        await assert.rejects(of(moving(101)), ImportRejected);
        const { moved, updated, unchanged } = await of(moving(100));
        assert.deepEqual([moved, updated, unchanged], [100, 100, 200]);
        assert.equal((await of(right, { max_moved: { percent: 34 } })).moved, 100);
        await assert.rejects(of(shifted, { max_moved: { percent: 99 } }), ImportRejected);
        assert.equal((await of(shifted, { max_moved: { percent: 100 } })).moved, ITEMS);
      });
    });

    test('what leaves an account that the file names counts as removed from it', async () => {
      await withList(async ({ of }) => {
        const all = { max_moved: { percent: 100 } };
        await assert.rejects(of(shifted, { ...all, replace_all: true }), (error: unknown) => {
          assert.match(
            String(error),
            /This would remove 300 of 300 items, 300 of them to other accounts, and at most 100 may be removed/,
          );
          return true;
        });
        assert.equal(
          (await of(shifted, { ...all, replace: true, max_removed: { percent: 100 } })).removed,
          0,
        );
        const two = file(() => 'new', 2);
        // No row is of the accounts that lose these.
        assert.equal((await of(two, { replace: true, max_removed: { items: 0 } })).moved, 2);
      });
    });

    test('a dry run lists who would lose how many, and the audit log who has', async () => {
      await withList(async ({ of, store }, url) => {
        const tried = await of(movingTwo, { dry_run: true });
        const zero = { inserted: 0, removed: 0 };
        const changes = [
          { account_id: 'C1', ...zero, updated: 0, moved_in: 0, moved_out: 1 },
          { account_id: 'C2', ...zero, updated: 0, moved_in: 0, moved_out: 1 },
          { account_id: 'C9', ...zero, updated: 2, moved_in: 2, moved_out: 0 },
        ];
        assert.deepEqual([tried.moved, tried.accounts?.map((one) => ({ ...one }))], [2, changes]);
        const shown = await runProgram(
          ['import', 'virtual-numbers', '--database-url', url, '--dry-run', shifted],
          { cwd: folder },
        );
        assert.equal(shown.status, 1);
        assert.match(shown.out, /\nC0 +0 +30 +0 +30 +30\n/);
        assert.match(shown.err, /300 updated \(300 of them moved between accounts\), 0 unchanged/);
        assert.match(shown.err, /Without --dry-run it would be refused\. .* add --max-moved 300\.\n$/);
        const words = ['import', 'virtual-numbers', '--database-url', url, '--json', '--max-moved', '1%'];
        assert.equal((await runProgram([...words, movingTwo], { cwd: folder })).status, 0);
        const moves = (await readAudit(store, {})).filter(({ event }) => event === 'import moved');
        assert.deepEqual(
          moves.map(({ account_id, details }) => [account_id, details]),
          ['C1', 'C2'].map((from) => [from, { list: 'virtual_numbers', items: 1, to_account_id: 'C9' }]),
        );
        assert.equal((await readAudit(store, { account_id: 'C9' })).length, 2);
        const printed = await runProgram(['audit', '--database-url', url, '--account', 'C1']);
        assert.match(printed.out, /import moved +C1 .* virtual_numbers: 1 moved to C9\n/);
        const one = file(() => 'C8', 1);
        assert.equal((await runProgram([...words.slice(0, -1), '1', one], { cwd: folder })).status, 0);
        const all = await runProgram(['audit', '--database-url', url]);
        assert.match(
          all.out,
          / \(insert\): 1 row, 0 inserted, 1 updated, 1 of them moved between accounts, 0 /,
        );
      });
    });

    test('the intake has the same limit, parameter and number', async () => {
      const intake = await openIntake(kind);
      try {
        const rows = (shift: number) =>
          ndjson(Array.from({ length: ITEMS }, (_, i) => numberRow(owner(i, shift), i + 1)));
        const send = (query: string) => intake.send('POST', `virtual-numbers${query}`, rows(1), NDJSON);
        await intake.send('POST', 'virtual-numbers', rows(0), NDJSON);
        const refused = await send('');
        assert.equal(refused.status, 422);
        assert.match(refused.json.detail, /^This would move 300 items .* add --max-moved 300/);
        assert.equal((await send('?max_moved=299')).status, 422);
        const done = await send('?max_moved=100%25');
        assert.deepEqual([done.status, done.json.moved, done.json.updated], [200, 300, 300]);
        // A sender that may write only some accounts does not learn how many items others would lose.
        const authorization = `Bearer ${await intake.tokenFor('mine')}`;
        const mine = ndjson(Array.from({ length: ITEMS }, (_, i) => numberRow('mine', i + 1)));
        const stolen = await intake.send('POST', 'virtual-numbers', mine, { ...NDJSON, authorization });
        assert.equal(stolen.status, 403);
        assert.doesNotMatch(stolen.json.detail, /300/);
      } finally {
        await intake.close();
      }
    });
  });
}
