// Requests that wait for their account to change (docs/generated/api.md, "Staying up to date"; `Prefer:
// wait`, RFC 7240, section 4.3).

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Validator } from '../answers/answer.ts';
import type { RevisionWatch } from '../answers/revision-watch.ts';
import { limits } from '../limits/limits.ts';
import { Semaphore } from '../limits/semaphore.ts';
import type { Caller } from '../store/access/callers.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import type { Authenticator } from './authentication.ts';

declare module 'fastify' {
  interface FastifyInstance {
    waiting: Waiting;
  }
  interface FastifyRequest {
    waitedMs: number;
  }
}

/** An element of the header. Commas within quotes belong to it; an unterminated quote extends to the end. */
const PREFERENCE = /(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g;
const NAME = /^[ \t]*([^ \t=;]*)/;
/** The value as a token or quoted string, which are equivalent; parameters may follow. */
const VALUE = /^[ \t]*[^ \t=;]+[ \t]*=[ \t]*(?:([^ \t=;"]+)|"((?:[^"\\]|\\.)*)")[ \t]*(?:;|$)/;
const SECONDS = /^\d+$/;

/**
 * The seconds that the client prefers to wait, up to the limit; `undefined` if it does not. Malformed
 * preferences are ignored, and so are all but the first.
 */
export function waitSeconds(prefer: string | readonly string[] | undefined): number | undefined {
  if (prefer === undefined) return undefined;
  const preferences = String(prefer).match(PREFERENCE) ?? [];
  const wait = preferences.find((one) => NAME.exec(one)?.[1]?.toLowerCase() === 'wait');
  const [, token, quoted] = VALUE.exec(wait ?? '') ?? [];
  const text = token ?? quoted?.replaceAll(/\\(.)/g, '$1') ?? '';
  const seconds = SECONDS.test(text) ? Math.min(Number(text), limits.waitTime.each) : 0;
  return seconds === 0 ? undefined : seconds;
}

/**
 * Waits that end together resume in batches with a pause between them: each then reads from the database, and
 * PostgreSQL could not answer all of them before their deadlines.
 */
const BATCH_SIZE = 50;
const PAUSE_MILLISECONDS = 20;

/** A token may wait for each account that it reads. */
const keyOf = ({ token_id, account_id }: Caller) => `${token_id} ${account_id}`;

export class Waiting {
  readonly #authenticator: Authenticator;
  readonly #watch: RevisionWatch;
  readonly #semaphore = new Semaphore(limits.waiting);
  /** A function per waiting request that ends its wait. */
  readonly #ends = new Set<() => void>();
  #due: (() => void)[] = [];
  #isEnding = false;
  #isClosed = false;

  constructor(authenticator: Authenticator, watch: RevisionWatch) {
    this.#authenticator = authenticator;
    this.#watch = watch;
  }

  get count(): number {
    return this.#ends.size;
  }

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
    const ended = this.#due.slice(0, BATCH_SIZE);
    this.#due = this.#due.slice(BATCH_SIZE);
    this.#isEnding = ended.length > 0;
    for (const end of ended) end();
    if (!this.#isEnding) return;
    // On a busy machine a timer may fire in the same iteration of the event loop in which it was set.
    setTimeout(() => setImmediate(() => this.#endSome()), PAUSE_MILLISECONDS);
  }

  /**
   * Waits until the account changes, for at most `seconds`. Returns false immediately if a limit is reached.
   * @throws {Problem} `unauthenticated` if the token is no longer valid; `forbidden` if it may no longer read
   *   the account.
   * @throws {StoreUnavailable} if the client has disconnected.
   */
  async wait(
    request: FastifyRequest,
    reply: FastifyReply,
    seconds: number,
    what: Validator,
  ): Promise<boolean> {
    const release = this.#isClosed
      ? undefined
      : this.#semaphore.take(keyOf(request.caller), 1, request.caller.token_id);
    if (release === undefined) return false;
    const begin = performance.now();
    try {
      await this.#waitForEnd(request, seconds, what);
    } finally {
      release();
      request.waitedMs += performance.now() - begin;
    }
    if (request.socket.destroyed) throw new StoreUnavailable('The client has disconnected.');
    request.caller = await this.#authenticator.current(request.headers);
    if (this.#isClosed) reply.header('connection', 'close');
    return true;
  }

  async #waitForEnd(
    { caller, headers, socket }: FastifyRequest,
    seconds: number,
    what: Validator,
  ): Promise<void> {
    const { promise, resolve: end, reject } = Promise.withResolvers<void>();
    const stopWatching = this.#watch.watch(caller.account_id, what.revision, () => this.#endSoon(end));
    // The extra millisecond is because timers may fire early.
    const untilChange = (what.changesAt ?? Number.POSITIVE_INFINITY) - Date.now() + 1;
    const maxMs = Math.min(seconds * 1_000, untilChange);
    const timer = setTimeout(end, maxMs);
    const unfollow = this.#authenticator.follow(headers, reject);
    socket.once('close', end);
    // It may have closed while the revision was read.
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
