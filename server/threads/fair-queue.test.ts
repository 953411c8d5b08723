// Whoever asks for a thousand things does not hold up who asks for one.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FairQueue } from './fair-queue.ts';

function takeAll(queue: FairQueue<string>): string[] {
  const taken = [];
  for (let one = queue.take(); one !== undefined; one = queue.take()) taken.push(one);
  return taken;
}

describe('what waits', () => {
  test('goes in turn of those who ask, and of each in the order of coming', () => {
    const queue = new FairQueue<string>();
    for (const one of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) queue.push(one.charAt(0), one);
    assert.deepEqual(takeAll(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
    assert.equal(queue.take(), undefined);
  });

  test('comes behind those who have waited since before, also who had his turn just now', () => {
    const queue = new FairQueue<string>();
    for (const one of ['a1', 'a2', 'b1']) queue.push(one.charAt(0), one);
    assert.equal(queue.take(), 'a1');
    queue.push('a', 'a3');
    queue.push('c', 'c1');
    assert.deepEqual(takeAll(queue), ['b1', 'a2', 'c1', 'a3']);
  });
});
