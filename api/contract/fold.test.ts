// Folding: Unicode NFKC, then lower case.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fold } from './fold.ts';

const ALIKE: readonly (readonly string[])[] = [
  ['abc', 'ABC', 'ＡＢＣ', 'ａｂｃ', '\u{1d400}\u{1d401}\u{1d402}'],
  ['file', 'FILE', 'ﬁle', 'ﬁLE', 'ＦＩＬＥ'],
  ['caf\u00e9', 'cafe\u0301', 'CAF\u00c9', 'CAFE\u0301'],
  ['straße', 'STRAẞE', 'Straße'],
  ['k', 'K', '\u212a'],
  ['\u00e5', '\u212b', 'A\u030a', 'Å'],
  ['i\u0307', 'İ', 'I\u0307'],
  ['οδος', 'ΟΔΟΣ'],
  ['d\u017e', 'ǆ', 'Ǆ', 'ǅ', 'DŽ'],
  ['2026', '２０２６', '②⓪②⑥'],
  ['\ud55c', '\u1112\u1161\u11ab'],
  [' ', '\u00a0', '\u3000'],
  ['1\u20442', '½'],
  ['😀', '😀'],
];

const DIFFERENT: readonly (readonly [string, string])[] = [
  ['strasse', 'straße'],
  ['cafe', 'caf\u00e9'],
  ['i', 'ı'],
  ['i', 'İ'],
  ['οδος', 'οδοσ'],
  ['a', 'а'],
  ['', ' '],
];

describe('folding', () => {
  for (const texts of ALIKE) {
    test(`${texts.join(' ')} are alike`, () => {
      for (const text of texts) assert.equal(fold(text), fold(String(texts[0])), JSON.stringify(text));
    });
  }

  for (const [one, other] of DIFFERENT) {
    test(`${one} and ${other} are not`, () => assert.notEqual(fold(one), fold(other)));
  }

  test('is NFKC and then lower case for every text, also where a short cut is taken', () => {
    const ascii = fc.string({ unit: 'binary-ascii' });
    fc.assert(
      fc.property(fc.oneof(ascii, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })), (text) => {
        assert.equal(fold(text), text.normalize('NFKC').toLowerCase());
      }),
      { numRuns: 2_000 },
    );
  });

  test('does not depend on the language of the machine', () => {
    assert.equal(fold('TITLE I'), 'title i');
    assert.equal(fold('ÌÍĨ'), 'ìíĩ');
  });
});
