// The search of an index finds what `includes` finds, in texts of every length and script.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { TextRows } from './text-rows.ts';
import { markContaining, trigramsOf } from './trigrams.ts';

function found(texts: readonly string[], needle: string): number[] {
  const rows = new TextRows();
  for (const text of texts) rows.add(text);
  const bitmap = new Uint8Array(texts.length);
  markContaining(trigramsOf(rows), needle, bitmap);
  return [...bitmap.keys()].filter((row) => bitmap[row] === 1);
}

const naively = (texts: readonly string[], needle: string) =>
  [...texts.keys()].filter((row) => texts[row]?.includes(needle));

/** Few letters, so that texts overlap; of one to four bytes, so that letters share bytes. */
const text = fc.string({
  unit: fc.constantFrom('a', 'b', '4', 'é', 'è', '中', '丮', '😀', '😁'),
  maxLength: 9,
});

describe('the search of an index', () => {
  test('finds every text that contains the needle, and no other', () => {
    const needles = text.filter((one) => one !== '');
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30 }), needles, (texts, needle) => {
        assert.deepEqual(found(texts, needle), naively(texts, needle));
      }),
      { numRuns: 3_000 },
    );
  });

  test('finds a part of any text among thousands, rare or in all of them', () => {
    const texts = Array.from(
      { length: 4_000 },
      (_, i) => `desk ${(i * 37) % 1_999} team ${i % 7} ${'x'.repeat(i % 50)}`,
    );
    const part = fc.tuple(fc.nat(texts.length - 1), fc.nat(30), fc.integer({ min: 1, max: 12 }));
    const rows = new TextRows();
    for (const one of texts) rows.add(one);
    const trigrams = trigramsOf(rows);
    fc.assert(
      fc.property(part, ([row, start, length]) => {
        const needle = (texts[row] as string).slice(start, start + length) || 'desk';
        const bitmap = new Uint8Array(texts.length);
        markContaining(trigrams, needle, bitmap);
        assert.deepEqual(
          [...bitmap.keys()].filter((one) => bitmap[one] === 1),
          naively(texts, needle),
        );
      }),
      { numRuns: 200 },
    );
  });

  test('never finds a match that begins in one text and ends in the next', () => {
    assert.deepEqual(found(['ab', 'cd', ''], 'bc'), []);
    assert.deepEqual(found(['ab', 'cd'], 'abc'), []);
    assert.deepEqual(found(['', '', ''], 'a'), []);
    assert.deepEqual(found([], 'a'), []);
  });
});
