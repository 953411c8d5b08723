// The columns of an index rank as a plain sort does, texts by their code points.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { NumberRows } from './number-rows.ts';
import type { IndexColumn } from './ranks.ts';
import { valueAt } from './sorted-values.ts';
import { TextRows } from './text-rows.ts';

/** The value of each row, as a column says. */
function valuesOf({ ranks, count, values }: IndexColumn): (string | number | null)[] {
  assert.ok(values);
  return Array.from(ranks, (rank) => (rank === count ? null : valueAt(values, rank)));
}

/** The rows of each rank. */
const ranksOf = ({ ranks }: IndexColumn) => Array.from(ranks);

/** Ranks by a plain sort; `null` behind all. */
function naively<T>(rows: readonly (T | null)[], compare: (a: T, b: T) => number): number[] {
  const different = [...new Set(rows)].filter((value) => value !== null).sort(compare);
  return rows.map((value) => (value === null ? different.length : different.indexOf(value)));
}

const byCodePoints = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Few letters and many beginnings in common; of one to four bytes, U+FF5E sorts before what is beyond it. */
const text = fc
  .array(fc.constantFrom('', 'a', 'ab', '2026-', '中', '\u{ff5e}', '😀', '😁'), { maxLength: 6 })
  .map((parts) => parts.join(''));
const nullable = <T>(value: fc.Arbitrary<T>) => fc.array(fc.option(value, { freq: 8 }), { maxLength: 200 });

describe('the columns of an index', () => {
  test('texts rank by their code points, and keep their values', () => {
    fc.assert(
      fc.property(nullable(text), (rows) => {
        const column = new TextRows();
        for (const row of rows) column.add(row);
        const ranked = column.ranked(true);
        assert.deepEqual(ranksOf(ranked), naively(rows, byCodePoints));
        assert.deepEqual(valuesOf(ranked), rows);
      }),
      { numRuns: 500 },
    );
  });

  test('numbers rank by their size, and keep their values', () => {
    fc.assert(
      fc.property(nullable(fc.integer({ min: -9, max: 2 ** 40 })), (rows) => {
        const column = new NumberRows();
        for (const row of rows) column.add(row);
        const ranked = column.ranked(true);
        assert.deepEqual(
          ranksOf(ranked),
          naively(rows, (a, b) => a - b),
        );
        assert.deepEqual(valuesOf(ranked), rows);
      }),
      { numRuns: 300 },
    );
  });

  test('ranks take as few bytes as the highest needs', () => {
    const bytesOf = (count: number) => {
      const column = new TextRows();
      for (let i = 0; i < count; i++) column.add(String(i));
      return column.ranked(false).ranks.BYTES_PER_ELEMENT;
    };
    assert.deepEqual([255, 256, 65_535, 65_536].map(bytesOf), [1, 2, 2, 4]);
  });
});
