// Turns: tasks wait until it is their account's turn and a thread is free. It must not know what a task is.

import { FairQueue } from '../fair-queue.ts';
import type { Stages } from '../lists/deadline.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import type { WorkerThread } from './thread.ts';

/** A task that has waited so long in the queue, where nothing else limits it, is refused. */
const LONGEST_WAIT_MILLISECONDS = 10_000;

/** Who waits for a task, and how long. */
export interface Demand {
  readonly account_id: string;
  /** How long the client waits for the result, where there is a limit. */
  readonly timeMs?: number | undefined;
  /** Whether the client has disconnected; then the task is not begun. */
  readonly isGone: () => boolean;
  /** Where the wait is noted. */
  readonly stages?: Stages | undefined;
}

/** A task that waits for a thread. */
interface QueuedTask {
  /** Begins it, unless nobody waits for it any more. */
  begin(thread: WorkerThread): void;
}

/** Each task is scheduled to the thread with the fewest. */
export class Turns {
  readonly #running: Map<WorkerThread, number>;
  readonly #concurrency: number;
  readonly #rank: (thread: WorkerThread) => number;
  readonly #queue = new FairQueue<QueuedTask>();

  /**
   * `concurrency` is how many tasks one thread runs at a time; of threads with as few, that of the lowest
   * `rank` comes first.
   */
  constructor(threads: readonly WorkerThread[], concurrency: number, rank: (thread: WorkerThread) => number) {
    this.#running = new Map(threads.map((thread) => [thread, 0]));
    this.#concurrency = concurrency;
    this.#rank = rank;
  }

  /**
   * Runs a task as soon as it is its account's turn and a thread is free; `timeMs` is how long it may take.
   * @throws {StoreUnavailable} when that is not in time.
   */
  run<T>(
    { account_id, timeMs, isGone, stages }: Demand,
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
        if (isLate) return;
        clearTimeout(timer);
        const waitedMs = performance.now() - start;
        if (stages !== undefined) stages.queueMs += waitedMs;
        if (isGone()) return reject(new StoreUnavailable('The client has disconnected.'));
        const left = timeMs && Math.max(1, timeMs - waitedMs);
        this.#count(thread, 1);
        void task(thread, left)
          .then(resolve, reject)
          .finally(() => {
            this.#count(thread, -1);
            this.#dispatch();
          });
      },
    });
    this.#dispatch();
    return promise;
  }

  /** How many tasks wait for a thread, and how many are being worked on. */
  get figures(): { readonly waiting: number; readonly running: number } {
    const running = [...this.#running.values()].reduce((sum, one) => sum + one, 0);
    return { waiting: this.#queue.length, running };
  }

  #count(thread: WorkerThread, more: number): void {
    this.#running.set(thread, (this.#running.get(thread) ?? 0) + more);
  }

  /** Gives queued tasks to threads until either runs out. */
  #dispatch(): void {
    for (;;) {
      const [thread, running] = this.#leastBusy();
      if (running >= this.#concurrency) return;
      const next = this.#queue.take();
      if (next === undefined) return;
      next.begin(thread);
    }
  }

  #leastBusy(): readonly [WorkerThread, number] {
    const isLess = ([a, ofA]: readonly [WorkerThread, number], [b, ofB]: readonly [WorkerThread, number]) =>
      ofA < ofB || (ofA === ofB && this.#rank(a) < this.#rank(b));
    return [...this.#running].reduce((best, one) => (isLess(one, best) ? one : best));
  }
}
