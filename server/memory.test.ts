import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scaledToMemory } from './memory.ts';

const MIB = 1_048_576;

test('an amount is unchanged from 1 GiB of memory on, and scaled down below it, but never to 0', () => {
  const amountsOf = (mib: readonly number[]) => mib.map((one) => scaledToMemory(64, one * MIB));
  assert.deepEqual(amountsOf([65_536, 1_024, 688, 512, 320, 64]), [64, 64, 32, 15, 4, 4]);
});
