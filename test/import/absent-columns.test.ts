// What a file does not have of an item stays as it is: two feeds may own different columns of one list.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { importFiles } from '../../server/import/import.ts';
import type { ImportJob } from '../../server/import/job.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { queriesAtRandom } from '../kit/hard-queries.ts';
import { runProgram } from '../kit/program.ts';
import { csv, ndjson, numberRow, REQUIRED_VALUES } from '../kit/rows.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { selectIn } from '../kit/stored-items.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

type Row = Readonly<Record<string, unknown>>;

const RUNS = queriesAtRandom(8);
const ALL = { percent: 100 };
/** What a row may lack, with values that a file writes as the item has them. */
const OPTIONAL = {
  comment: fc.constantFrom('', 'x', 'a, "b"', ',"monthly":7', 'İstanbul ς'),
  provider: fc.constantFrom('', 'north', '{"id":1}'),
  is_spammed: fc.boolean(),
  spam_checked_at: fc.constantFrom(null, '2026-11-20T03:00:00.000000Z'),
  next_payment_at: fc.constantFrom(null, '2026-12-01T00:00:00.000001Z'),
  activation: fc.constantFrom(0, 5),
  monthly: fc.constantFrom(0, 2.25, -1.5, 0.000001),
  incoming: fc.constantFrom(0, 999_999.999_999),
} as const;
const DEFAULTS: Row = {
  comment: '',
  provider: '',
  is_spammed: false,
  spam_checked_at: null,
  next_payment_at: null,
  activation: 0,
  monthly: 0,
  incoming: 0,
};

const someOf = fc.record(OPTIONAL, { requiredKeys: [] });
const file = fc.record({
  rows: fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 8 }), fc.constantFrom('C1', 'C2'), someOf), {
    minLength: 1,
    maxLength: 6,
    selector: ([id]) => id,
  }),
  /** CSV has one header: of each row the columns of the first. */
  isCsv: fc.boolean(),
  isReplacing: fc.boolean(),
  defaults: fc.boolean(),
});

