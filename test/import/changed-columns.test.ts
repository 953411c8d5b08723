// What an import changes, by column: it is counted and shown, and more than may change is refused.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { ImportRejected } from '../../server/import/faults.ts';
import { importFiles } from '../../server/import/import.ts';
import type { ImportJob } from '../../server/import/job.ts';
import { readRuns } from '../../server/store/imports/import-runs.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { readAudit } from '../kit/audit-log.ts';
import { queriesAtRandom } from '../kit/hard-queries.ts';
import { runProgram } from '../kit/program.ts';
import { csv, ndjson, numberRow } from '../kit/rows.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { everythingIn, selectIn } from '../kit/stored-items.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

type Row = Readonly<Record<string, unknown>>;

const RUNS = queriesAtRandom(6);
const ITEMS = 600;
const ALL = { percent: 100 };

const row = fc.record(
  {
    comment: fc.constantFrom('', 'x', 'X', 'a,"monthly":2'),
    provider: fc.constantFrom('north', 'North'),
    is_spammed: fc.boolean(),
    next_payment_at: fc.constantFrom(null, '2026-12-01T00:00:00.000001Z'),
    monthly: fc.constantFrom(0, 2.25, -1.5),
  },
  { requiredKeys: [] },
);
const rows = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom('C1', 'C2'), row), {
  minLength: 1,
  selector: ([id]) => id,
});

for (const kind of stores) {
  describe(`what an import changes, on ${kind.name}`, () => {
    async function withStore(work: (store: Store, url: string) => Promise<void>): Promise<void> {
      const database = await databaseOf(kind);
      const store = await openStore(database.url, 'write');
      try {
        await work(store, database.url);
      } finally {
        await store.close();
        await database.remove();
      }
    }

    async function load(store: Store, given: readonly Row[], job: Partial<ImportJob> = {}) {
      const stdin = Readable.from([Buffer.from(ndjson(given))]);
      const { virtual_numbers: table } = tables;
      return importFiles({ store, table, files: ['-'], format: 'ndjson', stdin, max_moved: ALL, ...job });
    }

    const many = (more: (id: number) => Row) =>
      Array.from({ length: ITEMS }, (_, i) => ({ ...numberRow('C1', i + 1), ...more(i + 1) }));

    async function itemsOf(store: Store): Promise<Map<number, Row>> {
      await setImmediate();
      const stored = await selectIn(store, 'select id, item from virtual_numbers');
      return new Map(stored.map(([id, item]) => [Number(id), JSON.parse(String(item))]));
    }

    test('is counted by column as a comparison of all items before and after has it', async () => {
      await withStore(async (store) => {
        const seed = Math.floor(Math.random() * 2 ** 31);
        for (const sample of fc.sample(rows, { seed, numRuns: Math.ceil(RUNS * kind.share) })) {
          const before = await itemsOf(store);
          const given = sample.map(([id, account_id, more]) => ({ ...numberRow(account_id, id), ...more }));
          const tried = await load(store, given, { dry_run: true });
          const { changed } = await load(store, given);
          const after = await itemsOf(store);
          const counts: Record<string, number> = {};
          for (const [id, item] of before)
            for (const [name, value] of Object.entries(after.get(id) ?? {}))
              if (JSON.stringify(value) !== JSON.stringify(item[name]))
                counts[name] = (counts[name] ?? 0) + 1;
          const said = `seed ${seed}: ${JSON.stringify(given)}`;
          assert.deepEqual({ ...changed }, counts, said);
          assert.deepEqual({ ...tried.changed }, counts, said);
          for (const { column, id, from, to } of tried.examples)
            assert.deepEqual([before.get(id)?.[column], after.get(id)?.[column]], [from, to], said);
          const shown = Object.keys(counts).map((name) => Math.min(3, Number(counts[name])));
          assert.equal(
            tried.examples.length,
            shown.reduce((sum, n) => sum + n, 0),
            said,
          );
        }
      });
    });

    test('is refused where a charge changes of more than a fifth, and all is as it was', async () => {
      await withStore(async (store) => {
        await load(
          store,
          many(() => ({ monthly: 2.25 })),
        );
        const before = await everythingIn(store);
        const cents = many(() => ({ monthly: 225 }));
        await assert.rejects(load(store, cents), {
          name: ImportRejected.name,
          message:
            'This would change monthly of 600 of 600 items (1 from 2.25 to 225, 2 from 2.25 to 225, 3 from 2.25 to 225), and at most 120 may be changed. If it is right, add --max-changed monthly=600; --dry-run shows examples of each column. Nothing was imported: the lists are as they were.',
        });
        assert.deepEqual(await everythingIn(store), before);
        const few = many((id) => ({ monthly: id <= 121 ? 3 : 2.25 }));
        await assert.rejects(load(store, few), /change monthly of 121 of 600 items/);
        assert.equal(
          (
            await load(
              store,
              few.map((one, i) => ({ ...one, ...(i === 0 && { monthly: 2.25 }) })),
            )
          ).updated,
          120,
        );
        const meant = [{ column: 'monthly', limit: ALL }];
        assert.equal((await load(store, cents, { max_changed: meant })).changed['monthly'], 600);
      });
    });

    test('may be limited of any column, in every mode; a column that is none is refused', async () => {
      await withStore(async (store) => {
        await load(
          store,
          many(() => ({ comment: 'old' })),
        );
        const changes = [1, 2, 3].map((id) => ({ account_id: 'C1', id, comment: 'new' }));
        const two = { max_changed: [{ column: 'comment', limit: { items: 2 } }], update: true };
        await assert.rejects(load(store, changes, two), /1 from "old" to "new"/);
        assert.equal((await load(store, changes.slice(1), two)).updated, 2);
        const unknown = { max_changed: [{ column: 'commment', limit: ALL }] };
        await assert.rejects(
          load(store, changes, unknown),
          /not a column of virtual numbers\. Did you mean comment\?/,
        );
      });
    });

    test('is in the summary, in the run and in the audit log', async () => {
      await withStore(async (store, url) => {
        await load(store, [numberRow('C1', 1), numberRow('C1', 2)]);
        const path = join(temporaryFolder(), 'numbers.csv');
        writeFileSync(
          path,
          csv([1, 2].map((id) => numberRow('C1', id, { monthly: -2, comment: id === 1 ? 'x' : '' }))),
        );
        const words = ['import', 'virtual-numbers', path, '--feed', 'nightly', '--database-url', url];
        const tried = await runProgram([...words, '--dry-run']);
        assert.match(tried.err, /^monthly: 1 from 0 to -2, 2 from 0 to -2$/m);
        const done = await runProgram(words);
        assert.match(done.err, /2 updated \(changed: comment 1, monthly 2\)/);
        assert.match(done.err, /^Note: 2 rows with a charge below zero\.$/m);
        const [run] = await readRuns(store, { feed: 'nightly', limit: 1 });
        assert.deepEqual(run?.changed, { comment: 1, monthly: 2 });
        const entries = await readAudit(store, {});
        assert.deepEqual(entries.at(-1)?.details.changed, { comment: 1, monthly: 2 });
      });
    });
  });
}
