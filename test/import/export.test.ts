// What an operator exports is what an import reads: random lists, with own fields, are the same afterwards.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { trimmed } from '../../api/contract/trimmed.ts';
import { runExport } from '../../server/commands/export.ts';
import { importFiles } from '../../server/import/import.ts';
import type { ImportJob } from '../../server/import/job.ts';
import { addFieldOperation } from '../../server/operations/fields.ts';
import { readShape } from '../../server/operations/shape.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { type ListName, tables } from '../../server/store/tables.ts';
import { queriesAtRandom } from '../kit/hard-queries.ts';
import { HARD_CHARGES, HARD_TEXTS, HARD_TIMES } from '../kit/hard-rows.ts';
import { ndjson, REQUIRED_VALUES } from '../kit/rows.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { everythingIn } from '../kit/stored-items.ts';
import type { Database } from '../kit/templates.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const RUNS = queriesAtRandom(4);
const ALL = { percent: 100 };
const FORMATS = ['csv', 'ndjson', 'xlsx'] as const;
const KINDS = ['text', 'timestamp', 'charge', 'flag', 'integer'] as const;

const one = <T>(...values: T[]) => fc.constantFrom(...values);
/** Ids that a spreadsheet would run, and those that differ from them by an apostrophe. */
const account_id = fc.oneof(
  one('C1', 'c1', 'a,"b"', 'Köln', '10'),
  fc
    .tuple(one('', "'", "''"), one('=', '+', '-', '@', '＝', ''), one('C1', '1'))
    .map((parts) => parts.join('')),
);
const text = one(
  ...HARD_TEXTS.map((each) => trimmed(each.replace(/[^\P{Cc}\t\n\r]/gu, ''))),
  "'=1+1",
  'null',
  'x,"y"',
);
const time = one(...HARD_TIMES, '2026-11-20T03:00:00.000001Z');
const charge = one(...HARD_CHARGES.map(Number), -1.5, 0.000001);
const own = {
  x_text: one('', "'=1+1", '=1+1', 'x,"y"', 'İ', '😀', 'null'),
  x_timestamp: time,
  x_charge: charge,
  x_flag: fc.boolean(),
  x_integer: one(null, -9_007_199_254_740_991, 0, 7, 9_007_199_254_740_991),
};
const common = {
  account_id,
  id: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  comment: text,
  activation: charge,
  monthly: charge,
  activated_at: time,
  next_payment_at: time,
  ...own,
};
const { did: _, status: __, ...billing } = REQUIRED_VALUES;
const { created_at: ___, ...ofService } = billing;
const rowsOf = {
  virtual_numbers: fc
    .record({ ...common, did: one('+442079460018', '020 7946 0018', '112'), country: text, provider: text })
    .map((row) => ({ ...REQUIRED_VALUES, ...row })),
  additional_services: fc
    .record({ ...common, title: one('Porting', '=1+1', '😀'), category: one('additional', 'core', 'lead') })
    .map((row) => ({ ...ofService, ...row })),
} as const;

for (const kind of stores) {
  describe(`an operator's export, on ${kind.name}`, () => {
    const folder = temporaryFolder();
    let database: Database;
    let store: Store;

    before(async () => {
      database = await databaseOf(kind);
      store = await openStore(database.url, 'write');
      const by = { origin: 'command', actor: 'test' } as const;
      for (const list of Object.keys(tables))
        for (const type of KINDS) {
          const given = { list, name: `x_${type}`, kind: type, title: type };
          await addFieldOperation.run(
            { store, by },
            readShape(addFieldOperation.takes, given, 'a field'),
            '',
          );
        }
    });
    after(async () => {
      await store.close();
      await database.remove();
    });

    const exported = async (
      list: ListName,
      file: string,
      more: { account?: string | undefined; where?: string[] } = {},
    ) => {
      await setImmediate();
      const given = { account: undefined, where: [], yes: true, database_pooler: 'none', ...more } as const;
      await runExport(list, { ...given, file, database_url: database.url });
      await setImmediate();
    };
    const load = (list: ListName, file: string, job: Partial<ImportJob> = {}) =>
      importFiles({
        store,
        table: tables[list],
        files: [file],
        max_removed: ALL,
        max_moved: ALL,
        max_changed: [],
        ...job,
      });

    for (const list of Object.keys(tables) as ListName[])
      test(`of ${list.replace('_', ' ')} changes nothing when it is imported in place of the list`, async () => {
        const lists = fc.uniqueArray(rowsOf[list] as fc.Arbitrary<{ id: number; account_id: string }>, {
          selector: ({ id }) => id,
          minLength: 1,
          maxLength: 25,
        });
        await fc.assert(
          fc.asyncProperty(lists, one(...FORMATS), async (rows, format) => {
            const source = join(folder, 'source.ndjson');
            writeFileSync(source, ndjson(rows));
            const percent = Object.keys(tables[list].list.fields).concat(Object.keys(own));
            const max_changed = percent.map((column) => ({ column, limit: ALL }));
            await load(list, source, { replace_all: true, defaults: true, max_changed });
            const before = await everythingIn(store);
            const file = join(folder, `all.${format}`);
            await exported(list, file);
            const { inserted, updated, removed, unchanged } = await load(list, file, { replace_all: true });
            assert.deepEqual(
              { inserted, updated, removed, unchanged },
              { inserted: 0, updated: 0, removed: 0, unchanged: rows.length },
            );
            assert.deepEqual(await everythingIn(store), before);
            const account = rows[0]?.account_id;
            const single = join(folder, `one.${format}`);
            await exported(list, single, { account });
            const again = await load(list, single, { replace: true, account });
            const ofIt = rows.filter((row) => row.account_id === account).length;
            assert.deepEqual([again.unchanged, again.removed, again.rows], [ofIt, 0, ofIt]);
          }),
          { numRuns: Math.ceil(RUNS * kind.share) },
        );
      });

    test('has the account first, and only what its filters match', async () => {
      const source = join(folder, 'source.ndjson');
      const rows = [
        { account_id: 'C1', id: 1, ...REQUIRED_VALUES, country_code: 'GB', comment: 'a' },
        { account_id: 'C2', id: 2, ...REQUIRED_VALUES, country_code: 'FR', comment: 'a' },
        { account_id: 'C2', id: 3, ...REQUIRED_VALUES, country_code: 'DE', comment: 'a' },
        { account_id: 'C2', id: 4, ...REQUIRED_VALUES, country_code: 'GB', comment: 'b' },
      ];
      writeFileSync(source, ndjson(rows));
      await load('virtual_numbers', source, { replace_all: true });
      const file = join(folder, 'some.csv');
      await exported('virtual_numbers', file, { where: ['country_codes=GB,FR', 'q=A'] });
      const [header, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\r\n');
      assert.equal(header?.split(',')[0], 'account_id');
      assert.deepEqual(
        lines.map((line) => line.split(',').slice(0, 2).join()),
        ['C1,1', 'C2,2'],
      );
      const wrong = exported('virtual_numbers', file, {
        where: ['country=GB', 'sort_by=id', 'country_codes=xx'],
      });
      await assert.rejects(wrong, /--where country is not a filter .*\n--where sort_by is not/);
      await assert.rejects(exported('virtual_numbers', file, { account: 'C9' }), /There is no account C9/);
      await assert.rejects(exported('virtual_numbers', join(folder, 'x.pdf')), /must end in/);
    });
  });
}