for (const kind of stores) {
  describe(`a file that lacks columns, on ${kind.name}`, () => {
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

    async function load(store: Store, text: string, job: Partial<ImportJob> = {}) {
      const format = text.startsWith('{') ? 'ndjson' : 'csv';
      const stdin = Readable.from([Buffer.from(text)]);
      const limits = { max_moved: ALL, max_removed: ALL };
      const given = { store, table: tables.virtual_numbers, files: ['-'], format, stdin, ...limits } as const;
      return importFiles({ ...given, ...job });
    }

    async function itemsOf(store: Store): Promise<Row[]> {
      await setImmediate();
      const rows = await selectIn(store, 'select item, account_id from virtual_numbers order by id');
      return rows.map(([item, account_id]) => ({ ...JSON.parse(String(item)), account_id }));
    }

    test('clears no flag and no price of items that are there, and gives new ones the defaults', async () => {
      await withStore(async (store) => {
        const flagged = { is_spammed: true, spam_checked_at: '2026-11-20T03:00:00.000000Z', monthly: 2.25 };
        await load(store, csv([numberRow('C1', 1, { ...flagged, comment: 'old' })]));
        const summary = await load(store, csv([1, 2].map((id) => numberRow('C1', id, { comment: 'new' }))));
        assert.deepEqual([summary.updated, summary.inserted], [1, 1]);
        const [one, two] = await itemsOf(store);
        assert.deepEqual({ ...one, ...flagged, comment: 'new' }, one);
        assert.deepEqual({ ...two, is_spammed: false, spam_checked_at: null, monthly: 0 }, two);
        assert.equal((await load(store, csv([numberRow('C1', 1, { comment: 'new' })]))).unchanged, 1);
      });
    });

    test('empties what has an empty cell; a key that NDJSON lacks is a column that this row lacks', async () => {
      await withStore(async (store) => {
        const row = { ...REQUIRED_VALUES, account_id: 'C1', comment: 'old', provider: 'north' };
        await load(store, csv([1, 2, 3].map((id) => ({ ...row, id }))));
        const { comment: _, ...without } = row;
        await load(
          store,
          ndjson([
            { ...row, id: 1, comment: null },
            { ...without, id: 2 },
          ]),
        );
        await load(store, csv([{ ...row, id: 3, provider: '' }]));
        const items = await itemsOf(store);
        assert.deepEqual(
          items.map(({ comment, provider }) => [comment, provider]),
          [
            ['', 'north'],
            ['old', 'north'],
            ['old', ''],
          ],
        );
      });
    });

    test('leaves a country that was given, and finds the one of another number where it was found', async () => {
      await withStore(async (store) => {
        const row = { ...REQUIRED_VALUES, account_id: 'C1', did: '+442079460018' };
        await load(
          store,
          ndjson([
            { ...row, id: 1 },
            { ...row, id: 2, country_code: 'FR' },
          ]),
        );
        await load(store, ndjson([1, 2].map((id) => ({ ...row, id, did: '+4930901820' }))));
        const items = await itemsOf(store);
        assert.deepEqual(
          items.map(({ country_code, country }) => [country_code, country]),
          [
            ['DE', 'Germany'],
            ['FR', 'France'],
          ],
        );
      });
    });

    test('does to items what a naive model does, whatever its columns, rows, form and mode', async () => {
      await withStore(async (store) => {
        const seed = Math.floor(Math.random() * 2 ** 31);
        let items = new Map<number, Row>();
        for (const { rows, isCsv, isReplacing, defaults } of fc.sample(file, {
          seed,
          numRuns: Math.ceil(RUNS * kind.share),
        })) {
          const first = Object.keys(rows[0]?.[2] ?? {});
          const columns = (row: Row) =>
            isCsv ? Object.fromEntries(first.map((name) => [name, row[name] ?? ''])) : row;
          const given = rows.map(([id, account_id, row]) => ({
            ...numberRow(account_id, id),
            ...columns(row),
          }));
          const said = `seed ${seed}: ${JSON.stringify({ given, isCsv, isReplacing, defaults })}`;
          const accounts = new Set(given.map(({ account_id }) => account_id));
          const staying = [...items].filter(
            ([, item]) => !isReplacing || !accounts.has(String(item['account_id'])),
          );
          items = new Map([
            ...staying,
            ...given.map((row): [number, Row] => {
              const values = Object.entries(row as Row).map(([name, value]) => [
                name,
                value === '' ? DEFAULTS[name] : value,
              ]);
              const own = Object.fromEntries(values.filter(([, value]) => value !== undefined));
              const before = defaults ? undefined : items.get(row.id);
              return [row.id, { ...(before ?? DEFAULTS), ...own }];
            }),
          ]);
          await load(store, isCsv ? csv(given) : ndjson(given), { replace: isReplacing, defaults });
          const stored = new Map((await itemsOf(store)).map((item) => [Number(item['id']), item]));
          assert.deepEqual(
            [...stored.keys()],
            [...items.keys()].toSorted((a, b) => a - b),
            said,
          );
          for (const [id, item] of items) {
            const { created_at: _, ...expected } = item;
            const { created_at: _at, ...is } = stored.get(id) as Row;
            assert.deepEqual(is, { ...is, ...expected }, said);
          }
        }
      });
    });

    test('says which columns it has, and warns of those that the run before had', async () => {
      await withStore(async (store, url) => {
        const job = { feed: 'nightly' } as const;
        const first = await load(store, csv([numberRow('C1', 1, { is_spammed: true, comment: 'x' })]), job);
        assert.deepEqual(first.warnings, []);
        assert.ok(first.columns.includes('is_spammed') && !first.columns.includes('monthly'));
        const second = await load(store, csv([numberRow('C1', 1, { comment: 'x' })]), job);
        assert.deepEqual(second.warnings, [
          'The last run of this feed also had is_spammed. This one does not: existing items keep what they have.',
        ]);
        const path = join(temporaryFolder(), 'numbers.csv');
        writeFileSync(path, csv([numberRow('C1', 1)]));
        const run = await runProgram([
          'import',
          'virtual-numbers',
          path,
          '--feed',
          'nightly',
          '--defaults',
          '--database-url',
          url,
        ]);
        assert.match(run.err, /^7 of \d+ columns: account_id, id, did, /m);
        assert.match(
          run.err,
          /^Warning: The last run of this feed also had comment\. .* items get the defaults\.$/m,
        );
        assert.deepEqual(
          (await itemsOf(store)).map(({ is_spammed, comment }) => [is_spammed, comment]),
          [[false, '']],
        );
      });
    });
  });
}
