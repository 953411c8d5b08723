// The wrong files of an operator's week: a nightly file that went wrong in each way that files do. Each is
// refused, and changes nothing; or it does no harm, and the summary says what is odd about it.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { ImportRefused, ImportRejected } from '../../server/import/faults.ts';
import { importFiles } from '../../server/import/import.ts';
import type { ImportJob } from '../../server/import/job.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import type { ModelRow } from '../kit/model.ts';
import { csv, numberRow } from '../kit/rows.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { everythingIn, selectIn } from '../kit/stored-items.ts';

const ITEMS = 600;
const ACCOUNTS = 60;
const CHARGES = ['monthly', 'activation', 'incoming'] as const;

const good: readonly ModelRow[] = Array.from({ length: ITEMS }, (_, i) =>
  numberRow(`C${1 + (i % ACCOUNTS)}`, i + 1, {
    provider: i % 3 === 0 ? 'Zürich Süd' : 'Genève',
    comment: `Anschluß ${i}`,
    monthly: 2 + (i % 7) / 4 + Math.floor(i / ACCOUNTS),
    activation: 20 + (i % 5),
    incoming: 0.01,
    is_spammed: i % 10 === 0,
  }),
);
const file = csv(good);
const header = file.slice(0, file.indexOf('\n') + 1);

const without = (...names: readonly string[]) =>
  csv(good.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))));
const each = (more: (row: ModelRow, other: (by: number) => ModelRow, i: number) => Partial<ModelRow>) =>
  csv(good.map((row, i) => ({ ...row, ...more(row, (by) => good[(i + by) % ITEMS] as ModelRow, i) })));

/** Files that are refused: what they are, the file, and what is said. */
const refused: readonly (readonly [string, string | Buffer, RegExp])[] = [
  ['half of it', csv(good.slice(0, ITEMS / 2)), /^This would remove 300 of 600 items/],
  ['one that is cut off within a row', file.slice(0, -30), /The last line does not end with a line break/],
  [
    'one whose accounts are shifted by a row',
    each((_, other) => ({ account_id: other(1).account_id })),
    /^This would move 600 items from one account to another/,
  ],
  [
    'one whose ids are shifted by a row',
    each((row, other) => ({ ...other(1), id: row.id })),
    /^This would move 600 items from one account to another/,
  ],
  [
    'one that holds every row twice',
    file + file.slice(header.length),
    /:602: id: 1 is there twice; it was first given at -:2\./,
  ],
  ['two of it in one', file + file, /:602: id: must be an integer .* but was "id"/],
  [
    'one in Latin-1',
    Buffer.from(file, 'latin1'),
    /is not well-formed Unicode: .* such as --encoding windows-1252/,
  ],
  [
    'one whose UTF-8 was read as Latin-1 and written as UTF-8',
    Buffer.from(file, 'utf8').toString('latin1'),
    /must not contain control characters .* but contains U\+009F/,
  ],
  ['one in UTF-16', Buffer.from(`\uFEFF${file}`, 'utf16le'), /The file is UTF-16: --encoding utf-16/],
  [
    'one in which all ids are new',
    each((row) => ({ id: Number(row.id) + 500_000 })),
    /^This would remove 600 of 600 items/,
  ],
  [
    'one that is numbered otherwise',
    each((_, other) => ({ id: other(7).id })),
    /^This would move 600 items from one account to another/,
  ],
  [
    'one that is numbered otherwise within each account',
    each((_, other) => ({ id: other(ACCOUNTS).id })),
    /^This would change monthly of 600 of 600 items/,
  ],
  ['one with empty prices', each(() => ({ monthly: '' })), /^This would change monthly of 600 of 600 items/],
  [
    'one with prices times 100',
    each((row) => ({ monthly: Number(row['monthly']) * 100 })),
    /^This would change monthly of 600 of 600 items \(1 from 2 to 200, 2 from 2\.25 to 225/,
  ],
  [
    'one with two columns of prices exchanged',
    each((row) => ({ monthly: row['activation'], activation: row['monthly'] })),
    /^This would change activation of 600 of 600 items/,
  ],
  [
    'one with two other columns exchanged',
    each((row) => ({ did: row['comment'], comment: row['did'] })),
    /:2: did: must be a phone number/,
  ],
];

for (const kind of stores) {
  describe(`a nightly file of all accounts, on ${kind.name}`, () => {
    let database: Awaited<ReturnType<typeof databaseOf>>;
    let store: Store;
    let whole: Awaited<ReturnType<typeof items>>;

    before(async () => {
      database = await databaseOf(kind);
      store = await openStore(database.url, 'write');
      await load(file);
      whole = await items();
    });
    after(async () => {
      await store.close();
      await database.remove();
    });

    const items = () => selectIn(store, 'select account_id, id, item from virtual_numbers order by id');
    const load = (content: string | Buffer, job: Partial<ImportJob> = { replace_all: true }) =>
      importFiles({
        store,
        table: tables.virtual_numbers,
        files: ['-'],
        stdin: Readable.from([Buffer.from(content as string)]),
        format: 'csv',
        feed: 'billing',
        ...job,
      });

    for (const [title, content, said] of refused) {
      test(`is refused, and changes nothing: ${title}`, async () => {
        const stored = await everythingIn(store);
        await assert.rejects(load(content), (error) => {
          assert.ok(error instanceof ImportRejected || error instanceof ImportRefused);
          assert.match(error.message, said);
          assert.match(error.message, /Nothing was imported: the lists are as they were\.$/);
          return true;
        });
        assert.deepEqual(await everythingIn(store), stored);
      });
    }

    test('is refused with the account of another customer than the run is for', async () => {
      const stored = await everythingIn(store);
      const theirs = csv(good.filter(({ account_id }) => account_id === 'C2'));
      await assert.rejects(load(theirs, { account: 'C1', replace: true }), (error) => {
        assert.ok(error instanceof ImportRefused);
        assert.match(error.message, /account_id: must be "C1", the account of the run, but was "C2"/);
        return true;
      });
      assert.deepEqual(await everythingIn(store), stored);
    });

    test('clears no flag and no price by lacking their columns, and says which it lacks', async () => {
      const stored = await everythingIn(store);
      for (const names of [['is_spammed'], CHARGES]) {
        const { warnings, updated, unchanged } = await load(without(...names));
        assert.deepEqual({ updated, unchanged }, { updated: 0, unchanged: ITEMS });
        for (const name of names) assert.match(warnings.join('\n'), new RegExp(`\\b${name}\\b`));
        await load(file);
      }
      assert.deepEqual(await everythingIn(store), stored);
    });

    test('counts a price below zero', async () => {
      const { negative, changed } = await load(each((_, _other, i) => (i === 3 ? { monthly: -4 } : {})));
      assert.equal(negative, 1);
      assert.deepEqual({ ...changed }, { monthly: 1 });
    });

    test('with a tenth of the rows lacking is stopped by the rows that are expected alone', async () => {
      const lacking = csv(good.slice(0, Math.floor(ITEMS * 0.904)));
      const stored = await everythingIn(store);
      await assert.rejects(load(lacking, { replace_all: true, expect_rows: ITEMS }), ImportRejected);
      assert.deepEqual(await everythingIn(store), stored);
      assert.equal((await load(lacking)).removed, 58);
    });

    test('is right again the next night', async () => {
      const { inserted, updated } = await load(file);
      assert.deepEqual({ inserted, updated }, { inserted: 58, updated: 0 });
      assert.deepEqual(await items(), whole);
    });
  });
}
