// Imports of every mode, one after the other and at random: the lists and the summaries are the naive
// model's, on every store, and a run that is refused or cut off changes nothing.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { importColumns } from '../../server/import/columns.ts';
import { ImportRefused, ImportRejected } from '../../server/import/faults.ts';
import { importFiles } from '../../server/import/import.ts';
import type { ImportSummary } from '../../server/import/job.ts';
import { readBatches } from '../../server/import/reading.ts';
import { readItemLimit } from '../../server/settings/item-limits.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { queriesAtRandom } from '../kit/hard-queries.ts';
import { imported, listedIn, type ModelItem, type ModelRow, type ModelRun } from '../kit/import-model.ts';
import { optionsOf } from '../kit/random-imports.ts';
import { csv, REQUIRED_VALUES } from '../kit/rows.ts';
import { databaseOf, load, stores } from '../kit/service.ts';
import { everythingIn, itemsIn, selectIn } from '../kit/stored-items.ts';

const RUNS = queriesAtRandom(8);
const CUTS = Number(process.env['TEST_CUTS'] ?? 3);
const CUTS_READ = 100;
/** What a service must have, in addition to its account and its id. */
const REQUIRED_OF_SERVICES = { title: 'VPN access', subscription_status: 'active', frequency: 'monthly' };

/** The summary of what was refused. */
const NOTHING: Partial<ImportSummary> = {};

const account = fc.constantFrom('C1', 'C2', 'C3');
const id = fc.integer({ min: 1, max: 12 });
const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 });

const row: fc.Arbitrary<ModelRow> = fc
  .record({
    account_id: account,
    id,
    comment: optional(fc.constantFrom('', 'x', 'y, "z"')),
    monthly: optional(fc.constantFrom(0, 2_250_000, 1)),
    category: optional(fc.constantFrom('additional', 'core')),
    removed: optional(fc.boolean()),
  })
  .map(
    (one) =>
      Object.fromEntries(
        Object.entries(one).filter(([, value]) => value !== undefined),
      ) as unknown as ModelRow,
  );

const run: fc.Arbitrary<ModelRun> = fc
  .record({
    rows: fc.uniqueArray(row, { maxLength: 10, selector: (one) => one.id }),
    twice: fc.integer({ min: 0, max: 9 }),
    mode: fc.constantFrom('insert', 'update', 'replace', 'replace-all' as const),
    account_id: optional(account),
    maxRemoved: optional(fc.constantFrom('0', '2', '0%', '50%', '100%')),
    maxMoved: optional(fc.constantFrom('0', '2', '0%', '50%')),
    expectRows: optional(fc.integer({ min: 0, max: 10 })),
    dryRun: optional(fc.boolean()),
    defaults: optional(fc.constant(true)),
  })
  .map(({ rows, twice, account_id, maxRemoved, maxMoved, expectRows, dryRun, mode, defaults }) => ({
    // Now and then an id comes twice.
    rows: (twice === 0 && rows[0] !== undefined ? [...rows, rows[0]] : rows).map((one) =>
      account_id === undefined ? one : { ...one, account_id },
    ),
    mode,
    ...(account_id === undefined ? {} : { account_id }),
    ...(maxRemoved === undefined ? {} : { maxRemoved }),
    ...(maxMoved === undefined ? {} : { maxMoved }),
    ...(expectRows === undefined ? {} : { expectRows: rows.length + (expectRows === 10 ? 1 : 0) }),
    ...(dryRun === undefined ? {} : { dryRun }),
    ...(defaults === undefined || mode === 'update' ? {} : { defaults }),
  }));

