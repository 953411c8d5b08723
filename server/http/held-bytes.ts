// The memory that clients hold: bodies that arrive, until their requests are answered, and large answers,
// until they are read. A client that asks for many pages and reads none would have all of them held for it.
// Files are streamed, and are not counted.

import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import { limits, onThisMachine } from '../limits/limits.ts';
import { Semaphore } from '../limits/semaphore.ts';

declare module 'fastify' {
  interface FastifyInstance {
    heldBodies: Semaphore;
    heldAnswers: Semaphore;
  }
}

/** A smaller answer is not counted: there are no more of them than connections. */
const LARGE_CHARACTERS = 16_384;
/** Headers of an answer that the problem sent in its place does not have. */
const HEADERS_OF_AN_ANSWER = ['etag', 'link', 'next-cursor'] as const;

/**
 * Holds bytes until an answer is sent or its client has left.
 * @throws {Problem} where too many are held, for the owner or for all.
 */
export function holdBytes(semaphore: Semaphore, owner: string, bytes: number, answer: ServerResponse): void {
  // Its client has left, and its end has been announced.
  if (answer.destroyed) return;
  const release = semaphore.mustTake(owner, bytes);
  // Before the next answer on the connection begins, for which Node makes way at the same event.
  answer.prependOnceListener('finish', release);
  answer.once('close', release);
}

/** How many bytes a body may become, as far as its headers say. */
function announcedBytes({ headers }: FastifyRequest): number {
  const length = headers['content-length'];
  const isChunked = headers['transfer-encoding'] !== undefined;
  if (length === undefined) return isChunked ? limits.body.each : 0;
  return Math.min(Number(length), limits.body.each);
}

/** The hook of a route that takes bodies. */
export const holdBody: preParsingHookHandler = (request, reply, _body, done) => {
  const bytes = announcedBytes(request);
  if (bytes > 0) holdBytes(request.server.heldBodies, request.caller.account_id, bytes, reply.raw);
  done();
};

/** Limits the memory that clients hold; `holdBody` is for the routes. */
export function limitHeldBytes(app: FastifyInstance): void {
  const answers = new Semaphore(onThisMachine(limits.answers));
  app.decorate('heldBodies', new Semaphore(onThisMachine(limits.bodies)));
  app.decorate('heldAnswers', answers);
  app.addHook('onSend', ({ method, caller, ip }, reply, payload: unknown, done) => {
    // Other bytes than those of an account, such as the console, are held anyway.
    const isWhole = typeof payload === 'string' || (caller && payload instanceof Uint8Array);
    if (!isWhole || payload.length < LARGE_CHARACTERS || method === 'HEAD') return done();
    // As bytes it can be counted, and its text need not be held as well.
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    try {
      // What is for everybody, such as the reference, belongs to the address that asks for it.
      holdBytes(answers, caller?.account_id ?? ip, bytes.length, reply.raw);
      done(null, bytes);
    } catch (error) {
      for (const name of HEADERS_OF_AN_ANSWER) reply.removeHeader(name);
      done(error as Error);
    }
  });
}
