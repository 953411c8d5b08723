// Requests that wait for their account to change (docs/generated/api.md, "Waiting"): how many may, for how
// long, and what ends each of them early.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Validator } from '../answers/answer.ts';
import type { RevisionWatch } from '../answers/revision-watch.ts';
import { limits } from '../limits/limits.ts';
import { Semaphore } from '../limits/semaphore.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import type { Authenticator } from './authentication.ts';

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
  async wait(
    request: FastifyRequest,
    reply: FastifyReply,
    seconds: number,
    what: Validator,
  ): Promise<boolean> {
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
    if (this.#isClosed) reply.header('connection', 'close');
    return true;
  }

  /** Resolves when the wait is over, for whatever reason. */
  async #untilOver(
    { caller, headers, socket }: FastifyRequest,
    seconds: number,
    what: Validator,
  ): Promise<void> {
    const { promise, resolve: end, reject } = Promise.withResolvers<void>();
    const stopWatching = this.#watch.watch(caller.account_id, what.revision, () => this.#endSoon(end));
    // A timer may fire a millisecond early.
    const untilChange = (what.changesAt ?? Number.POSITIVE_INFINITY) - Date.now() + 1;
    const longest = Math.min(seconds * 1_000, untilChange);
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
