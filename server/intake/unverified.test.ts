// Signed deliveries on their way: how many there may be and how large, of an address and of all.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '@linecard/client/contract/problems';
import { UnverifiedDeliveries } from './unverified.ts';

const MAX_BYTES = 1_000;
const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;
const [ofAddress, ofAll] = [refused('rate-limited'), refused('unavailable')];

/** The number of addresses that reach the total, each with its maximum of deliveries. */
function full(deliveries: UnverifiedDeliveries, addresses: number) {
  return Array.from({ length: addresses * 8 }, (_, i) => deliveries.begin(`10.0.0.${i % addresses}`));
}

test('eight of an address and 32 of all are on their way, until one ends', () => {
  const deliveries = new UnverifiedDeliveries(MAX_BYTES);
  const [first] = full(deliveries, 1);
  assert.throws(() => deliveries.begin('10.0.0.0'), ofAddress);
  first?.end();
  // May be called again.
  first?.end();
  deliveries.begin('10.0.0.0');
  assert.throws(() => deliveries.begin('10.0.0.0'), ofAddress);

  const others = new UnverifiedDeliveries(MAX_BYTES);
  const [one] = full(others, 4);
  assert.throws(() => others.begin('10.0.0.9'), ofAll);
  one?.end();
  others.begin('10.0.0.9');
});

test('those of an address are as large as one body may be, and those of all as large as four', () => {
  const deliveries = new UnverifiedDeliveries(MAX_BYTES);
  const [a, b] = [deliveries.begin('10.0.0.1'), deliveries.begin('10.0.0.1')];
  a.count(MAX_BYTES - 1);
  b.count(1);
  assert.throws(() => b.count(1), ofAddress);
  a.end();
  b.count(MAX_BYTES - 1);
  for (const i of [2, 3, 4]) deliveries.begin(`10.0.0.${i}`).count(MAX_BYTES);
  assert.throws(() => deliveries.begin('10.0.0.5').count(1), ofAll);
});
