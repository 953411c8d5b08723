// Which replica is read from next: round robin among the healthy ones, the same for all threads.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ReplicaHealth } from './health.ts';

const several = (count: number) => new Int32Array(new SharedArrayBuffer(4 * count));

describe('the health of replicas', () => {
  test('those that are healthy are taken round robin, and none where none is', () => {
    const health = new ReplicaHealth(several(3));
    assert.equal(health.next(), undefined);
    for (const position of [0, 1, 2]) health.set(position, position !== 1);
    assert.deepEqual(
      Array.from({ length: 4 }, () => health.next()),
      [2, 0, 2, 0],
    );
    health.set(0, false);
    assert.deepEqual([health.next(), health.next()], [2, 2]);
  });

  test('a suspect one is read from by no thread before its next check', () => {
    const shared = several(1);
    const [here, elsewhere] = [new ReplicaHealth(shared), new ReplicaHealth(shared)];
    here.set(0, true);
    assert.equal(elsewhere.next(), 0);
    elsewhere.suspect(0);
    assert.equal(here.next(), undefined);
    here.set(0, true);
    assert.equal(elsewhere.next(), 0);
  });

  test('one that is out of rotation does not come back by being suspect', () => {
    const health = new ReplicaHealth(several(1));
    health.suspect(0);
    assert.equal(health.next(), undefined);
  });
});
