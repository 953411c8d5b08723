// The rate limit over one process and over several.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Counts, RequestCounts } from './rate.ts';

/** So many processes, in which whatever one publishes reaches the others at once. */
function joined(limit: number, processes: number): RequestCounts[] {
  const subscribers: ((counts: Counts) => void)[] = [];
  return Array.from({ length: processes }, (_, self) => {
    const publish = (counts: Counts) => {
      for (const [other, onCounts] of subscribers.entries()) if (other !== self) onCounts(counts);
    };
    const subscribe = (onCounts: (counts: Counts) => void) => void subscribers.push(onCounts);
    return new RequestCounts(limit, { processes, publish, subscribe });
  });
}

test('one process counts to the limit and no further', () => {
  const counts = new RequestCounts(3);
  const counted = Array.from({ length: 5 }, () => counts.count('a').count);
  assert.deepEqual(counted, [1, 2, 3, 4, 5]);
  assert.equal(counts.count('b').count, 1);
  assert.ok(counts.count('b').leftMs <= 60_000);
});

test('several processes together allow the limit, and a twentieth more at the most', () => {
  const some = fc.record({
    limit: fc.integer({ min: 1, max: 700 }),
    processes: fc.integer({ min: 2, max: 5 }),
    requests: fc.array(fc.nat(4), { minLength: 1, maxLength: 1_000 }),
  });
  fc.assert(
    fc.property(some, ({ limit, processes, requests }) => {
      const counts = joined(limit, processes);
      let allowed = 0;
      for (const process of requests) {
        const { count } = counts[process % processes]?.count('a') ?? assert.fail();
        if (count <= limit) allowed += 1;
        else assert.ok(allowed >= limit, `refused after ${allowed} of ${limit}`);
      }
      assert.ok(allowed <= limit * 1.05, `${allowed} of ${limit}`);
    }),
    { numRuns: 500 },
  );
});

test('a process that starts later learns what was counted before, and a minute that is over is not counted', () => {
  const [first] = joined(100, 1);
  for (let i = 0; i < 100; i++) first?.count('a');
  const later = new RequestCounts(100);
  later.add(first?.all() ?? []);
  assert.equal(later.count('a').count, 101);
  later.add([['b', Date.now() - 60_000, 100]]);
  assert.equal(later.count('b').count, 1);
});
