// Work of which a fixed number runs at a time in this process; the rest waits, round robin among whom it is
// for.

import { FairQueue } from './fair-queue.ts';

/** For how long work waits, where it does not wait for ever. */
export interface Patience {
  /** Whom it is for. */
  readonly key?: string;
  readonly timeoutMs: number;
  /** What it fails with after that. */
  readonly late: () => Error;
  /** Ends the wait as well, with its reason. */
  readonly signal: AbortSignal;
}

export class WorkQueue {
  #free: number;
  /** Each starts work that waits; false where that has left. */
  readonly #waiting = new FairQueue<() => boolean>();

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<T>(work: () => Promise<T>, patience?: Patience): Promise<T> {
    patience?.signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(patience);
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

  async #wait(patience: Patience | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let isWaiting = true;
    this.#waiting.push(patience?.key ?? '', () => {
      if (isWaiting) resolve();
      return isWaiting;
    });
    if (patience === undefined) return promise;
    const { timeoutMs, late, signal } = patience;
    // Work that has started goes on: it looks at the signal itself.
    const leave = (error: unknown) => {
      isWaiting = false;
      reject(error);
    };
    const timer = setTimeout(() => leave(late()), timeoutMs);
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
