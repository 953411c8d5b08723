// What is kept between requests is given again only at its revision, and never grows beyond its bytes.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Kept } from './cache.ts';

const answer = (revision: string, bytes = 1) => ({ revision, bytes });

describe('answers kept between requests', () => {
  test('an answer is given again while the account stands at its revision, and not after', () => {
    const kept = new Kept(10);
    const first = answer('a');
    kept.keep('page 1', first);
    assert.equal(kept.find('page 1', 'a'), first);
    assert.equal(kept.find('page 1', 'b'), undefined);
    assert.equal(kept.find('page 2', 'a'), undefined);
  });

  test('nothing is kept where nothing may be', () => {
    const kept = new Kept(0);
    kept.keep('page 1', answer('a'));
    assert.equal(kept.find('page 1', 'a'), undefined);
  });

  test('the answer asked for longest ago goes first', () => {
    const kept = new Kept(2);
    kept.keep('one', answer('a'));
    kept.keep('two', answer('a'));
    kept.find('one', 'a');
    kept.keep('three', answer('a'));
    assert.deepEqual(
      ['one', 'two', 'three'].map((key) => kept.find(key, 'a') !== undefined),
      [true, false, true],
    );
  });

  test('whatever is kept, the newest fits and all of it together does', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 12 }))), (steps) => {
        const kept = new Kept(10);
        const sizes = new Map<string, number>();
        for (const [key, bytes] of steps) {
          kept.keep(String(key), answer('a', bytes));
          sizes.set(String(key), bytes);
          const there = [...sizes].filter(([one]) => kept.find(one, 'a') !== undefined);
          assert.ok(there.reduce((sum, [, size]) => sum + size, 0) <= 10);
          assert.equal(kept.find(String(key), 'a') !== undefined, bytes <= 10);
        }
      }),
    );
  });
});
