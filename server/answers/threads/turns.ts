// Turns: tasks wait until it is their account's turn and a thread is free.

import { FairQueue } from '../../fair-queue.ts';
import { StoreUnavailable } from '../../store/store-errors.ts';
import type { Stages } from '../client.ts';
import type { WorkerThread } from './thread.ts';

/** A task that takes longer keeps others waiting, and so does every further one of its account. */
const LONG_MILLISECONDS = 100;
/** A task that has waited so long in the queue, where nothing else limits it, is refused. */
const LONGEST_WAIT_MILLISECONDS = 10_000;

/** The client that waits for a task, and how long. */
export interface Demand {
  readonly account_id: string;
  /** How long the client waits for the result, where there is a limit. */
  readonly timeMs?: number | undefined;
  /** Whether the client has disconnected; then the task is not begun. */
  readonly isGone: () => boolean;
  /** Where the wait is noted. */
  readonly stages?: Stages | undefined;
  /** It computes all the time: beside it a thread has no time for another. */
  readonly isComputing?: boolean;
}

/** A task that waits for a thread. */
interface QueuedTask {
  /** Begins it, unless no client waits for it any more. */
  begin(thread: WorkerThread): void;
}

/** What is known of an account that has tasks. */
interface AccountShare {
  running: number;
  /** Whether the last that ended was short; what none has shown may be long. */
  isShort: boolean;
}

/**
 * Each task is scheduled to the thread with the fewest. An account whose tasks take long runs only so many at
 * once: those of another begin without waiting for one of them to end.
 */
export class Turns {
  /** How many places of each thread are taken. */
  readonly #taken: Map<WorkerThread, number>;
  readonly #concurrency: number;
  readonly #rank: (thread: WorkerThread) => number;
  readonly #queue = new FairQueue<QueuedTask>();
  /** How many long tasks of one account run at once. */
  readonly #longAtOnce: number;
  readonly #shares = new Map<string, AccountShare>();

  /**
   * `concurrency` is how many tasks one thread runs at a time, and `longShare` the part of all that the long
   * ones of an account may be; of threads with as few, that of the lowest `rank` comes first.
   */
  constructor(
    threads: readonly WorkerThread[],
    concurrency: number,
    longShare: number,
    rank: (thread: WorkerThread) => number,
  ) {
    this.#taken = new Map(threads.map((thread) => [thread, 0]));
    this.#concurrency = concurrency;
    this.#rank = rank;
    this.#longAtOnce = Math.max(1, Math.floor(threads.length * concurrency * longShare));
  }

  /**
   * Runs a task as soon as it is its account's turn and a thread is free; `timeMs` is how long it may take.
   * @throws {StoreUnavailable} when that is not in time.
   */
  run<T>(
    { account_id, timeMs, isGone, stages, isComputing = false }: Demand,
    task: (thread: WorkerThread, timeMs: number | undefined) => Promise<T>,
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const start = performance.now();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      if (stages !== undefined) stages.queueMs += performance.now() - start;
      reject(new StoreUnavailable('There is more to do than the worker threads can do in time.'));
    }, timeMs ?? LONGEST_WAIT_MILLISECONDS);
    this.#queue.push(account_id, {
      begin: (thread) => {
        if (isLate) return this.#forget(account_id);
        clearTimeout(timer);
        const waitedMs = performance.now() - start;
        if (stages !== undefined) stages.queueMs += waitedMs;
        if (isGone()) {
          this.#forget(account_id);
          return reject(new StoreUnavailable('The client has disconnected.'));
        }
        const left = timeMs && Math.max(1, timeMs - waitedMs);
        const end = this.#begin(account_id, thread, isComputing);
        // Whatever it fails with, its place is free again.
        Promise.try(task, thread, left).then(
          (result) => {
            resolve(result);
            end(true);
          },
          (error: unknown) => {
            reject(error);
            end(false);
          },
        );
      },
    });
    this.#dispatch();
    return promise;
  }

  /** How many tasks wait for a thread, and how many are being worked on. */
  get figures(): { readonly waiting: number; readonly running: number } {
    const running = [...this.#shares.values()].reduce((sum, share) => sum + share.running, 0);
    return { waiting: this.#queue.length, running };
  }

  #count(thread: WorkerThread, more: number): void {
    this.#taken.set(thread, (this.#taken.get(thread) ?? 0) + more);
  }

  /** Counts a task on a thread; returns how to end it, done or failed. */
  #begin(account_id: string, thread: WorkerThread, isComputing: boolean): (isDone: boolean) => void {
    const places = isComputing ? this.#concurrency : 1;
    const share = this.#shares.get(account_id) ?? { running: 0, isShort: false };
    const begun = performance.now();
    this.#shares.set(account_id, share);
    share.running += 1;
    this.#count(thread, places);
    return (isDone) => {
      this.#count(thread, -places);
      const isLong = performance.now() - begun >= LONG_MILLISECONDS;
      // One that failed may have had too little time left.
      if (isDone || isLong) share.isShort = !isLong;
      share.running -= 1;
      this.#forget(account_id);
      this.#dispatch();
    };
  }

  /** Forgets an account that has no task. */
  #forget(account_id: string): void {
    const isIdle = this.#shares.get(account_id)?.running === 0 && !this.#queue.has(account_id);
    if (isIdle) this.#shares.delete(account_id);
  }

  #mayBegin(account_id: string): boolean {
    const share = this.#shares.get(account_id);
    return share === undefined || share.isShort || share.running < this.#longAtOnce;
  }

  /** Gives queued tasks to threads until either runs out. */
  #dispatch(): void {
    for (;;) {
      const [thread, taken] = this.#leastBusy();
      if (taken >= this.#concurrency) return;
      const next = this.#queue.take((account_id) => this.#mayBegin(account_id));
      if (next === undefined) return;
      next.begin(thread);
      this.#keepSpare();
    }
  }

  /** Starts a thread before it is needed, where all that are started have as much to do as they may. */
  #keepSpare(): void {
    const threads = [...this.#taken];
    const isSpare = threads.some(([{ isStarted }, taken]) => isStarted && taken < this.#concurrency);
    if (!isSpare) threads.find(([{ isStarted }]) => !isStarted)?.[0].start();
  }

  #leastBusy(): readonly [WorkerThread, number] {
    const isLess = ([a, ofA]: readonly [WorkerThread, number], [b, ofB]: readonly [WorkerThread, number]) =>
      ofA < ofB || (ofA === ofB && this.#rank(a) < this.#rank(b));
    return [...this.#taken].reduce((best, one) => (isLess(one, best) ? one : best));
  }
}
