// Schedules tasks of accounts on slots such as threads: round robin among the accounts, each task on the slot
// that has the fewest.

import { FairQueue } from './fair-queue.ts';
import { limits } from './limits.ts';
import { Shares } from './shares.ts';

/** An account whose last task took this long keeps others waiting, and so would all its tasks together. */
const LONG_MILLISECONDS = 100;
const LONGEST_WAIT_MILLISECONDS = 1_000 * limits.taskWait.each;

/** What runs tasks. */
export interface Slot {
  readonly isStarted: boolean;
  /** Starts it before it has anything to do. */
  start(): void;
}

export interface SchedulerOptions<S extends Slot> {
  readonly slots: readonly S[];
  /** How many tasks one slot runs at a time. */
  readonly concurrency: number;
  /** The part of all tasks at a time that the long ones of one account may be. */
  readonly longShare: number;
  /** Of slots with equally few tasks, the one of the lowest rank comes first. */
  readonly rank: (slot: S) => number;
  /** What a task fails with that is not begun. */
  readonly unavailable: (why: string) => Error;
}

/** The client that waits for a task, and how long. */
export interface Demand {
  readonly account_id: string;
  /** How long the client waits for the result, where there is a limit. */
  readonly timeMs?: number | undefined;
  /** Whether the client has disconnected; then the task is not begun. */
  readonly isGone: () => boolean;
  /** Where the wait is recorded. */
  readonly stages?: { queueMs: number } | undefined;
  /** It computes all the time: next to it a slot has no time for another. */
  readonly isComputing?: boolean;
}

/** Begins a queued task, unless no client waits for it any more. */
type Begin<S> = (slot: S) => void;

/**
 * An account whose tasks take long runs only some at a time: those of another begin without waiting for one
 * of them to end.
 */
export class TaskScheduler<S extends Slot> {
  readonly #options: SchedulerOptions<S>;
  /** How many tasks each slot runs. */
  readonly #load: Map<S, number>;
  readonly #queue = new FairQueue<Begin<S>>();
  readonly #shares: Shares;

  constructor(options: SchedulerOptions<S>) {
    const { slots, concurrency, longShare } = options;
    this.#options = options;
    this.#load = new Map(slots.map((slot) => [slot, 0]));
    const longAtOnce = Math.max(1, Math.floor(slots.length * concurrency * longShare));
    this.#shares = new Shares(longAtOnce, longAtOnce);
  }

  /**
   * Runs a task as soon as it is its account's turn and a slot is free; `timeMs` is how long it may take.
   * Fails with what the options have for that when this is not in time.
   */
  run<T>(
    { account_id, timeMs, isGone, stages, isComputing = false }: Demand,
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
      reject(unavailable('There is more to do than the worker threads can do in time.'));
    }, timeMs ?? LONGEST_WAIT_MILLISECONDS);
    this.#queue.push(account_id, (slot) => {
      if (isLate) return this.#forget(account_id);
      clearTimeout(timer);
      const waitedMs = recordWait();
      if (isGone()) {
        this.#forget(account_id);
        return reject(unavailable('The client has disconnected.'));
      }
      const left = timeMs && Math.max(1, timeMs - waitedMs);
      const end = this.#begin(account_id, slot, isComputing);
      // Whatever it fails with, its slot is free again.
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
    });
    this.#dispatch();
    return promise;
  }

  /** How many tasks wait for a slot, and how many run. */
  get figures(): { readonly waiting: number; readonly running: number } {
    return { waiting: this.#queue.length, running: this.#shares.inFlight };
  }

  /** Counts a task on a slot; returns how to end it, done or failed. */
  #begin(account_id: string, slot: S, isComputing: boolean): (isDone: boolean) => void {
    const weight = isComputing ? this.#options.concurrency : 1;
    const begun = performance.now();
    this.#shares.begin(account_id);
    this.#count(slot, weight);
    return (isDone) => {
      this.#count(slot, -weight);
      const isLong = performance.now() - begun >= LONG_MILLISECONDS;
      // One that failed soon may have had too little time left.
      this.#shares.end(account_id, 1, isDone || isLong ? !isLong : undefined);
      this.#forget(account_id);
      this.#dispatch();
    };
  }

  #count(slot: S, more: number): void {
    this.#load.set(slot, (this.#load.get(slot) ?? 0) + more);
  }

  #forget(account_id: string): void {
    if (!this.#queue.has(account_id)) this.#shares.forget(account_id);
  }

  /** Gives queued tasks to slots until either runs out. */
  #dispatch(): void {
    for (;;) {
      const [slot, load] = this.#leastBusy();
      if (load >= this.#options.concurrency) return;
      const begin = this.#queue.take((account_id) => this.#shares.mayBegin(account_id));
      if (begin === undefined) return;
      begin(slot);
      this.#startSpare();
    }
  }

  /** Starts a slot before it is needed, where all that are started have as many tasks as they take. */
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
