// Replica lag by positions in the log, whatever the hour.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PrimaryLog } from './lag.ts';

const LAG_MS = 1_000;
const PAGE = 8_192;

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