/** The run, of rows that the list has columns for; one that updates names items that there are, mostly. */
function aimed(one: ModelRun, items: readonly ModelItem[], isService: boolean): ModelRun {
  const named = new Set<number>();
  const rows = one.rows.flatMap(({ category, ...row }) => {
    const kind = isService && category !== undefined ? { category } : {};
    const item = items[row.id % Math.max(1, items.length)];
    if (one.mode !== 'update' || item === undefined || row.id === 1) return [{ ...row, ...kind }];
    if (named.has(item.id)) return [];
    named.add(item.id);
    return [{ ...row, ...kind, account_id: one.account_id ?? item.account_id, id: item.id }];
  });
  return { ...one, rows, isService };
}

/** The rows as NDJSON; those that change an item have only what changes. */
function textOf({ rows, mode, isService }: ModelRun): string {
  const required = isService === true ? REQUIRED_OF_SERVICES : REQUIRED_VALUES;
  const lines = rows.map(({ monthly, ...others }) => ({
    ...(mode === 'update' || others.removed === true ? {} : required),
    ...others,
    ...(monthly === undefined ? {} : { monthly: monthly === 1 ? '0.000001' : String(monthly / 1_000_000) }),
  }));
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('') || '\n';
}

/** The columns that any row has. */
function columnsOf(one: ModelRun): string[] {
  const rows = textOf(one)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const known = importColumns((one.isService ? tables.additional_services : tables.virtual_numbers).list);
  const named = new Set(rows.filter(({ removed }) => removed !== true).flatMap((row) => Object.keys(row)));
  const keys = ['account_id', 'id'];
  return known
    .map(({ name }) => name)
    .filter((name) => name !== 'removed' && (keys.includes(name) || named.has(name)));
}

function tryImport(store: Store, bytes: Buffer, format: 'csv' | 'ndjson', given: Omit<ModelRun, 'rows'>) {
  const { mode, account_id, maxRemoved = '', maxMoved = '', expectRows, dryRun = false } = given;
  const { isService, defaults = false } = given;
  return importFiles({
    store,
    table: isService === true ? tables.additional_services : tables.virtual_numbers,
    files: ['-'],
    format,
    stdin: Readable.from([bytes]),
    account: account_id,
    ...optionsOf(mode),
    defaults,
    max_removed: readItemLimit(maxRemoved),
    max_moved: readItemLimit(maxMoved),
    expect_rows: expectRows,
    dry_run: dryRun,
  });
}

/** Runs an import; `undefined` where it was refused. */
async function attempt(...words: Parameters<typeof tryImport>): Promise<ImportSummary | undefined> {
  try {
    return await tryImport(...words);
  } catch (error) {
    if (error instanceof ImportRefused || error instanceof ImportRejected) return undefined;
    throw error;
  }
}

