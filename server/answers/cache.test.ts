// Cached values never exceed the memory of the cache.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ValueCache } from './cache.ts';

const page = { revision: 'a' };

describe('the cache', () => {
  test('caches nothing without memory', () => {
    const cache = new ValueCache(0);
    cache.set('page 1', page, 1);
    assert.equal(cache.find('page 1'), undefined);
  });

  test('frees the memory of deleted values', () => {
    const cache = new ValueCache(2);
    for (const key of ['one', 'two']) cache.set(key, page, 1);
    cache.delete('two');
    assert.equal(cache.find('two'), undefined);
    cache.set('three', page, 1);
    assert.deepEqual(
      ['one', 'two', 'three'].map((key) => cache.find(key) !== undefined),
      [true, false, true],
    );
  });

  test('evicts the oldest value first, unless it was read since', () => {
    const cache = new ValueCache(2);
    cache.set('one', page, 1);
    cache.set('two', page, 1);
    cache.find('one');
    cache.set('three', page, 1);
    assert.deepEqual(
      ['one', 'two', 'three'].map((key) => cache.find(key) !== undefined),
      [true, false, true],
    );
  });

  test('counts what is in a value, whatever its form', () => {
    const held = (value: unknown) => {
      const cache = new ValueCache(1_000_000);
      cache.set('key', value);
      return cache.statistics.bytes;
    };
    const ids = Array.from({ length: 50 }, (_, i) => `${'x'.repeat(98)}${i}`);
    assert.ok(held({ issued: { accounts: ids } }) > 2 * ids.join('').length);
    assert.ok(held({ issued: { accounts: ids } }) > held({ issued: { accounts: ids.slice(1) } }));
    for (const value of [undefined, null, 7, 'text', Promise.resolve(), []]) assert.ok(held(value) > 0);
    const tokens = new ValueCache(100_000);
    for (let i = 0; i < 1_000; i++) tokens.set(`token ${i}`, { accounts: ids });
    assert.ok(tokens.statistics.bytes <= 100_000 && tokens.statistics.entries > 1);
  });

  test('never exceeds its memory, and always holds the newest value', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 12 }))), (steps) => {
        const cache = new ValueCache(10);
        const sizes = new Map<string, number>();
        for (const [key, bytes] of steps) {
          cache.set(String(key), page, bytes);
          sizes.set(String(key), bytes);
          const cached = [...sizes].filter(([one]) => cache.find(one) !== undefined);
          assert.ok(cached.reduce((sum, [, size]) => sum + size, 0) <= 10);
          assert.equal(cache.find(String(key)) !== undefined, bytes <= 10);
        }
      }),
    );
  });
});
