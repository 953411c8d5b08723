// `import --dry-run`: says what would be, and changes nothing, not even a database that is not there.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { importFiles } from '../../server/import/import.ts';
import type { ImportJob } from '../../server/import/job.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { NDJSON, openIntake } from '../kit/intake-server.ts';
import { BELOW, olderDatabase } from '../kit/older-databases.ts';
import { mustRun, runProgram } from '../kit/program.ts';
import { numberRow } from '../kit/rows.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { selectIn } from '../kit/stored-items.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const ITEMS = 500;
const HALF = ITEMS / 2;

describe('a dry run', () => {
  const folder = temporaryFolder();

  /** A file of the first items of an account. */
  function numbersFile(name: string, count: number): string {
    const rows = Array.from({ length: count }, (_, i) => JSON.stringify(numberRow('acme', i + 1)));
    writeFileSync(join(folder, name), `${rows.join('\n')}\n`);
    return name;
  }

  const half = numbersFile('half.ndjson', HALF);
  const importOf = (url: string, ...words: string[]) =>
    runProgram(['import', 'virtual-numbers', '--database-url', url, ...words], { cwd: folder });

  for (const kind of stores) {
    test(`leaves a database of an older version as it is on ${kind.name}`, async () => {
      const database = await olderDatabase(kind, new Map());
      const { status, err } = await importOf(database.url, half, '--dry-run');
      assert.equal(status, 1);
      assert.match(err, /is not up to date: run linecard-server migrate/);
      // What a later step adds is not there.
      const added = BELOW[kind.name]?.run(database.url, 'select created_at from virtual_numbers');
      await assert.rejects(async () => added, /created_at/);
      await database.remove();
    });

    test(`makes no tables where there are none on ${kind.name}`, async () => {
      const database = await kind.make();
      const { status, out, err } = await importOf(database.url, half, '--dry-run', '--json');
      assert.equal(status, 0, err);
      assert.partialDeepStrictEqual(JSON.parse(out), { dry_run: true, inserted: HALF, accounts_created: 1 });
      assert.match(
        err,
        /^(?:There is no database at|The database has no tables) .* with an empty database\.$/m,
      );
      const other = await runProgram(['account', 'list', '--database-url', database.url]);
      assert.equal(other.status, 1);
      assert.match(other.err, /no database|no tables/);
      await database.remove();
    });

    test(`shows what would be removed where that is too much, and fails on ${kind.name}`, async () => {
      const database = await databaseOf(kind);
      const { url } = database;
      await mustRun(['import', 'virtual-numbers', '--database-url', url, numbersFile('all.ndjson', ITEMS)], {
        cwd: folder,
      });
      const refused = await importOf(url, half, '--replace');
      assert.match(refused.err, /would remove 250 of 500 items.*--max-removed 250; --dry-run shows whose/);
      const tried = await importOf(url, half, '--replace', '--dry-run');
      assert.equal(tried.status, 1);
      assert.match(
        tried.out,
        /^account_id +inserted +updated +removed +moved_in +moved_out\nacme +0 +0 +250 +0 +0\n$/i,
      );
      assert.match(
        tried.err,
        /Nothing was changed: this is what would be\.\nlinecard-server: Without --dry-run it would be refused\. This would remove 250 .* add --max-removed 250\.\n$/,
      );
      const json = await importOf(url, half, '--replace', '--dry-run', '--json', '--expect-rows', '7');
      assert.equal(json.status, 1);
      const { withheld, accounts } = JSON.parse(json.out) as { withheld: string; accounts: unknown };
      assert.equal(withheld, 'There are 250 rows, but --expect-rows says 7.');
      assert.deepEqual(accounts, [
        { account_id: 'acme', inserted: 0, updated: 0, removed: 250, moved_in: 0, moved_out: 0 },
      ]);
      const single = await importOf(url, numbersFile('one.ndjson', 1), '--dry-run', '--expect-rows', '7');
      assert.match(single.err, /There is 1 row, but --expect-rows says 7\./);
      const allowed = await importOf(url, half, '--replace', '--dry-run', '--max-removed', '250');
      assert.equal(allowed.status, 0, allowed.err);
      await database.remove();
    });
  }

  test('makes no file and no folder', async () => {
    const { status } = await importOf('sqlite:fresh/linecard.db', half, '--dry-run');
    assert.equal(status, 0);
    assert.equal(existsSync(join(folder, 'fresh')), false);
    writeFileSync(join(folder, 'empty.db'), '');
    assert.equal((await importOf('sqlite:empty.db', half, '--dry-run')).status, 0);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('empty')),
      ['empty.db'],
    );
  });
});

for (const kind of stores) {
  describe(`a dry run during imports on ${kind.name}`, () => {
    const rowsOf = (...ids: number[]) =>
      ids.map((id) => `${JSON.stringify(numberRow('acme', id, { comment: 'new' }))}\n`).join('');
    const table = tables.virtual_numbers;

    test('waits for no import, and no import waits for it', async () => {
      const database = await databaseOf(kind);
      const [store, other] = [
        await openStore(database.url, 'write'),
        await openStore(database.url, 'change'),
      ];
      const run = (own: Store, text: string, job: Partial<ImportJob> = {}) =>
        importFiles({
          store: own,
          table,
          files: ['-'],
          format: 'ndjson',
          stdin: Readable.from([Buffer.from(text)]),
          lockTimeoutMs: 0,
          ...job,
        });
      await run(store, rowsOf(1, 2, 3));
      const held = await store.load(table);
      await held.add([[1, 'acme']], [1]);
      await held.prepare();
      const tried = await run(other, rowsOf(2, 4), { dry_run: true, replace: true });
      const { inserted, updated, unchanged, removed } = tried;
      assert.deepEqual([inserted, updated, unchanged, removed], [1, 0, 1, 2]);
      await held.rollback();
      const trial = await other.load(table, { isTrial: true });
      await trial.add([[3, 'acme']], [1]);
      assert.equal((await run(store, rowsOf(5))).inserted, 1);
      await trial.prepare({ removeOthers: 'all' });
      // It sees the list as it was when it began.
      assert.deepEqual({ ...(await trial.before('all')) }, { items: 3, movedOut: 0 });
      await assert.rejects(trial.write({ text: 'delete from deliveries', values: [] }), /writes nothing/);
      await trial.rollback();
      assert.equal((await selectIn(store, 'select id from virtual_numbers')).length, 4);
      for (const one of [store, other]) await one.close();
      await database.remove();
    });

    test('over HTTP neither', async () => {
      const intake = await openIntake(kind, { importTimeoutMs: 0 });
      const held = await intake.operator.load(table);
      await held.add([], []);
      const headers = { ...NDJSON, 'linecard-feed': 'tried', 'linecard-sequence': '7' };
      const tried = await intake.send('POST', 'virtual-numbers?dry_run=true', rowsOf(1), headers);
      assert.deepEqual([tried.status, tried.json.inserted], [200, 1]);
      assert.equal((await intake.send('POST', 'virtual-numbers', rowsOf(1), NDJSON)).status, 503);
      await held.rollback();
      // PostgreSQL releases the lock when it has seen that the connection is closed.
      await until('it is imported', async () => {
        const { status } = await intake.send('POST', 'virtual-numbers', rowsOf(1), headers);
        assert.ok([200, 503].includes(status), String(status));
        return status === 200;
      });
      await intake.close();
    });
  });
}
