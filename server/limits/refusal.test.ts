// How limits are described to callers and in the documentation.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Problem } from '@linecard/client/contract/problems';
import { intakeLimits } from './intake-limits.ts';
import { type Limit, limits, onThisMachine } from './limits.ts';
import { limitOf, referenceRows, refusal, rowOf } from './refusal.ts';

const everyLimit: readonly (readonly [name: string, limit: Limit])[] = Object.entries<Limit>({
  ...limits,
  ...intakeLimits,
});

const SENTENCES = [
  [
    refusal(limits.exports, 'each'),
    429,
    'This account already has 4 exports running, which is the maximum. Try again when one has ended, such as in 5 seconds.',
  ],
  [
    refusal(limits.connections, 'total'),
    503,
    'The service already has 4,000 connections open, which is the maximum. Use those, or try again in 5 seconds.',
  ],
  [
    refusal(limits.bodies, 'each'),
    429,
    'This account would have more than 8 MiB of request bodies in flight, which is the maximum. Try again in 2 seconds.',
  ],
  [
    refusal(limits.bodies, 'share'),
    429,
    'This token would have more than 16 MiB of request bodies in flight, a quarter of what all share. Try again in 2 seconds.',
  ],
  [
    refusal(intakeLimits.requests, 'share'),
    429,
    'This token already has 16 requests in flight, a quarter of what all share. Try again when one has ended, such as in 5 seconds.',
  ],
  [
    refusal({ ...limits.requests, each: 3 }, 'each', 17),
    429,
    'This token is limited to 3 requests per minute. Try again in 17 seconds.',
  ],
  [
    refusal({ ...limits.requests, each: 3 }, 'each', 1),
    429,
    'This token is limited to 3 requests per minute. Try again in 1 second.',
  ],
] as const;

describe('a limit', () => {
  for (const [problem, status, sentence] of SENTENCES) {
    test(`is refused with ${status}: ${sentence}`, () => {
      assert.deepEqual([problem.status, problem.message], [status, sentence]);
      assert.match(sentence, new RegExp(`in ${problem.headers['retry-after']} seconds?\\.$`));
    });
  }

  test('names the key of each maximum and what happens beyond it', () => {
    for (const [name, limit] of everyLimit) {
      const { each, total, beyondEach, beyondTotal } = rowOf(limit);
      assert.ok(limit.each !== undefined || limit.total !== undefined, name);
      assert.equal(limit.each === undefined, limit.key === undefined, name);
      assert.deepEqual([beyondEach === '', beyondTotal === ''], [each === '', total === ''], name);
      assert.equal(/ per token/.test(each), limit.key === 'token' || limit.isShared === true, name);
      assert.equal(each.includes('undefined'), false, name);
    }
  });

  test('has a total no smaller than its maximum per key, whatever the memory of the machine', () => {
    for (const [name, limit] of everyLimit) {
      const { each = 0, total = Number.POSITIVE_INFINITY } = onThisMachine(limit);
      assert.ok(total >= each, name);
    }
  });
});

test('a deployment without a rate limit does not list one', () => {
  const names = (rateLimit: number) => referenceRows(rateLimit).map(([what]) => what);
  assert.deepEqual(names(0), names(600).slice(1));
  assert.equal(referenceRows(30)[0]?.[1], '30 per token');
});

test('a refusal is known by its limit in the log, whatever a setting makes of the limit', () => {
  assert.equal(limitOf(refusal({ ...limits.requests, each: 3 }, 'each')), 'limit_requests');
  for (const [, limit] of everyLimit)
    assert.match(String(limitOf(refusal({ ...limit, each: 1, total: 1 }, 'each'))), /^limit_[a-z_]+$/);
  assert.equal(limitOf(new Problem('not-found', '')), undefined);
});
