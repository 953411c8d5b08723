// The rate limit over one process and over several.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Counts, secondsOf, WindowCounts } from './window.ts';

/** Processes that receive immediately what any of them publishes. */
function joined(processes: number, limit = 600): WindowCounts[] {
  const subscribers: ((counts: Counts) => void)[] = [];
  return Array.from({ length: processes }, (_, self) => {
    const publish = (counts: Counts) => {
      for (const [other, onCounts] of subscribers.entries()) if (other !== self) onCounts(counts);
    };
    const subscribe = (onCounts: (counts: Counts) => void) => void subscribers.push(onCounts);
    return new WindowCounts(limit, { processes, publish, subscribe });
  });
}

test('one process allows exactly the limit', () => {
  const counts = new WindowCounts(3);
  const counted = Array.from({ length: 5 }, () => counts.count('a').count);
  assert.deepEqual(counted, [1, 2, 3, 4, 5]);
  assert.equal(counts.count('b').count, 1);
  assert.ok(counts.count('b').leftMs <= 60_000);
});

test('several processes together allow at most 5% more than the limit', () => {
  const some = fc.record({
    limit: fc.integer({ min: 1, max: 700 }),
    /** Whether it is one of the key's own. */
    isOwn: fc.boolean(),
    processes: fc.integer({ min: 2, max: 5 }),
    requests: fc.array(fc.nat(4), { minLength: 1, maxLength: 1_000 }),
  });
  fc.assert(
    fc.property(some, ({ limit, isOwn, processes, requests }) => {
      const counts = joined(processes, isOwn ? undefined : limit);
      let allowed = 0;
      for (const process of requests) {
        const { count } = counts[process % processes]?.count('a', isOwn ? limit : undefined) ?? assert.fail();
        if (count <= limit) allowed += 1;
        else assert.ok(allowed >= limit, `refused after ${allowed} of ${limit}`);
      }
      assert.ok(allowed <= limit * 1.05, `${allowed} of ${limit}`);
    }),
    { numRuns: 500 },
  );
});

test('a process that starts later receives earlier counts, except of minutes that have ended', () => {
  let now = 3_600_000;
  const clock = () => now;
  const first = new WindowCounts(100, undefined, clock);
  for (let i = 0; i < 100; i++) first.count('a');
  const later = new WindowCounts(100, undefined, clock);
  later.add(first.all());
  assert.equal(later.count('a').count, 101);
  later.add([['b', now - 60_000, 100]]);
  assert.equal(later.count('b').count, 1);
  now += 59_999;
  assert.deepEqual(later.count('a'), { count: 102, leftMs: 1 });
  now += 1;
  assert.deepEqual(later.count('a'), { count: 1, leftMs: 60_000 });
});

test('a minute does not depend on changes of the system clock', (context) => {
  const counts = new WindowCounts(3);
  for (let i = 0; i < 3; i++) counts.count('a');
  for (const hours of [-1, 24, -48]) {
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() + hours * 3_600_000 });
    const { count, leftMs } = counts.count('a');
    assert.ok(count > 3 && leftMs > 0 && leftMs <= 60_000, `${count}, ${leftMs} ms left`);
    context.mock.timers.reset();
  }
});

test('a window never has more than a minute left, whatever the fractions of its beginning', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e10, noNaN: true }),
      fc.double({ min: 0, max: 59_999, noNaN: true }),
      (began, passed) => {
        let now = began;
        const counts = new WindowCounts(3, undefined, () => now);
        assert.equal(secondsOf(counts.count('a').leftMs), 60);
        now += passed;
        const { leftMs } = counts.count('a');
        assert.ok(leftMs > 0 && secondsOf(leftMs) <= 60, `${leftMs} ms left`);
      },
    ),
    { numRuns: 1_000 },
  );
});
