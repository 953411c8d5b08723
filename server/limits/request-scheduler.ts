// Divides the request thread among accounts. Each account has a budget of milliseconds per iteration of the
// event loop; once it is spent, further requests of that account wait for later iterations and are started
// round robin. Without this, sixty large pages of one account would delay a page of another by all sixty
// instead of by one.

import { FairQueue } from './fair-queue.ts';
import { limits } from './limits.ts';

const BUDGET_MILLISECONDS = limits.requestThread.each;
/** Of a token that reads many accounts, with all of them together. */
const TOKEN_BUDGET_MILLISECONDS = 4 * BUDGET_MILLISECONDS;
/** Per iteration, queued requests are started for this long: at least 1 and at most 16 of them. */
const QUEUE_MILLISECONDS = 4;
const MAX_STARTED = 16;
/** For how long queued requests may be postponed while connections are accepted. */
const ACCEPTING_MILLISECONDS = 20;

export class RequestScheduler {
  readonly #queue = new FairQueue<() => void>();
  /** Milliseconds used per account in this iteration; does not include `#charges`. */
  readonly #used = new Map<string, number>();
  /** The same per token, of those that read many accounts. */
  readonly #usedByToken = new Map<string, number>();
  /** Not yet added to `#used`, because short iterations never need the sum. */
  #charges: { readonly account_id: string; readonly token: string | undefined; readonly ms: number }[] = [];
  /** Start of the iteration, or of the first one since which requests have been queued. */
  #began = 0;
  /** The account whose request is running, and since when. */
  #current: string | undefined;
  #currentToken: string | undefined;
  #since = 0;
  #isTickDue = false;
  #hasAccepted = false;
  readonly #now: () => number;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Starts a request immediately, or in a later iteration of the event loop.
   * @param token of a caller that reads many accounts.
   */
  schedule(account_id: string, begin: () => void, token?: string): void {
    const now = this.#now();
    this.#charge(now);
    if (!this.#isTickDue) {
      this.#isTickDue = true;
      this.#began = now;
      setImmediate(() => this.#tick());
    }
    if (this.#mustWait(account_id, token, now)) this.#queue.push(account_id, begin);
    else {
      this.#current = account_id;
      this.#currentToken = token;
      this.#since = now;
      begin();
    }
  }

  /** No account can have spent its budget before the iteration has lasted that long. */
  #mustWait(account_id: string, token: string | undefined, now: number): boolean {
    if (this.#queue.isEmpty && now - this.#began < BUDGET_MILLISECONDS) return false;
    for (const { account_id: charged, token: ofMany, ms } of this.#charges) {
      this.#used.set(charged, (this.#used.get(charged) ?? 0) + ms);
      if (ofMany !== undefined) this.#usedByToken.set(ofMany, (this.#usedByToken.get(ofMany) ?? 0) + ms);
    }
    this.#charges = [];
    if (token !== undefined && (this.#usedByToken.get(token) ?? 0) >= TOKEN_BUDGET_MILLISECONDS) return true;
    return (this.#used.get(account_id) ?? 0) >= BUDGET_MILLISECONDS || this.#queue.has(account_id);
  }

  /**
   * The cost of a request is the time until the next one starts or the iteration ends, because its work
   * continues in promises after `begin` returns.
   */
  #charge(now: number): void {
    if (this.#current === undefined) return;
    this.#charges.push({ account_id: this.#current, token: this.#currentToken, ms: now - this.#since });
    this.#current = undefined;
  }

  /**
   * Reports that a connection was accepted. Node accepts one per iteration: short iterations follow, which
   * start no queued request, until no more connections arrive.
   */
  accepted(): void {
    this.#hasAccepted = true;
  }

  /** Ends an iteration. The next one starts queued requests after those that arrive by then. */
  #tick(): void {
    const now = this.#now();
    if (this.#hasAccepted && now - this.#began < ACCEPTING_MILLISECONDS) {
      this.#hasAccepted = false;
      this.#charge(now);
      setImmediate(() => this.#tick());
      return;
    }
    this.#hasAccepted = false;
    this.#began = now;
    this.#current = undefined;
    this.#used.clear();
    this.#usedByToken.clear();
    this.#charges = [];
    const count = Math.min(MAX_STARTED, this.#queue.length);
    this.#isTickDue = count > 0;
    if (count === 0) return;
    let until: number | undefined;
    // A callback for each, so that its promises settle before the clock is read again.
    for (let i = 0; i < count; i++) {
      setImmediate(() => {
        const now = this.#now();
        until ??= now + QUEUE_MILLISECONDS;
        if (now < until) this.#queue.take()?.();
      });
    }
    setImmediate(() => this.#tick());
  }
}
