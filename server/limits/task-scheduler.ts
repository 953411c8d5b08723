// Schedules the tasks of accounts on slots such as threads: round robin among accounts, each task on the slot
// with the fewest tasks. A token that reads many accounts counts as one caller.

import { FairQueue } from './fair-queue.ts';
import { limits, shareOf } from './limits.ts';
import { Quotas } from './quotas.ts';

/** A task that takes this long counts as long: the next tasks of its account are limited. */
const LONG_MILLISECONDS = 100;
const LONGEST_WAIT_MILLISECONDS = 1_000 * limits.taskWait.each;

export interface Slot {
  readonly isStarted: boolean;
  start(): void;
}

export interface SchedulerOptions<S extends Slot> {
  readonly slots: readonly S[];
  readonly concurrency: number;
  /** The fraction of all concurrent tasks that one account's long tasks may take. */
  readonly longShare: number;
  /** Among slots with equally few tasks, the lowest rank is used first. */
  readonly rank: (slot: S) => number;
  readonly unavailable: (why: string) => Error;
}

export interface Demand {
  readonly account_id: string;
  /** Of the caller, whatever accounts it reads; absent for work that is nobody's. */
  readonly token_id?: string | undefined;
  /** Timeout of the client, if it has one. */
  readonly timeMs?: number | undefined;
  /** Whether the client has disconnected; the task is then not started. */
  readonly isDisconnected: () => boolean;
  readonly stages?: { queueMs: number } | undefined;
}

/** A task that waits for a slot; its token is empty if it is nobody's. */
interface Waiting<S> {
  readonly token_id: string;
  readonly begin: (slot: S) => void;
}

/**
 * An account with long tasks runs only some of them concurrently, so that tasks of other accounts start
 * without waiting for one of them to end.
 */
export class TaskScheduler<S extends Slot> {
  readonly #options: SchedulerOptions<S>;
  readonly #load: Map<S, number>;
  /** Each starts a task, unless it has timed out or its client has disconnected. */
  readonly #queue = new FairQueue<Waiting<S>>();
  readonly #quotas: Quotas;
  /** The same by token, of which one may read many accounts. */
  readonly #tokens: Quotas;
  /** While others wait, one token takes no more of all slots. */
  readonly #share: number;

  constructor(options: SchedulerOptions<S>) {
    const { slots, concurrency, longShare } = options;
    this.#options = options;
    this.#load = new Map(slots.map((slot) => [slot, 0]));
    const maxLong = Math.max(1, Math.floor(slots.length * concurrency * longShare));
    this.#quotas = new Quotas(maxLong, maxLong);
    this.#tokens = new Quotas(maxLong, maxLong);
    this.#share = shareOf({ total: slots.length * concurrency, isShared: true });
  }

  /**
   * Runs a task once its account is next and a slot is free. The task is given the part of `timeMs` that is
   * left. Rejects with `unavailable` if it cannot start in time.
   */
  run<T>(
    { account_id, token_id = '', timeMs, isDisconnected, stages }: Demand,
    task: (slot: S, timeMs: number | undefined) => Promise<T>,
  ): Promise<T> {
    const { unavailable } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const start = performance.now();
    const recordWait = () => {
      const waitedMs = performance.now() - start;
      if (stages !== undefined) stages.queueMs += waitedMs;
      return waitedMs;
    };
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      recordWait();
      reject(unavailable('The worker threads are overloaded.'));
    }, timeMs ?? LONGEST_WAIT_MILLISECONDS);
    const begin = (slot: S) => {
      if (isLate) return this.#forget(account_id);
      clearTimeout(timer);
      const waitedMs = recordWait();
      if (isDisconnected()) {
        this.#forget(account_id);
        return reject(unavailable('The client has disconnected.'));
      }
      const left = timeMs && Math.max(1, timeMs - waitedMs);
      const end = this.#begin(account_id, token_id, slot);
      // `try`, so that a task that throws frees its slot as well.
      Promise.try(task, slot, left).then(
        (result) => {
          resolve(result);
          end(true);
        },
        (error: unknown) => {
          reject(error);
          end(false);
        },
      );
    };
    this.#queue.push(account_id, { token_id, begin });
    this.#dispatch();
    return promise;
  }

  get statistics(): { readonly waiting: number; readonly running: number } {
    return { waiting: this.#queue.length, running: this.#quotas.inFlight };
  }

  /** Counts a task on a slot. The function returned ends it. */
  #begin(account_id: string, token_id: string, slot: S): (isDone: boolean) => void {
    const begun = performance.now();
    this.#quotas.begin(account_id);
    if (token_id !== '') this.#tokens.begin(token_id);
    this.#count(slot, 1);
    return (isDone) => {
      this.#count(slot, -1);
      const isLong = performance.now() - begun >= LONG_MILLISECONDS;
      // A task that failed quickly may have been out of time: it says nothing about the next.
      const isSmall = isDone || isLong ? !isLong : undefined;
      this.#quotas.end(account_id, 1, isSmall);
      this.#tokens.end(token_id, 1, isSmall);
      this.#tokens.forget(token_id);
      this.#forget(account_id);
      this.#dispatch();
    };
  }

  #count(slot: S, more: number): void {
    this.#load.set(slot, (this.#load.get(slot) ?? 0) + more);
  }

  #forget(account_id: string): void {
    if (!this.#queue.has(account_id)) this.#quotas.forget(account_id);
  }

  #dispatch(): void {
    for (;;) {
      const [slot, load] = this.#leastBusy();
      if (load >= this.#options.concurrency) return;
      const next = this.#queue.take(this.#isWithinShare) ?? this.#queue.take(this.#mayBegin);
      if (next === undefined) return;
      next.begin(slot);
      this.#startSpare();
    }
  }

  readonly #mayBegin = (account_id: string, { token_id }: Waiting<S>): boolean =>
    this.#quotas.mayBegin(account_id) && this.#tokens.mayBegin(token_id);

  readonly #isWithinShare = (account_id: string, next: Waiting<S>): boolean =>
    this.#tokens.inFlightOf(next.token_id) < this.#share && this.#mayBegin(account_id, next);

  /** Starts another slot ahead of need when all started slots are at their concurrency. */
  #startSpare(): void {
    const slots = [...this.#load];
    const isSpare = slots.some(([{ isStarted }, load]) => isStarted && load < this.#options.concurrency);
    if (!isSpare) slots.find(([{ isStarted }]) => !isStarted)?.[0].start();
  }

  #leastBusy(): readonly [S, number] {
    const { rank } = this.#options;
    const isLess = ([a, ofA]: readonly [S, number], [b, ofB]: readonly [S, number]) =>
      ofA < ofB || (ofA === ofB && rank(a) < rank(b));
    return [...this.#load].reduce((best, one) => (isLess(one, best) ? one : best));
  }
}
