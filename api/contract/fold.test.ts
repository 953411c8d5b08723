// Folding: Unicode NFKC, then lower case, whatever the characters around.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/kit/characters.ts';
import { fold } from './fold.ts';

const ALIKE: readonly (readonly string[])[] = [
  ['abc', 'ABC', 'ＡＢＣ', 'ａｂｃ', '\u{1d400}\u{1d401}\u{1d402}'],
  ['file', 'FILE', 'ﬁle', 'ﬁLE', 'ＦＩＬＥ'],
  ['caf\u00e9', 'cafe\u0301', 'CAF\u00c9', 'CAFE\u0301'],
  ['straße', 'STRAẞE', 'Straße'],
  ['k', 'K', '\u212a'],
  ['\u00e5', '\u212b', 'A\u030a', 'Å'],
  ['i\u0307', 'İ', 'I\u0307'],
  ['οδος', 'ΟΔΟΣ', 'οδοσ', 'Οδοϲ'],
  ['\u1e96', 'H\u0331', 'h\u0331'],
  ['\u0390', '\u03aa\u0301', '\u03b9\u0308\u0301', '\u1fd3'],
  ['i\u0327\u0307', 'İ\u0327', 'I\u0327\u0307'],
  ['ω', 'Ω', '\u2126'],
  ['ffi', 'ﬃ', 'FFI'],
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
  ['οδος', 'οδο'],
  ['a', 'а'],
  ['', ' '],
];

/** What Greek, Turkish and Latin are written with, and what folds in a special way. */
const LETTER = fc.oneof(
  fc.constantFrom(...Array.from('ΣσςϲΟΔΑίΐΪ\u0301İıIi\u0307ßẞﬃﬁΩ\u2126K\u212aǅ ´ͺ.-7')),
  fc.integer({ min: 0x370, max: 0x3ff }).map((point) => String.fromCodePoint(point)),
  fc.integer({ min: 0x1e00, max: 0x1fff }).map((point) => String.fromCodePoint(point)),
  fc.integer({ min: 0x20, max: 0x36f }).map((point) => String.fromCodePoint(point)),
);

describe('folding', () => {
  for (const texts of ALIKE) {
    test(`${texts.join(' ')} are alike`, () => {
      for (const text of texts) assert.equal(fold(text), fold(String(texts[0])), JSON.stringify(text));
    });
  }

  for (const [one, other] of DIFFERENT) {
    test(`${one} and ${other} are not`, () => assert.notEqual(fold(one), fold(other)));
  }

  const any = fc.oneof(
    fc.string({ unit: 'binary-ascii' }),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: anyCharacter }),
  );

  test('is NFKC and then lower case, character by character, for every text, also where a short cut is taken', () => {
    const lower = (one: string) => (one === 'ς' ? 'σ' : one.toLowerCase());
    fc.assert(
      fc.property(any, (text) => {
        const composed = Array.from(text.normalize('NFKC'), lower).join('').normalize('NFKC');
        assert.equal(fold(text), composed);
      }),
      { numRuns: 2_000 },
    );
  });

  test('of what is folded changes nothing, for every character with every accent', () => {
    fc.assert(
      fc.property(any, (text) => assert.equal(fold(fold(text)), fold(text))),
      { numRuns: 2_000 },
    );
    const accents = Array.from({ length: 0x70 }, (_, i) => String.fromCodePoint(0x300 + i));
    const letters = Array.from({ length: 0x2_200 }, (_, point) => String.fromCodePoint(point));
    const texts = letters.flatMap((letter) => ['', ...accents].map((accent) => letter + accent));
    assert.deepEqual(
      texts.map(fold).filter((text) => fold(text) !== text),
      [],
    );
  });

  test('of a part that is cut out between characters is a part of the folded text, in Greek, Turkish and Latin', () => {
    const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });
    fc.assert(
      fc.property(fc.array(LETTER, { maxLength: 12 }), fc.nat(), fc.nat(), (letters, from, length) => {
        const whole = Array.from(characters.segment(letters.join('')), ({ segment }) => segment);
        const first = from % (whole.length + 1);
        const part = whole.slice(first, first + (length % 6)).join('');
        assert.ok(fold(whole.join('')).includes(fold(part)), JSON.stringify([whole, part]));
      }),
      { numRuns: 5_000 },
    );
  });

  test('does not depend on the language of the machine', () => {
    assert.equal(fold('TITLE I'), 'title i');
    assert.equal(fold('ÌÍĨ'), 'ìíĩ');
  });
});
