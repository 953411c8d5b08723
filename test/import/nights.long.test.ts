// Thirty nights of an operator with two feeds of one list: the file of billing at night, whose columns come
// and go, and the feed of flags that runs all the time. No flag and no price is ever wrong.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { importFiles } from '../../server/import/import.ts';
import type { ImportJob } from '../../server/import/job.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { csv, ndjson, numberRow } from '../kit/rows.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { selectIn } from '../kit/stored-items.ts';

type Row = Readonly<Record<string, unknown>>;

const NIGHTS = Number(process.env['TEST_NIGHTS'] ?? 30);
const ACCOUNTS = 5;
const ITEMS = 60;
const ALL = { percent: 100 };
const BILLED = ['comment', 'provider', 'monthly', 'activation', 'incoming', 'next_payment_at'] as const;
const FLAGS = ['is_spammed', 'spam_checked_at'] as const;
const DEFAULTS: Row = {
  comment: '',
  provider: '',
  monthly: 0,
  activation: 0,
  incoming: 0,
  next_payment_at: null,
  is_spammed: false,
  spam_checked_at: null,
};

const flags = fc.record({
  is_spammed: fc.boolean(),
  spam_checked_at: fc.constantFrom(null, '2026-11-20T03:00:00.000000Z', '2026-11-21T03:00:00.000001Z'),
});
const billed = fc.record({
  comment: fc.constantFrom('', 'x', 'a, "b"', 'İstanbul'),
  provider: fc.constantFrom('', 'north', 'Zürich'),
  monthly: fc.constantFrom(0, 2.25, 2.5, 225),
  activation: fc.constantFrom(0, 5),
  incoming: fc.constantFrom(0, 0.01, 0.000001),
  next_payment_at: fc.constantFrom(null, '2026-12-01T00:00:00.000000Z'),
});
const id = fc.integer({ min: 1, max: ITEMS });
const night = fc.record({
  /** The columns of this night's file. It has those of flags on few nights. */
  columns: fc.subarray([...BILLED]),
  hasFlags: fc.boolean().chain((some) => (some ? fc.boolean() : fc.constant(false))),
  items: fc.uniqueArray(fc.tuple(id, billed, flags), { minLength: ITEMS / 2, selector: ([one]) => one }),
  isCsv: fc.boolean(),
  /** The runs of the feed of flags before that file, next to it, and after it. */
  flagged: fc.tuple(
    ...[1, 2, 3].map(() => fc.uniqueArray(fc.tuple(id, flags), { maxLength: 20, selector: ([one]) => one })),
  ),
});

const only = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

for (const kind of stores) {
  describe(`a nightly file next to a feed of flags, on ${kind.name}`, () => {
    const nights = Math.ceil(NIGHTS * kind.share);
    test(`has no wrong flag and no wrong price in ${nights} nights, whatever columns the file has`, async () => {
      const database = await databaseOf(kind);
      const store = await openStore(database.url, 'write');
      const ofFlags = await openStore(database.url, 'write');
      const seed = Math.floor(Math.random() * 2 ** 31);
      /** What the list should be: what each item has, by its id. */
      const items = new Map<number, Row>();
      try {
        for (const [i, one] of fc.sample(night, { seed, numRuns: nights }).entries()) {
          const said = `seed ${seed}, night ${i + 1}`;
          const names = [...one.columns, ...(one.hasFlags ? FLAGS : [])];
          const file = one.items.map(([number, bill, flag]) => ({
            ...numberRow(`C${1 + (number % ACCOUNTS)}`, number),
            ...only({ ...bill, ...flag }, names),
          }));
          const next = new Set(one.items.map(([number]) => number));
          const [earlier = [], meanwhile = [], later = []] = one.flagged;

          await flag(ofFlags, items, earlier);
          // With flags in both, the last one to end is right; the others commute, so they may run at once.
          const nightly = () => load(store, one.isCsv ? csv(file) : ndjson(file), { replace_all: true });
          const staying = meanwhile.filter(([number]) => next.has(number));
          if (one.hasFlags) {
            await flag(ofFlags, items, staying);
            await nightly();
          } else {
            await Promise.all([nightly(), flag(ofFlags, items, staying)]);
          }
          for (const number of items.keys()) if (!next.has(number)) items.delete(number);
          for (const row of file)
            items.set(row.id, { ...DEFAULTS, ...items.get(row.id), ...only(row, names) });
          await flag(ofFlags, items, later);

          assert.deepEqual(await stored(store), new Map([...items].toSorted(([a], [b]) => a - b)), said);
        }
      } finally {
        await Promise.all([store.close(), ofFlags.close()]);
        await database.remove();
      }
    });
  });
}

/** What the feed of flags knows of items that are there: anything else would be a fault of its own. */
async function flag(store: Store, items: Map<number, Row>, given: readonly (readonly [number, Row])[]) {
  const known = given.filter(([number]) => items.has(number));
  if (known.length === 0) return;
  for (const [number, row] of known) items.set(number, { ...items.get(number), ...row });
  const rows = known.map(([number, row]) => ({
    account_id: `C${1 + (number % ACCOUNTS)}`,
    id: number,
    ...row,
  }));
  await load(store, ndjson(rows), { update: true, feed: 'flags' });
}

function load(store: Store, text: string, job: Partial<ImportJob>) {
  return importFiles({
    store,
    table: tables.virtual_numbers,
    files: ['-'],
    stdin: Readable.from([Buffer.from(text)]),
    format: text.startsWith('{') ? 'ndjson' : 'csv',
    feed: 'billing',
    max_removed: ALL,
    max_changed: ['monthly', 'activation', 'incoming'].map((column) => ({ column, limit: ALL })),
    ...job,
  });
}

async function stored(store: Store): Promise<Map<number, Row>> {
  const found = await selectIn(store, 'select id, item from virtual_numbers order by id');
  return new Map(
    found.map(([number, item]) => [
      Number(number),
      only(JSON.parse(String(item)) as Row, Object.keys(DEFAULTS)),
    ]),
  );
}
