// Nothing that comes from data moves a terminal, and JSON stays what it was.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { visible, visibleJson, visibleLines } from './printable.ts';

const CONTROLS = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\u001b',
      '\u009b',
      '\u0007',
      '\r',
      '\n',
      '\t',
      '\u007f',
      '\u0000',
      '\u202e',
      '\u2067',
      '\u2028',
    ),
    fc.string({ unit: 'grapheme', maxLength: 2 }),
  ),
});

describe('what reaches a terminal', () => {
  test('a text has no control characters, and the same number of characters as before', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        assert.doesNotMatch(visible(text), CONTROLS);
        assert.equal(visible(text).length, text.length);
      }),
    );
  });

  test('lines stay lines', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        assert.doesNotMatch(visibleLines(text).replaceAll(/\r?\n/g, ''), CONTROLS);
        assert.equal(visibleLines(text).split('\n').length, text.split('\n').length);
      }),
    );
    assert.equal(visibleLines('a,b\r\nc\rd\n'), 'a,b\r\nc␍d\n');
  });

  test('JSON means the same', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = visibleJson(JSON.stringify({ text }, null, 1));
        assert.doesNotMatch(shown.replaceAll('\n', ''), CONTROLS);
        assert.deepEqual(JSON.parse(shown), { text });
      }),
    );
  });

  test('ordinary text stays as it is', () => {
    for (const text of ['Praxis Müller', '予約デスク', '👨‍👩‍👧‍👦', 'שלום \u200f(a)', "' OR 1=1 --"])
      assert.equal(visible(text), text);
  });
});
