// An account that queues a thousand tasks does not delay the single task of another.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FairQueue } from './fair-queue.ts';

function takeAll(queue: FairQueue<string>): string[] {
  const taken = [];
  for (let one = queue.take(); one !== undefined; one = queue.take()) taken.push(one);
  return taken;
}

describe('a fair queue', () => {
  test('takes accounts round robin, and the tasks of each in order of arrival', () => {
    const queue = new FairQueue<string>();
    for (const task of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) queue.push(task.charAt(0), task);
    assert.deepEqual(takeAll(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
    assert.equal(queue.take(), undefined);
  });

  test('takes an account that was just served after those that have waited longer', () => {
    const queue = new FairQueue<string>();
    for (const task of ['a1', 'a2', 'b1']) queue.push(task.charAt(0), task);
    assert.equal(queue.take(), 'a1');
    queue.push('a', 'a3');
    queue.push('c', 'c1');
    assert.deepEqual(takeAll(queue), ['b1', 'a2', 'c1', 'a3']);
  });
});
