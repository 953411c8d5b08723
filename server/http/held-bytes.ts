// Limits the memory held for clients: bodies, until their requests are answered, and large answers, until
// they are read. Otherwise a client could request many pages and read none. Streamed files are not counted.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import { limits, onThisMachine } from '../limits/limits.ts';
import { type Release, Semaphore } from '../limits/semaphore.ts';
import { type Caller, mustNameAccount } from '../store/access/callers.ts';

declare module 'fastify' {
  interface FastifyInstance {
    heldBodies: Semaphore;
    heldAnswers: Semaphore;
  }
}

/** Smaller answers are not counted: the number of connections limits them. */
const LARGE_CHARACTERS = 16_384;

/** Who holds bytes: an account, or an address, and the token that it is read with. */
interface Holder {
  readonly owner: string;
  readonly token?: string;
}

/**
 * Counts bytes until an answer is sent or its client has disconnected.
 * @throws {Problem} if a limit is exceeded.
 */
export function holdBytes(
  semaphore: Semaphore,
  { owner, token }: Holder,
  bytes: number,
  answer: ServerResponse,
): void {
  // The client has disconnected, and `close` has already been emitted.
  if (answer.destroyed) return;
  const release = semaphore.mustTake(owner, bytes, token);
  // Prepended, because Node starts the next answer on the connection on the same event.
  answer.prependOnceListener('finish', release);
  answer.once('close', release);
}

/** For a caller that has not said yet which of its accounts it reads, its token alone. */
const holderOf = (caller: Caller): Holder => ({
  owner: mustNameAccount(caller) ? caller.token_id : caller.account_id,
  token: caller.token_id,
});

function announcedBytes({ headers }: FastifyRequest): number {
  const length = headers['content-length'];
  const isChunked = headers['transfer-encoding'] !== undefined;
  if (length === undefined) return isChunked ? limits.body.each : 0;
  return Math.min(Number(length), limits.body.each);
}

export const holdBody: preParsingHookHandler = (request, reply, _body, done) => {
  const bytes = announcedBytes(request);
  // Node emits no `end` for a request that announces no body (`optimizeEmptyRequests`).
  if (bytes === 0) return done(null, Readable.from([]));
  holdBytes(request.server.heldBodies, holderOf(request.caller), bytes, reply.raw);
  done();
};

/** Requests that have reserved what their answers may have, and those that are made for them. */
const reserved = new WeakSet<IncomingMessage>();

/**
 * Reserves bytes among the answers before the work that makes them.
 * @throws {Problem} if a limit is exceeded.
 */
export function reserveAnswers({ server, caller, raw }: FastifyRequest, bytes: number): Release {
  const { owner, token } = holderOf(caller);
  const release = server.heldAnswers.mustTake(owner, bytes, token);
  reserved.add(raw);
  return () => {
    reserved.delete(raw);
    release();
  };
}

/** A request that is made for another: what that has reserved is for this one, too. */
export function shareReserved(made: IncomingMessage, { raw }: FastifyRequest): void {
  if (reserved.has(raw)) reserved.add(made);
}

export function limitHeldBytes(app: FastifyInstance): void {
  const answers = new Semaphore(onThisMachine(limits.answers));
  app.decorate('heldBodies', new Semaphore(onThisMachine(limits.bodies)));
  app.decorate('heldAnswers', answers);
  app.addHook('onSend', (request, reply, payload: unknown, done) => {
    const { method, caller } = request;
    // Other buffers, such as the files of the console, are in memory anyway.
    const isWhole = typeof payload === 'string' || (caller && payload instanceof Uint8Array);
    if (!isWhole || payload.length < LARGE_CHARACTERS || method === 'HEAD') return done();
    if (reserved.has(request.raw)) return done();
    // As a buffer its size is known, and the string can be collected.
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    try {
      // Answers without an account, such as the reference, are counted for the address.
      const holder = caller === undefined ? { owner: request.ip } : holderOf(caller);
      holdBytes(answers, holder, bytes.length, reply.raw);
      done(null, bytes);
    } catch (error) {
      done(error as Error);
    }
  });
}
