// What a semaphore grants, refuses and releases.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Limit, limits } from './limits.ts';
import { Semaphore } from './semaphore.ts';

const semaphoreOf = (maxima: Pick<Limit, 'each' | 'total'>) =>
  new Semaphore({ ...limits.exports, ...maxima });

test('grants at most `each` per key and `total` in all', () => {
  const semaphore = semaphoreOf({ each: 2, total: 3 });
  const first = semaphore.take('a');
  assert.ok(first && semaphore.take('a'));
  assert.equal(semaphore.take('a'), undefined, 'a third of one');
  assert.ok(semaphore.take('b'));
  assert.equal(semaphore.take('c'), undefined, 'a fourth in all');
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => semaphore.exceeded(key)),
    ['each', 'total', 'total'],
  );
  assert.deepEqual([semaphore.inUse, semaphore.refused], [3, { each: 1, share: 0, total: 1 }]);
  first();
  first();
  assert.ok(semaphore.take('c'));
  assert.equal(semaphore.take('a'), undefined, 'all are taken again');
});

test('adds up weights, per key and in all', () => {
  const semaphore = semaphoreOf({ each: 10, total: 25 });
  const first = semaphore.take('a', 6);
  assert.equal(semaphore.take('a', 5), undefined);
  assert.ok(semaphore.take('a', 4));
  assert.ok(semaphore.take('b', 10));
  assert.equal(semaphore.exceeded('c', 6), 'total');
  assert.ok(semaphore.take('c', 5));
  first?.();
  first?.();
  assert.equal(semaphore.inUse, 19);
});

test('grants a token a quarter of what all share, whatever accounts it reads', () => {
  const semaphore = semaphoreOf({ each: 2, total: 16 });
  const releases = ['a', 'b', 'c', 'd'].map((account) => semaphore.take(account, 1, 'tree'));
  assert.ok(releases.every((release) => release !== undefined));
  assert.equal(semaphore.exceeded('e', 1, 'tree'), 'share');
  assert.equal(semaphore.take('e', 1, 'tree'), undefined);
  assert.deepEqual(semaphore.refused, { each: 0, share: 1, total: 0 });
  // Others are not refused, and those of the account hold what it may.
  assert.ok(semaphore.take('a', 1, 'other'));
  assert.equal(semaphore.exceeded('a', 1, 'third'), 'each');
  releases[0]?.();
  releases[0]?.();
  assert.ok(semaphore.take('e', 1, 'tree'));
  assert.equal(semaphore.exceeded('f', 1, 'tree'), 'share');
  assert.throws(
    () => semaphore.mustTake('f', 1, 'tree'),
    /This token already has 4 exports running, a quarter/,
  );
});

test('grants a weight above a maximum if nothing else is taken', () => {
  const semaphore = semaphoreOf({ each: 10, total: 25 });
  const release = semaphore.take('a', 30);
  assert.equal(semaphore.exceeded('b'), 'total');
  release?.();
  assert.ok(semaphore.take('b'));
  assert.equal(semaphore.exceeded('a', 30), 'total');
});

test('counts a weight without a key only in the total', () => {
  const semaphore = semaphoreOf({ each: 1, total: 2 });
  assert.ok(semaphore.take(undefined) && semaphore.take(undefined));
  assert.equal(semaphore.exceeded('a'), 'total');
});
