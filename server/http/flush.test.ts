// Who waits for the end of the turn goes in the order of coming, and never waits for anybody who does not come.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { turnEnd } from './flush.ts';

describe('answers of one turn of the event loop', () => {
  for (const many of [1, 2, 7, 8, 9, 40]) {
    test(`leave all, in their order, before the next turn, be they ${many}`, async () => {
      const gone: number[] = [];
      const waits = Array.from({ length: many }, async (_, i) => {
        await turnEnd();
        gone.push(i);
      });
      await setImmediate();
      assert.deepEqual(gone, [...waits.keys()]);
    });
  }
});
