// Runs a limited number of jobs concurrently in this process; the others wait, round robin by key.

import { FairQueue } from './fair-queue.ts';

/** How long a job waits, if not indefinitely. */
export interface WaitOptions {
  /** Jobs are started round robin by key. */
  readonly key?: string;
  readonly timeoutMs: number;
  readonly timeoutError: () => Error;
  /** Aborting it ends the wait with its reason. */
  readonly signal: AbortSignal;
}

export class WorkQueue {
  #free: number;
  /** Each starts a queued job, and returns whether it was still waiting. */
  readonly #waiting = new FairQueue<() => boolean>();

  constructor(concurrency: number) {
    this.#free = concurrency;
  }

  async run<T>(work: () => Promise<T>, options?: WaitOptions): Promise<T> {
    options?.signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(options);
    try {
      return await work();
    } finally {
      this.#startNext();
    }
  }

  #startNext(): void {
    for (;;) {
      const start = this.#waiting.take();
      if (start === undefined) this.#free += 1;
      if (start === undefined || start()) return;
    }
  }

  async #wait(options: WaitOptions | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let isWaiting = true;
    this.#waiting.push(options?.key ?? '', () => {
      if (isWaiting) resolve();
      return isWaiting;
    });
    if (options === undefined) return promise;
    const { timeoutMs, timeoutError, signal } = options;
    // A job that has started checks the signal itself.
    const leave = (error: unknown) => {
      isWaiting = false;
      reject(error);
    };
    const timer = setTimeout(() => leave(timeoutError()), timeoutMs);
    const abort = () => leave(signal.reason);
    signal.addEventListener('abort', abort);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }
}
