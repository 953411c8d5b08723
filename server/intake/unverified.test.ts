// Signed deliveries in flight: how many there may be and how large, of an address and of all, and that the
// oldest makes room for another.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '@linecard/client/contract/problems';
import { intakeLimits } from '../limits/intake-limits.ts';
import { UnverifiedDeliveries, type UnverifiedDelivery } from './unverified.ts';

const { each, total } = intakeLimits.unverified;
const bytes = { ...intakeLimits.unverifiedBytes, each: 1_000, total: 4_000 };
const make = () => new UnverifiedDeliveries({ ...intakeLimits, unverifiedBytes: bytes });

/** What each was refused with; empty where it is in flight. */
const codes = (deliveries: readonly UnverifiedDelivery[]) =>
  deliveries.map(({ signal }) => (signal.reason instanceof Problem ? signal.reason.code : ''));
const none = (count: number) => Array<string>(count).fill('');

test('eight of an address and 32 of all are in flight, and the oldest makes room for one more', () => {
  const deliveries = make();
  const own = Array.from({ length: each }, () => deliveries.begin('10.0.0.1'));
  assert.deepEqual(codes(own), none(each));
  own.push(deliveries.begin('10.0.0.1'));
  assert.deepEqual(codes(own), ['rate-limited', ...none(each)]);
  own[1]?.end();
  // May be called again.
  own[1]?.end();
  own.push(deliveries.begin('10.0.0.1'));
  assert.deepEqual(codes(own), ['rate-limited', ...none(each + 1)]);

  const others = make();
  const all = Array.from({ length: total + 1 }, (_, i) => others.begin(`10.0.0.${i % (total / each + 1)}`));
  assert.deepEqual(codes(all), ['unavailable', ...none(total)]);
});

test('their bytes are limited, and the oldest that has any makes room for more', () => {
  const deliveries = make();
  const [empty, old, late] = ['a', 'a', 'a'].map((address) => deliveries.begin(address));
  old?.count(600);
  late?.count(400);
  assert.deepEqual(codes([empty, old, late] as UnverifiedDelivery[]), none(3));
  late?.count(1);
  assert.deepEqual(codes([empty, old, late] as UnverifiedDelivery[]), ['', 'rate-limited', '']);
  const others = ['b', 'c', 'd', 'e'].map((address) => deliveries.begin(address));
  for (const one of others) one.count(1_000);
  assert.deepEqual(codes([late, ...others] as UnverifiedDelivery[]), ['unavailable', ...none(4)]);
});
