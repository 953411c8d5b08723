// The goals of the bench.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judge, type Measured, PEER, type Statistics } from './goals.ts';
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

const GOOD = measured({
  J1: {
    linecard: statistics(40_000),
    'linecard-installed': statistics(80_000),
    bare: statistics(50_000),
    'bare-cached': statistics(110_000),
    [PEER]: statistics(4_000),
  },
  J3: { linecard: statistics(1_000), [PEER]: statistics(100) },
});

describe('the goals of the bench', () => {
  const goalsOf = (all: Measured, store: 'embedded' | 'postgres' = 'embedded') =>
    new Map(judge(all, store).map((verdict) => [verdict.what, verdict]));

  test('are met if a ratio is reached, and missed otherwise', () => {
    const goals = goalsOf(GOOD);
    assert.equal(goals.get('J1, of bare')?.met, true);
    assert.equal(goals.get('J1 as installed, of bare-cached')?.met, true);
    assert.equal(goals.get('J3, times the peer')?.met, false);
  });

  test('compare with the peer', () => {
    assert.equal(goalsOf(GOOD).get('J1, times the peer')?.measured, '10.0');
    assert.equal(goalsOf(GOOD).get('J3, times the peer')?.measured, '10.0');
  });

  test('on PostgreSQL are lower for the peer, and do not include the bare service', () => {
    const goals = goalsOf(GOOD, 'postgres');
    assert.equal(goals.get('J1 on PostgreSQL, times the peer')?.met, true);
    assert.equal(goals.has('J1, of bare'), false);
  });

  test('are missed if a request failed', () => {
    const byName = Object.fromEntries(GOOD.get('J1') ?? []);
    const J1 = { ...byName, linecard: statistics(90_000, 1) };
    assert.equal(goalsOf(measured({ J1 })).get('J1, of bare')?.met, false);
    assert.match(jobsTable(measured({ J1 })), /1 FAILED/);
  });

  test('are left out if they were not measured', () => {
    assert.deepEqual(judge(measured({ J1: { linecard: statistics(1) } }), 'embedded'), []);
  });

  test('have no column for the peer if it was not measured', () => {
    assert.match(jobsTable(GOOD), /of the peer/);
    assert.doesNotMatch(jobsTable(measured({ J1: { linecard: statistics(1) } })), /of the peer/);
  });

  test('that are missed are listed at the end', () => {
    const text = verdictText(judge(GOOD, 'embedded'));
    assert.match(text, /Missed goals:\n\n- J3, times the peer: 10\.0, goal at least 20$/);
    assert.match(verdictText([]), /All goals are met\.$/);
  });
});
