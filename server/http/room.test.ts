// Room: what gets it, what is refused, and when it is free again.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { Room } from './room.ts';

/** An answer, as far as room needs one. */
const answerOf = (destroyed = false) =>
  Object.assign(new EventEmitter(), { destroyed }) as unknown as ServerResponse;
const roomOf = () => new Room({ ofOwner: 10, inAll: 25, things: 'bytes' });

test('an owner gets its part, and all together what there is', () => {
  const room = roomOf();
  room.take('a', 6, answerOf());
  assert.throws(() => room.take('a', 5, answerOf()), {
    code: 'rate-limited',
    headers: { 'retry-after': '2' },
  });
  room.take('a', 4, answerOf());
  room.take('b', 10, answerOf());
  assert.throws(() => room.take('c', 6, answerOf()), {
    code: 'unavailable',
    headers: { 'retry-after': '2' },
  });
  room.take('c', 5, answerOf());
});

test('one that takes more than there is gets it where no other has any', () => {
  const room = roomOf();
  const answer = answerOf();
  room.take('a', 30, answer);
  assert.throws(() => room.take('b', 1, answerOf()), { code: 'unavailable' });
  answer.emit('close');
  room.take('b', 1, answerOf());
  assert.throws(() => room.take('a', 30, answerOf()), { code: 'unavailable' });
});

test('what was taken is free once, when the answer is sent or its client has left', () => {
  const room = roomOf();
  const [sent, left] = [answerOf(), answerOf()];
  room.take('a', 5, sent);
  room.take('a', 5, left);
  sent.emit('finish');
  sent.emit('close');
  assert.throws(() => room.take('a', 6, answerOf()), { code: 'rate-limited' });
  left.emit('close');
  room.take('a', 10, answerOf());
});

test('an answer whose client has left before takes none', () => {
  const room = roomOf();
  room.take('a', 10, answerOf(true));
  room.take('a', 10, answerOf());
});
