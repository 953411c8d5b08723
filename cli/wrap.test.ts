// Lines break at words, and a command that is broken is still one.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import measured from 'fast-string-truncated-width';
import { TIMES } from './list-commands.ts';
import { wrapped } from './wrap.ts';

const COMMAND = '  $ linecard virtual-numbers list --next-payment "this week" --country-codes DE';

describe('text on a narrow line', () => {
  for (const width of [40, 50, 60, 79]) {
    test(`fits into ${width} characters, word by word`, () => {
      const text = wrapped(TIMES, width);
      for (const line of text.split('\n')) assert.ok(measured(line).width <= width, line);
      assert.deepEqual(text.match(/(?:"[^"]*"|\S)+/g), TIMES.match(/(?:"[^"]*"|\S)+/g));
    });
  }

  test('a command goes on behind a backslash, its arguments whole', () => {
    const lines = wrapped(COMMAND, 40).split('\n');
    assert.ok(lines.length > 2 && lines.slice(0, -1).every((line) => line.endsWith(' \\')), lines.join('\n'));
    assert.ok(lines.some((line) => line.includes('"this week"')));
    assert.equal(lines.join('\n').replaceAll(/ \\\n +/g, ' '), COMMAND);
  });

  test('a word that is longer than the line stays whole', () => {
    assert.equal(wrapped('a configuration_awaiting b', 8), 'a\n  configuration_awaiting\n  b');
  });

  test('what fits, or has no line to fit, stays as it is', () => {
    assert.equal(wrapped(COMMAND, undefined), COMMAND);
    assert.equal(wrapped('  a   b', 7), '  a   b');
  });
});
