// Answers of a batch are flushed in order of arrival, whether the batch becomes full or not.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { nextFlush, sendOnFlush } from './flush.ts';

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

  test('are sent even if one of them fails, which is answered with its error', async () => {
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
