// Which replica is asked next, and which is late: by positions in the log, whatever the hour.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SeenLog, Standing } from './replica-watch.ts';

const LAG_MS = 1_000;
const PAGE = 8_192;

describe('how replicas stand', () => {
  function several(count: number) {
    const standing = new Int32Array(new SharedArrayBuffer(4 * count));
    return { urls: [], lag_ms: LAG_MS, standing };
  }

  test('those that are well are asked in turn, and nobody where none is', () => {
    const standing = new Standing(several(3));
    assert.equal(standing.next(), undefined);
    for (const place of [0, 1, 2]) standing.set(place, place !== 1);
    assert.deepEqual(
      Array.from({ length: 4 }, () => standing.next()),
      [2, 0, 2, 0],
    );
    standing.set(0, false);
    assert.deepEqual([standing.next(), standing.next()], [2, 2]);
  });

  test('one that failed somebody is asked by no thread before it was looked at', () => {
    const replicas = several(1);
    const [here, elsewhere] = [new Standing(replicas), new Standing(replicas)];
    here.set(0, true);
    assert.equal(elsewhere.next(), 0);
    elsewhere.doubt(0);
    assert.equal(here.next(), undefined);
    here.set(0, true);
    assert.equal(elsewhere.next(), 0);
  });

  test('a doubt does not take back one that was left', () => {
    const standing = new Standing(several(1));
    standing.doubt(0);
    assert.equal(standing.next(), undefined);
  });
});

describe('who is late', () => {
  test('who has not replayed what was written so long ago, and nobody by what was written since', () => {
    const log = new SeenLog(LAG_MS);
    log.add(100, 0);
    log.add(300, 900);
    assert.equal(log.toCome(100, 899), 0);
    assert.equal(log.toCome(99, 0), 1);
    assert.equal(log.toCome(100, 900), 200);
    assert.equal(log.toCome(0, -1), 0);
  });

  test('nobody, however long nothing is written', () => {
    const log = new SeenLog(LAG_MS);
    for (let at = 0; at < 3_600_000; at += 250) {
      log.add(100, at);
      assert.equal(log.toCome(100, at), 0);
    }
  });

  test('who stands still while others write', () => {
    const log = new SeenLog(LAG_MS);
    for (let at = 0; at <= 10_000; at += 250) log.add(1 + at, at);
    assert.equal(log.toCome(0, 10_000 - LAG_MS), 9_001);
    assert.equal(log.toCome(9_001, 10_000 - LAG_MS), 0);
  });

  test('nobody by a record of which only the part up to the end of a page is written', () => {
    const log = new SeenLog(LAG_MS);
    log.add(3 * PAGE, 0);
    assert.equal(log.toCome(3 * PAGE - 56, 0), 0);
    assert.equal(log.toCome(2 * PAGE - 1, 0), PAGE + 1);
    log.add(3 * PAGE + 40, 500);
    assert.equal(log.toCome(3 * PAGE - 56, 500), 96);
  });

  test('nobody by what was lost with a server that another took over from', () => {
    const log = new SeenLog(LAG_MS);
    log.add(5_000, 0);
    log.add(4_000, 250);
    assert.equal(log.toCome(4_000, 250), 0);
    assert.equal(log.toCome(3_999, 250), 1);
  });
});
