// Filters by an index are computed in steps of a limited length, however many columns are filtered.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Selection } from '../store/sql.ts';
import type { IndexData } from './index-data.ts';
import { matchingOf } from './match.ts';

const ROWS = 200_000;
const COLUMNS = 12;
const nameOf = (nth: number) => `column_${nth}`;
const rankAt = (row: number, nth: number) => (row * (nth + 7)) % 100;

const data: IndexData = {
  revision: '1',
  ids: new Float64Array(ROWS).map((_, row) => row + 1),
  columns: Object.fromEntries(
    Array.from({ length: COLUMNS }, (_, nth) => [
      nameOf(nth),
      {
        ranks: new Uint8Array(ROWS).map((_, row) => rankAt(row, nth)),
        count: 100,
        values: Float64Array.from({ length: 100 }, (_, rank) => rank),
      },
    ]),
  ),
  texts: {},
};

/** Excludes one value of each of the first columns. */
const selection = (columns: number): Selection => ({
  account_id: 'harbour-dental',
  list: 'virtual_numbers',
  where: Array.from({ length: columns }, (_, nth) => ({
    column: nameOf(nth),
    test: 'none' as const,
    type: 'bigint' as const,
    value: [nth],
  })),
  whole: false,
});

test('filters of 200,000 rows by many columns pause after every two, and match what a full scan matches', () => {
  for (const [columns, pauses] of [
    [1, 0],
    [2, 0],
    [COLUMNS, COLUMNS / 2 - 1],
  ] as const) {
    const steps = matchingOf(data, selection(columns));
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count += 1;
    const expected = new Uint8Array(ROWS).fill(1);
    for (let row = 0; row < ROWS; row++)
      for (let nth = 0; nth < columns; nth++) if (rankAt(row, nth) === nth) expected[row] = 0;
    assert.ok(Buffer.from(expected).equals(step.value.bitmap));
    assert.equal(
      step.value.total,
      expected.reduce((sum, one) => sum + one, 0),
    );
    assert.equal(count, pauses);
  }
});
