// Requests that wait for their account to change (docs/api.md, "Waiting"): how many may, for how long, and
// what ends each of them early.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../limits/limits.ts';
import { Semaphore } from '../limits/semaphore.ts';
import { timed } from '../lists/deadline.ts';
import type { ListReader } from '../lists/reader.ts';
import type { RevisionWatch } from '../lists/revision-watch.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import { etagOf, isCurrent } from './answer-headers.ts';
import type { Authenticator } from './authentication.ts';
import { waitSeconds } from './prefer.ts';

declare module 'fastify' {
  interface FastifyInstance {
    waiting: Waiting;
  }
  interface FastifyRequest {
    /** For how long it has waited because its client prefers that. */
    waitedMs: number;
  }
}

/**
 * So many are ended at once, and as many again after a pause: each reads then, and PostgreSQL could not
 * answer all of them before their deadline.
 */
const ENDED_AT_ONCE = 50;
const PAUSE_MILLISECONDS = 20;

/** What a client may have, and so wait for another. */
export interface Waited {
  readonly revision: string;
  readonly etag: string;
  /** When it changes though the account does not, in milliseconds since 1970. */
  readonly changesAt?: number | undefined;
}

/** The waiting requests of a process. */
export class Waiting {
  readonly #authenticator: Authenticator;
  readonly #watch: RevisionWatch;
  readonly #semaphore = new Semaphore(limits.waiting);
  /** What ends each of them. */
  readonly #ends = new Set<() => void>();
  /** Those of them that are to be called next, in their order. */
  #due: (() => void)[] = [];
  #isEnding = false;
  #isClosed = false;

  constructor(authenticator: Authenticator, watch: RevisionWatch) {
    this.#authenticator = authenticator;
    this.#watch = watch;
  }

  /** How many wait. */
  get count(): number {
    return this.#ends.size;
  }

  /** Ends all that wait; from here on none does. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#ends) this.#endSoon(end);
  }

  #endSoon(end: () => void): void {
    this.#due.push(end);
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => this.#endSome());
  }

  #endSome(): void {
    const ended = this.#due.slice(0, ENDED_AT_ONCE);
    this.#due = this.#due.slice(ENDED_AT_ONCE);
    this.#isEnding = ended.length > 0;
    for (const end of ended) end();
    if (this.#isEnding) setTimeout(() => this.#endSome(), PAUSE_MILLISECONDS);
  }

  /**
   * Waits so many seconds, or until there is something new; returns at once, and false, where there is no
   * place for it.
   * @throws {Problem} `unauthenticated`, where the token is not valid any more.
   * @throws {StoreUnavailable} where the client has left.
   */
  async wait(request: FastifyRequest, reply: FastifyReply, seconds: number, what: Waited): Promise<boolean> {
    const free = this.#isClosed ? undefined : this.#semaphore.take(request.caller.token_id);
    if (free === undefined) return false;
    const begin = performance.now();
    try {
      await this.#untilOver(request, seconds, what);
    } finally {
      free();
      request.waitedMs += performance.now() - begin;
    }
    if (request.socket.destroyed) throw new StoreUnavailable('The client has disconnected.');
    request.caller = await this.#authenticator.caller(request.headers.authorization);
    reply.header('preference-applied', `wait=${seconds}`);
    if (this.#isClosed) reply.header('connection', 'close');
    return true;
  }

  /** Resolves when the wait is over, for whatever reason. */
  async #untilOver(
    { caller, headers, socket }: FastifyRequest,
    seconds: number,
    what: Waited,
  ): Promise<void> {
    const { promise, resolve: end, reject } = Promise.withResolvers<void>();
    const stopWatching = this.#watch.watch(caller.account_id, what.revision, () => this.#endSoon(end));
    const longest = Math.min(seconds * 1_000, (what.changesAt ?? Number.POSITIVE_INFINITY) - Date.now());
    const timer = setTimeout(end, longest);
    const unfollow = this.#authenticator.follow(headers.authorization, reject);
    socket.once('close', end);
    // It may have been closed before, while the revision was read.
    if (socket.destroyed) end();
    this.#ends.add(end);
    try {
      await promise;
    } finally {
      stopWatching();
      clearTimeout(timer);
      unfollow();
      socket.off('close', end);
      this.#ends.delete(end);
    }
  }
}

/**
 * Waits where the client has what it would get and prefers to wait for something new (RFC 7240). Where it
 * returns true, what there is to answer must be looked up anew: for `request.caller`, which is another.
 * @throws {Problem} `unauthenticated`, where the token is not valid any more.
 * @throws {StoreUnavailable} where the client has left.
 */
export async function waitForChange(
  request: FastifyRequest,
  reply: FastifyReply,
  what: Waited,
): Promise<boolean> {
  const seconds = waitSeconds(request.headers.prefer);
  if (seconds === undefined || !isCurrent(request, what.etag)) return false;
  return request.server.waiting.wait(request, reply, seconds, what);
}

/** The account's revision, or the one after it where the client prefers to wait for that. */
export async function revisionOnceChanged(
  reader: Pick<ListReader, 'revision'>,
  request: FastifyRequest,
  reply: FastifyReply,
  form = '',
): Promise<string> {
  const revision = await timed(request, () => reader.revision(request.caller));
  const hasWaited = await waitForChange(request, reply, { revision, etag: etagOf(revision, form) });
  return hasWaited ? reader.revision(request.caller) : revision;
}
