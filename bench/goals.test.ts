// What the bench says of its figures.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Figures, judge, type Measured } from './goals.ts';
import { jobsTable, verdictText } from './table.ts';

const figures = (rate: number, failed = 0): Figures => ({
  rate,
  p50: 1,
  p99: 2,
  processor: 1e6 / rate,
  failed,
});

function measured(figures_of: Record<string, Record<string, Figures>>): Measured {
  return new Map(Object.entries(figures_of).map(([job, byName]) => [job, new Map(Object.entries(byName))]));
}

const PEERS = ['one', 'other'];
const GOOD = measured({
  J1: {
    linecard: figures(40_000),
    'linecard-installed': figures(80_000),
    bare: figures(50_000),
    'bare-cached': figures(110_000),
    one: figures(2_000),
    other: figures(4_000),
  },
  J3: { linecard: figures(1_000), one: figures(100), other: figures(90) },
});

describe('the goals of the bench', () => {
  const goalsOf = (all: Measured, store: 'embedded' | 'postgres' = 'embedded') =>
    new Map(judge(all, store, PEERS).map((verdict) => [verdict.what, verdict]));

  test('what reaches its share of the bare service is met, and what does not is missed', () => {
    const goals = goalsOf(GOOD);
    assert.equal(goals.get('J1, of bare')?.met, true);
    assert.equal(goals.get('J1 as installed, of bare-cached')?.met, true);
    assert.equal(goals.get('J3, times the best peer')?.met, false);
  });

  test('the best of the peers counts, not the other', () => {
    assert.equal(goalsOf(GOOD).get('J1, times the best peer')?.measured, '10.0');
    assert.equal(goalsOf(GOOD).get('J3, times the best peer')?.measured, '10.0');
  });

  test('on PostgreSQL three times the best peer is enough, and no share of the bare service is wanted', () => {
    const goals = goalsOf(GOOD, 'postgres');
    assert.equal(goals.get('J1 on PostgreSQL, times the best peer')?.met, true);
    assert.equal(goals.has('J1, of bare'), false);
  });

  test('an answer that failed is no success, however fast', () => {
    const byName = Object.fromEntries(GOOD.get('J1') ?? []);
    const J1 = { ...byName, linecard: figures(90_000, 1) };
    assert.equal(goalsOf(measured({ J1 })).get('J1, of bare')?.met, false);
    assert.match(jobsTable(measured({ J1 }), PEERS), /1 FAILED/);
  });

  test('what was not measured is not judged', () => {
    assert.deepEqual(judge(measured({ J1: { linecard: figures(1) } }), 'embedded', PEERS), []);
  });

  test('without peers there is no column for them', () => {
    assert.match(jobsTable(GOOD, PEERS), /of best peer/);
    assert.doesNotMatch(jobsTable(GOOD, []), /of best peer/);
  });

  test('what falls short is named at the end', () => {
    const text = verdictText(judge(GOOD, 'embedded', PEERS));
    assert.match(text, /What falls short:\n\n- J3, times the best peer: 10\.0, wanted at least 20$/);
    assert.match(verdictText([]), /Nothing falls short\.$/);
  });
});
