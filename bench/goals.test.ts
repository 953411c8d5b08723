// The goals of the bench.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judge, type Measured, type Statistics } from './goals.ts';
import { jobsTable, verdictText } from './table.ts';

const statistics = (rate: number, failed = 0): Statistics => ({
  rate,
  p50: 1,
  p99: 2,
  processor: 1e6 / rate,
  failed,
});

function measured(statistics_of: Record<string, Record<string, Statistics>>): Measured {
  return new Map(
    Object.entries(statistics_of).map(([job, byName]) => [job, new Map(Object.entries(byName))]),
  );
}

const PEERS = ['one', 'other'];
const GOOD = measured({
  J1: {
    linecard: statistics(40_000),
    'linecard-installed': statistics(80_000),
    bare: statistics(50_000),
    'bare-cached': statistics(110_000),
    one: statistics(2_000),
    other: statistics(4_000),
  },
  J3: { linecard: statistics(1_000), one: statistics(100), other: statistics(90) },
});

describe('the goals of the bench', () => {
  const goalsOf = (all: Measured, store: 'embedded' | 'postgres' = 'embedded') =>
    new Map(judge(all, store, PEERS).map((verdict) => [verdict.what, verdict]));

  test('are met if a ratio is reached, and missed otherwise', () => {
    const goals = goalsOf(GOOD);
    assert.equal(goals.get('J1, of bare')?.met, true);
    assert.equal(goals.get('J1 as installed, of bare-cached')?.met, true);
    assert.equal(goals.get('J3, times the best peer')?.met, false);
  });

  test('compare with the best peer', () => {
    assert.equal(goalsOf(GOOD).get('J1, times the best peer')?.measured, '10.0');
    assert.equal(goalsOf(GOOD).get('J3, times the best peer')?.measured, '10.0');
  });

  test('on PostgreSQL are lower for the best peer, and do not include the bare service', () => {
    const goals = goalsOf(GOOD, 'postgres');
    assert.equal(goals.get('J1 on PostgreSQL, times the best peer')?.met, true);
    assert.equal(goals.has('J1, of bare'), false);
  });

  test('are missed if a request failed', () => {
    const byName = Object.fromEntries(GOOD.get('J1') ?? []);
    const J1 = { ...byName, linecard: statistics(90_000, 1) };
    assert.equal(goalsOf(measured({ J1 })).get('J1, of bare')?.met, false);
    assert.match(jobsTable(measured({ J1 }), PEERS), /1 FAILED/);
  });

  test('are left out if they were not measured', () => {
    assert.deepEqual(judge(measured({ J1: { linecard: statistics(1) } }), 'embedded', PEERS), []);
  });

  test('have no column for peers if there are none', () => {
    assert.match(jobsTable(GOOD, PEERS), /of best peer/);
    assert.doesNotMatch(jobsTable(GOOD, []), /of best peer/);
  });

  test('that are missed are listed at the end', () => {
    const text = verdictText(judge(GOOD, 'embedded', PEERS));
    assert.match(text, /Missed goals:\n\n- J3, times the best peer: 10\.0, goal at least 20$/);
    assert.match(verdictText([]), /All goals are met\.$/);
  });
});
