// Which replica is read from next: round robin among the healthy ones, the same for all threads; and replica
// lag by positions in the log, whatever the hour.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PrimaryLog, ReplicaHealth } from './health.ts';

const LAG_MS = 1_000;
const PAGE = 8_192;

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

describe('a replica lags', () => {
  test('that has not replayed what was written so long ago, and none by what was written since', () => {
    const log = new PrimaryLog(LAG_MS);
    log.add(100, 0);
    log.add(300, 900);
    assert.equal(log.missingBytes(100, 899), 0);
    assert.equal(log.missingBytes(99, 0), 1);
    assert.equal(log.missingBytes(100, 900), 200);
    assert.equal(log.missingBytes(0, -1), 0);
  });

  test('never by time alone, however long nothing is written', () => {
    const log = new PrimaryLog(LAG_MS);
    for (let at = 0; at < 3_600_000; at += 250) {
      log.add(100, at);
      assert.equal(log.missingBytes(100, at), 0);
    }
  });

  test('that stands still while others write', () => {
    const log = new PrimaryLog(LAG_MS);
    for (let at = 0; at <= 10_000; at += 250) log.add(1 + at, at);
    assert.equal(log.missingBytes(0, 10_000 - LAG_MS), 9_001);
    assert.equal(log.missingBytes(9_001, 10_000 - LAG_MS), 0);
  });

  test('not by a record of which only the part up to the end of a page is written', () => {
    const log = new PrimaryLog(LAG_MS);
    log.add(3 * PAGE, 0);
    assert.equal(log.missingBytes(3 * PAGE - 56, 0), 0);
    assert.equal(log.missingBytes(2 * PAGE - 1, 0), PAGE + 1);
    log.add(3 * PAGE + 40, 500);
    assert.equal(log.missingBytes(3 * PAGE - 56, 500), 96);
  });

  test('not by what was lost with a server that another took over from', () => {
    const log = new PrimaryLog(LAG_MS);
    log.add(5_000, 0);
    log.add(4_000, 250);
    assert.equal(log.missingBytes(4_000, 250), 0);
    assert.equal(log.missingBytes(3_999, 250), 1);
  });
});
