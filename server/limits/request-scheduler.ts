// Shares the request thread among accounts: each may use it for some milliseconds in one iteration of the
// event loop. Its further requests wait for the next iterations, round robin with those of others. So sixty
// large pages of one account delay another's page by one of them, not by sixty.

import { FairQueue } from './fair-queue.ts';
import { limits } from './limits.ts';

/** What an account may use in one iteration before its requests wait. */
const BUDGET_MILLISECONDS = limits.requestThread.each;
/** In one iteration requests that have waited are begun for this long: at least one, at most 16. */
const QUEUE_MILLISECONDS = 4;
const MAX_BEGUN = 16;
/** For how long requests that wait may be put off while connections are accepted. */
const ACCEPTING_MILLISECONDS = 20;

export class RequestScheduler {
  readonly #queue = new FairQueue<() => void>();
  /** Milliseconds of this iteration by account, as far as they are added up. */
  readonly #used = new Map<string, number>();
  /** What was used since then: only an iteration that lasts has to add up. */
  #charges: { readonly account_id: string; readonly ms: number }[] = [];
  /** When the iteration began, or an earlier one from which requests wait. */
  #began = 0;
  /** Whose work the thread does, and since when. */
  #current: string | undefined;
  #since = 0;
  #isTickDue = false;
  #hasAccepted = false;
  readonly #now: () => number;

  /** `now` is a clock in milliseconds. */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Begins a request immediately, or in a later iteration of the event loop. */
  schedule(account_id: string, begin: () => void): void {
    const now = this.#now();
    this.#charge(now);
    if (!this.#isTickDue) {
      this.#isTickDue = true;
      this.#began = now;
      setImmediate(() => this.#tick());
    }
    if (this.#mustWait(account_id, now)) this.#queue.push(account_id, begin);
    else {
      this.#current = account_id;
      this.#since = now;
      begin();
    }
  }

  /** Before an iteration has lasted for one budget, no account can have used its own. */
  #mustWait(account_id: string, now: number): boolean {
    if (this.#queue.isEmpty && now - this.#began < BUDGET_MILLISECONDS) return false;
    for (const { account_id: charged, ms } of this.#charges) {
      this.#used.set(charged, (this.#used.get(charged) ?? 0) + ms);
    }
    this.#charges = [];
    return (this.#used.get(account_id) ?? 0) >= BUDGET_MILLISECONDS || this.#queue.has(account_id);
  }

  /**
   * What a request costs is the time to the next one, or to the end of the iteration: its work goes on in
   * promises when `begin` has returned.
   */
  #charge(now: number): void {
    if (this.#current === undefined) return;
    this.#charges.push({ account_id: this.#current, ms: now - this.#since });
    this.#current = undefined;
  }

  /**
   * Says that a connection was accepted. Node accepts one in an iteration: where more may wait, short ones
   * follow, in which no request that waits is begun.
   */
  accepted(): void {
    this.#hasAccepted = true;
  }

  /** Ends an iteration; the next one begins requests that wait, after what comes to it by itself. */
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
    this.#charges = [];
    const count = Math.min(MAX_BEGUN, this.#queue.length);
    this.#isTickDue = count > 0;
    if (count === 0) return;
    let until: number | undefined;
    // Each in a callback of its own, so that its promises are done before the clock is read.
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
