// The columns of an index rank as a plain sort does, texts by their code points.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { NumberRows } from './build.ts';
import { type IndexColumn, rankOf, valueAt } from './sorted-values.ts';
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
/** Alike but for their digits, of which there are few; some are not quite. */
const shaped = fc
  .tuple(fc.stringMatching(/^20[01]\d-0[12]T\d$/), fc.constantFrom('', '', '', '', '0', 'Z', 'é', '½'))
  .map(([text, behind]) => text + behind);
const allShaped = fc.stringMatching(/^\+44\d{2,2}\.[0-3]Z$/);
const allShapedBeyondAscii = fc.stringMatching(/^é[0-3]½\d😀$/u);
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

  for (const [what, texts] of [
    ['texts that are alike but for their digits', allShaped],
    ['texts beyond ASCII that are alike but for their digits', allShapedBeyondAscii],
    ['texts of which some are alike but for their digits', shaped],
  ] as const) {
    test(`${what} rank as others do, keep their values, and are found by any text`, () => {
      fc.assert(
        fc.property(nullable(texts), fc.array(fc.oneof(allShaped, shaped, text)), (rows, wanted) => {
          const column = new TextRows();
          for (const row of rows) column.add(row);
          const ranked = column.ranked(true);
          assert.deepEqual(ranksOf(ranked), naively(rows, byCodePoints));
          assert.deepEqual(valuesOf(ranked), rows);
          const { values } = ranked;
          assert.ok(values);
          const different = [...new Set(rows)].filter((one) => one !== null);
          for (const one of [...wanted, ...different]) {
            const rank = different.filter((other) => byCodePoints(other, one) < 0).length;
            assert.deepEqual(rankOf(values, one), { rank, found: different.includes(one) });
          }
        }),
        { numRuns: 300 },
      );
    });
  }

  test('texts that are alike but for their digits take half a byte for each of these', () => {
    const column = new TextRows();
    for (let i = 10; i < 60; i++) column.add(`2026-11-20T09:30:${i}.000000Z`);
    const { values } = column.ranked(true);
    assert.ok(values !== undefined && 'digits' in values);
    assert.equal(values.digits.length, 50 * 10);
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
