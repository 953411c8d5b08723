// What the faults of a query cost: the words of the first few are found, and there is an end to counting.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from './problems.ts';
import { QueryFaults } from './query-faults.ts';

/** Adds `count` faults; returns how many of them were described. */
function wordsOf(faults: QueryFaults, count: number): number {
  let words = 0;
  for (let i = 0; i < count; i++) {
    faults.add(`name${i}`, () => {
      words += 1;
      return 'It is wrong.';
    });
  }
  return words;
}

test('only the first twenty are put into words', () => {
  assert.equal(wordsOf(new QueryFaults(), 600), 20);
});

test('the thousandth ends the reading', () => {
  const faults = new QueryFaults();
  wordsOf(faults, 999);
  assert.throws(
    () => wordsOf(faults, 1),
    (error) => error instanceof Problem && error.code === 'invalid-parameter' && error.faults?.length === 20,
  );
});

test('three suggestions are looked for', () => {
  const faults = new QueryFaults();
  let looked = 0;
  for (let i = 0; i < 9; i++) {
    faults.suggested(() => {
      looked += 1;
      return undefined;
    });
  }
  assert.equal(looked, 3);
});
