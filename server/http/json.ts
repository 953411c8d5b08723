// Answers with JSON about an account that is no page: 304 (Not Modified) where the client has it already, and
// later where the client prefers to wait for another.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { CACHE_CONTROL, JSON_UTF_8, sendNotModified } from './answer-headers.ts';
import { nextFlush } from './flush.ts';
import { type Waited, waitForChange } from './waiting.ts';

/** What is answered, at a revision of the account. */
export interface JsonAnswer extends Waited {
  readonly body: string;
}

/** @param read works it out for `request.caller`, which is another after a wait. */
export async function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  read: () => Promise<JsonAnswer>,
): Promise<FastifyReply> {
  reply.header('cache-control', CACHE_CONTROL);
  let answer = await read();
  if (await waitForChange(request, reply, answer)) answer = await read();
  const { etag, body } = answer;
  await nextFlush();
  if (sendNotModified(request, reply, etag)) return reply;
  return reply.header('etag', etag).header('content-type', JSON_UTF_8).send(body);
}
