// Numbers in columns against texts in a Map: nothing is lost, and no two numbers are taken for one.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { numberDigits } from '../contract/digits.ts';
import { Column } from './column.ts';
import { KeyIndex, NumberIndex } from './number-index.ts';
import { NumberKeys } from './number-keys.ts';
import { NumberTexts } from './number-texts.ts';

/** Few digits in a few forms, so that many of them are the same number, and up to 30 of them. */
const digits = fc
  .array(fc.constantFrom('0', '1', '9'), { minLength: 0, maxLength: 5 })
  .map((all) => all.join(''));
const numbers = fc
  .tuple(
    fc.constantFrom('', '+', '00', '+00', ' ', '++'),
    digits,
    fc.constantFrom('', '2079460018', '1'.repeat(11), '7'.repeat(12), '3'.repeat(25), ' (0) 55', '-7 x'),
  )
  .map((parts) => parts.join(''));
const lists = fc.array(numbers, { maxLength: 60 });

function keysOf(all: readonly string[]) {
  const names = new NumberKeys();
  const keys = new Column();
  for (const one of all) keys.push(names.of(one));
  return { names, keys };
}

describe('numbers in columns', () => {
  test('come back as they are written', () => {
    fc.assert(
      fc.property(lists, (all) => {
        const texts = new NumberTexts();
        for (const one of all) texts.push(one);
        assert.deepEqual(
          all.map((_, i) => texts.at(i)),
          all,
        );
      }),
    );
  });

  test('are found by their digits: the first one, and all others in order', () => {
    fc.assert(
      fc.property(lists, numbers, (all, wanted) => {
        const { names, keys } = keysOf(all);
        const index = new KeyIndex(keys);
        for (const one of [...all, wanted]) {
          const same = all.flatMap((other, i) => (numberDigits(other) === numberDigits(one) ? [i] : []));
          const first = index.first(names.of(one));
          assert.deepEqual(index.alike(first), same, one);
          assert.equal(first, same[0]);
          if (first !== undefined) assert.equal(index.isAlone(first), same.length === 1);
          assert.equal(names.digits(names.of(one)), numberDigits(one));
        }
      }),
    );
  });

  test('are found by their last digits, each number once', () => {
    fc.assert(
      fc.property(lists, fc.stringMatching(/^[019]{0,5}(?:2079460018|1{11}|3{25})$/), (all, ending) => {
        const { names, keys } = keysOf(all);
        const endsSo = all.flatMap((one, i) => {
          const own = numberDigits(one);
          const isFirst = all.findIndex((other) => numberDigits(other) === own) === i;
          return isFirst && own.endsWith(ending) ? [i] : [];
        });
        assert.deepEqual(new NumberIndex(keys, names).endingWith(ending), endsSo.slice(0, 10));
      }),
    );
  });
});
