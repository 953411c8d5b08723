// What waits for the flush of a batch is resolved in the order of coming, whether the batch becomes full or
// not.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { nextFlush, sendOnFlush } from './flush.ts';

describe('answers of one turn of the event loop', () => {
  for (const many of [1, 2, 7, 8, 9, 40]) {
    test(`are all flushed, in their order, before the next turn, be they ${many}`, async () => {
      const flushed: number[] = [];
      const waits = Array.from({ length: many }, async (_, i) => {
        await nextFlush();
        flushed.push(i);
      });
      await setImmediate();
      assert.deepEqual(flushed, [...waits.keys()]);
    });
  }

  test('are sent though one of them cannot be, which is answered with why', async () => {
    const sent: unknown[] = [];
    const reply = { send: (error: unknown) => sent.push(error) } as unknown as FastifyReply;
    const fault = new Error('A header has a character that none may have.');
    sendOnFlush(reply, () => sent.push('first'));
    sendOnFlush(reply, () => {
      throw fault;
    });
    sendOnFlush(reply, () => sent.push('last'));
    assert.deepEqual(sent, []);
    await setImmediate();
    assert.deepEqual(sent, ['first', fault, 'last']);
  });
});
