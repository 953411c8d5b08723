// When the bytes held for clients are released.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { limits } from '../limits/limits.ts';
import { Semaphore } from '../limits/semaphore.ts';
import { holdBytes } from './held-bytes.ts';

/** A partial ServerResponse. */
const answerOf = (destroyed = false) =>
  Object.assign(new EventEmitter(), { destroyed }) as unknown as ServerResponse;
const semaphoreOf = () => new Semaphore({ ...limits.bodies, each: 10, total: 25 });

test('bytes are released once, when the answer is sent or its client has disconnected', () => {
  const semaphore = semaphoreOf();
  const [sent, left] = [answerOf(), answerOf()];
  holdBytes(semaphore, { owner: 'a' }, 5, sent);
  holdBytes(semaphore, { owner: 'a' }, 5, left);
  sent.emit('finish');
  sent.emit('close');
  assert.throws(() => holdBytes(semaphore, { owner: 'a' }, 6, answerOf()), { code: 'rate-limited' });
  left.emit('close');
  holdBytes(semaphore, { owner: 'a' }, 10, answerOf());
});

test('an answer whose client has already disconnected holds nothing', () => {
  const semaphore = semaphoreOf();
  holdBytes(semaphore, { owner: 'a' }, 10, answerOf(true));
  holdBytes(semaphore, { owner: 'a' }, 10, answerOf());
});