for (const kind of stores) {
  describe(`on ${kind.name}`, () => {
    async function withDatabase(work: (store: Store) => Promise<void>) {
      const database = await databaseOf(kind);
      const store = await openStore(database.url, 'write');
      try {
        await work(store);
      } finally {
        await store.close();
        await database.remove();
      }
    }

    for (const table of Object.values(tables)) {
      const { name } = table;
      /** Account to revision and total. */
      const accountsIn = async (store: Store) => {
        const text = `select id, revision, ${name} from accounts order by id`;
        const rows = await selectIn(store, text);
        return new Map(rows.map(([id, revision, total]) => [String(id), { revision, total: Number(total) }]));
      };

      test(`imports of all modes in any order do what the model does with ${name}`, async () => {
        await withDatabase(async (store) => {
          const seed = Math.floor(Math.random() * 2 ** 31);
          let items: readonly ModelItem[] = [];
          for (const sample of fc.sample(run, { seed, numRuns: Math.ceil(RUNS * kind.share) })) {
            const one = aimed(sample, items, name === 'additional_services');
            // A file without any row is refused as such.
            if (one.rows.length === 0) continue;
            const said = `seed ${seed}: ${JSON.stringify(one)}`;
            const [before, revisions] = [await everythingIn(store), await accountsIn(store)];
            const expected = imported(items, one);
            const summary = await attempt(store, Buffer.from(textOf(one)), 'ndjson', one);
            assert.deepEqual(await itemsIn(store, table), expected.items, said);
            if (summary === undefined || one.dryRun === true)
              assert.deepEqual(await everythingIn(store), before, said);
            const { accounts, accounts_created: _created, withheld, ...rest } = summary ?? NOTHING;
            const { columns, warnings: _warnings, negative: _negative, ...others } = rest;
            // changed-columns.test.ts compares these.
            const { changed: _changed, examples: _examples, ...counts } = others;
            if (summary !== undefined) assert.deepEqual(columns, columnsOf(one), said);
            assert.deepEqual(summary && counts, expected.counts, said);
            assert.equal(withheld !== undefined, expected.isWithheld, said);
            const changes = accounts?.map(({ account_id, ...of }) => [account_id, ...Object.values(of)]);
            if (accounts !== undefined) assert.deepEqual(changes, expected.changes, said);
            for (const [id, now] of await accountsIn(store)) {
              const list = listedIn(expected.items, id);
              assert.equal(now.total, list.length, `${said} ${id}`);
              const was = revisions.get(id);
              // An account gets another revision when its list looks different, and only then.
              const isSame = was?.revision === now.revision;
              const looksSame = isDeepStrictEqual(list, listedIn(items, id));
              if (was !== undefined) assert.equal(isSame, looksSame, `${said} ${id}`);
            }
            items = expected.items;
          }
        });
      });
    }

    test('the share that may be removed is one of what was there, not of what comes in', async () => {
      await withDatabase(async (store) => {
        const import_ = (account_id: string, mode: ModelRun['mode'], ...ids: number[]) => {
          const one = { rows: ids.map((id) => ({ account_id, id })), mode, maxRemoved: '50%' };
          return attempt(store, Buffer.from(textOf(one)), 'ndjson', one);
        };
        await import_('C3', 'insert', 2, 3, 4, 6);
        // 3 moves, so three of the four that were there would go.
        assert.equal(await import_('C1', 'replace-all', 3, 5, 9), undefined);
        assert.equal((await import_('C1', 'replace-all', 2, 3, 9))?.removed, 2);
      });
    });

    test('a run that replaces may remove a fifth by itself, and a hundred of few', async () => {
      await withDatabase(async (store) => {
        const rowsOf = (from: number, to: number) =>
          Array.from({ length: to - from + 1 }, (_, i) => ({ account_id: 'C1', id: from + i }));
        const run = (rows: readonly ModelRow[], mode: ModelRun['mode']) =>
          attempt(store, Buffer.from(textOf({ rows, mode })), 'ndjson', { mode });
        for (const [there, staying, isDone] of [
          [102, 1, false],
          [102, 2, true],
          [600, 479, false],
          [600, 480, true],
        ] as const) {
          await run(rowsOf(1, there), 'insert');
          const summary = await run(rowsOf(1, staying), 'replace');
          assert.equal(summary?.removed, isDone ? there - staying : undefined, `${staying} of ${there}`);
        }
      });
    });

    test('a number of the past that is none today stays, and what else changes of it comes in', async () => {
      await withDatabase(async (store) => {
        const long = '44207946001800000000';
        const item = { account_id: 'C1', id: 1, comment: 'old', monthly: '2.25' };
        await load(store, 'virtual_numbers', [{ ...REQUIRED_VALUES, ...item, did: long }]);
        const one = { rows: [{ account_id: 'C1', id: 1, comment: 'new' }], mode: 'update' } as const;
        assert.equal((await attempt(store, Buffer.from(textOf(one)), 'ndjson', one))?.updated, 1);
        const [[stored] = []] = await selectIn(store, 'select item from virtual_numbers');
        const { did, comment, monthly } = JSON.parse(String(stored));
        assert.deepEqual({ did, comment, monthly }, { did: long, comment: 'new', monthly: 2.25 });
        // An export of it says so when it comes in again, and changes nothing.
        const again = Buffer.from(csv([{ ...REQUIRED_VALUES, ...item, did: long }]));
        await assert.rejects(tryImport(store, again, 'csv', { mode: 'insert' }), /it has 20 digits/);
        const removal = { rows: [{ account_id: 'C1', id: 1, removed: true }], mode: 'insert' } as const;
        assert.equal((await attempt(store, Buffer.from(textOf(removal)), 'ndjson', removal))?.removed, 1);
      });
    });

    test('a feed that is cut off changes nothing, whatever its form and mode', async () => {
      await withDatabase(async (store) => {
        const names = ['account_id', 'id', ...Object.keys(REQUIRED_VALUES), 'comment'];
        const lines = Array.from({ length: 40 }, (_, i) => ({
          account_id: 'C1',
          id: i + 1,
          ...REQUIRED_VALUES,
          comment: 'old',
        }));
        const csv = (comment: string) =>
          [
            names.join(','),
            ...lines.map((line) =>
              names.map((name) => (name === 'comment' ? comment : line[name as 'id'])).join(','),
            ),
          ]
            .map((line) => `${line}\n`)
            .join('');
        const ndjson = lines.map((line) => `${JSON.stringify({ ...line, comment: 'new' })}\n`).join('');
        assert.equal(
          (await tryImport(store, Buffer.from(csv('old')), 'csv', { mode: 'insert' })).inserted,
          40,
        );
        const before = await everythingIn(store);
        const feeds = [
          ['csv', Buffer.from(csv('new'))],
          ['ndjson', Buffer.from(ndjson)],
          ['csv', gzipSync(csv('new'))],
        ] as const;
        const cut = fc.tuple(
          fc.constantFrom(...feeds),
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.constantFrom('insert', 'update', 'replace', 'replace-all' as const),
        );
        await fc.assert(
          fc.asyncProperty(cut, async ([[format, bytes], share, mode]) => {
            const end = Math.floor(share * (bytes.length - 1));
            // A cut between two lines shows by the number of rows alone.
            const given = bytes[end - 1] === 10 ? { expectRows: 40 } : {};
            const summary = await attempt(store, bytes.subarray(0, end), format, {
              mode,
              ...given,
            });
            assert.equal(summary, undefined, `${format} ${end}`);
            assert.deepEqual(await everythingIn(store), before);
          }),
          { numRuns: Math.ceil(CUTS * kind.share) },
        );
        const header = csv('new').split('\n', 1)[0]?.length ?? 0;
        for (const given of [
          { mode: 'replace', expectRows: 40 },
          { mode: 'replace-all', maxRemoved: '0' },
        ] as const) {
          const bytes = Buffer.from(csv('new').slice(0, header + 1));
          assert.equal(await attempt(store, bytes, 'csv', given), undefined);
        }
        assert.deepEqual(await everythingIn(store), before);
      });
    });
  });
}

test('a file that is cut anywhere but between two lines has a fault', async () => {
  const line = { account_id: 'C1', id: 1, ...REQUIRED_VALUES, comment: 'a "b", é' };
  const text = Array.from({ length: 30 }, (_, i) => `${JSON.stringify({ ...line, id: i + 1 })}\n`).join('');
  for (const bytes of [Buffer.from(text), gzipSync(text)]) {
    const ends = Array.from({ length: bytes.length }, (_, end) => end).filter(
      (end) => bytes[end - 1] !== 10 || bytes[0] === 0x1f,
    );
    const step = Math.ceil(ends.length / CUTS_READ);
    for (const end of ends.filter((_, i) => i % step === 0)) {
      const job = {
        list: 'virtual_numbers',
        files: [{ name: '-', format: 'ndjson', bytes: undefined }],
        rules: {},
      } as const;
      let faults = 0;
      for await (const { totalFaults } of readBatches(job, Readable.from([bytes.subarray(0, end)])))
        faults = totalFaults;
      assert.ok(faults > 0, `${end}`);
    }
  }
});
