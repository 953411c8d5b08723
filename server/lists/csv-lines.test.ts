import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CsvWriter } from '@linecard/client/contract/csv';
import type { Field, List } from '@linecard/client/contract/list';
import fc from 'fast-check';
import { type StoredItem, tables } from '../store/tables.ts';
import { CsvLines } from './csv-lines.ts';
import { visibleFields } from './fields.ts';

/** Begins, ends and middles that CSV, JSON or a spreadsheet takes for something else. */
const ODD = [
  '',
  ',',
  '"',
  '\\',
  "'",
  '=1+1',
  '+44',
  '+44 20',
  '-',
  '@',
  '\t',
  '\r\n',
  '\n',
  ';',
  '＝1+1',
  '＋44',
  '－',
  '＠',
  '，',
  'null',
  '},{',
  '\u2028',
  'Ü',
  '号',
  '📞',
];
const text = fc.oneof(
  fc.string(),
  fc.array(fc.constantFrom(...ODD, 'a', '7'), { maxLength: 4 }).map((parts) => parts.join('')),
);

function arbitraryOf({ kind, nullable }: Field): fc.Arbitrary<string | number | boolean | null> {
  const value = {
    integer: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    text,
    timestamp: fc.constant('2026-02-06T08:00:00.435761Z'),
    charge: fc.constantFrom(0, 2.25, 0.000_001, -1_000_000_000, 999_999_999.999_999),
    flag: fc.boolean(),
  }[kind];
  return nullable ? fc.option<string | number | boolean | null>(value) : value;
}

const stored = (item: object) => JSON.stringify(item) as unknown as StoredItem;
const itemOf = (list: List) =>
  fc.record(
    Object.fromEntries(Object.entries(list.fields).map(([name, field]) => [name, arbitraryOf(field)])),
  );

describe('CSV lines of items', () => {
  for (const { list } of Object.values(tables)) {
    test(`are those that the values of ${list.name} make, whichever columns there are`, () => {
      const names = Object.keys(list.fields);
      const columns = fc.option(fc.subarray(names, { minLength: 1 }), { nil: undefined });
      fc.assert(
        fc.property(columns, fc.array(itemOf(list), { maxLength: 6 }), (chosen, items) => {
          const [lines, expected] = [
            new CsvLines(list, visibleFields(list, chosen, true)),
            new CsvWriter(list, chosen),
          ];
          assert.equal(lines.header, expected.header);
          const texts = items.map(stored);
          const made = [...texts.map((one) => lines.of([one]).slice()), lines.of(texts).slice()];
          const line = (item: (typeof items)[number]) => expected.line(item);
          const wanted = [...items.map(line), items.map(line).join('')];
          assert.deepEqual(
            made.map((bytes) => new TextDecoder().decode(bytes)),
            wanted.map((one) => one.toWellFormed()),
          );
        }),
        { numRuns: 1_000 },
      );
    });
  }

  test('are whole where an item is longer than any before it', () => {
    const { list } = tables.virtual_numbers;
    const lines = new CsvLines(list, visibleFields(list, ['comment'], true));
    for (const comment of ['short', 'x'.repeat(50_000), `${'号'.repeat(30_000)},`, '"'.repeat(70_000)]) {
      const item = Object.fromEntries(
        Object.keys(list.fields).map((name) => [name, name === 'comment' ? comment : 1]),
      );
      const expected = new CsvWriter(list, ['comment']).line(item);
      assert.equal(new TextDecoder().decode(lines.of([stored(item)])), expected);
    }
  });
});
