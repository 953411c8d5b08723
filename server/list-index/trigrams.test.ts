// What the search of an index finds is what `includes` finds, in texts of every length and script.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { markContaining, TextRows } from './trigrams.ts';

function found(texts: readonly string[], needle: string): number[] {
  const rows = new TextRows();
  for (const text of texts) rows.add(text);
  const marks = new Uint8Array(texts.length);
  markContaining(rows.trigrams(), needle, marks);
  return [...marks.keys()].filter((row) => marks[row] === 1);
}

const naively = (texts: readonly string[], needle: string) =>
  [...texts.keys()].filter((row) => texts[row]?.includes(needle));

/** Few letters, so that texts overlap; of one to four bytes, so that bytes of one are met in another. */
const text = fc.string({
  unit: fc.constantFrom('a', 'b', '4', 'é', 'è', '中', '丮', '😀', '😁'),
  maxLength: 9,
});

describe('the search of an index', () => {
  test('finds every text that contains what is looked for, and no other', () => {
    const needle = text.filter((one) => one !== '');
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30 }), needle, (texts, looked_for) => {
        assert.deepEqual(found(texts, looked_for), naively(texts, looked_for));
      }),
      { numRuns: 3_000 },
    );
  });

  test('finds a piece of any text in thousands, rare or in all of them', () => {
    const texts = Array.from(
      { length: 4_000 },
      (_, i) => `desk ${(i * 37) % 1_999} team ${i % 7} ${'x'.repeat(i % 50)}`,
    );
    const piece = fc.tuple(fc.nat(texts.length - 1), fc.nat(30), fc.integer({ min: 1, max: 12 }));
    const rows = new TextRows();
    for (const one of texts) rows.add(one);
    const trigrams = rows.trigrams();
    fc.assert(
      fc.property(piece, ([row, start, length]) => {
        const looked_for = (texts[row] as string).slice(start, start + length) || 'desk';
        const marks = new Uint8Array(texts.length);
        markContaining(trigrams, looked_for, marks);
        assert.deepEqual(
          [...marks.keys()].filter((one) => marks[one] === 1),
          naively(texts, looked_for),
        );
      }),
      { numRuns: 200 },
    );
  });

  test('never finds what begins in one text and ends in the next', () => {
    assert.deepEqual(found(['ab', 'cd', ''], 'bc'), []);
    assert.deepEqual(found(['ab', 'cd'], 'abc'), []);
    assert.deepEqual(found(['', '', ''], 'a'), []);
    assert.deepEqual(found([], 'a'), []);
  });
});
