// Answers of a batch are flushed in order of arrival, whether the batch becomes full or not.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { nextFlush } from './send.ts';

describe('answers of one iteration of the event loop', () => {
  for (const many of [1, 2, 7, 8, 9, 40]) {
    test(`are all flushed in order before the next iteration, if there are ${many}`, async () => {
      const flushed: number[] = [];
      const waits = Array.from({ length: many }, async (_, i) => {
        await nextFlush();
        flushed.push(i);
      });
      await setImmediate();
      assert.deepEqual(flushed, [...waits.keys()]);
    });
  }
});
