// Work of which only so much runs at a time in this process; the rest waits, in the order of arrival.

/** For how long work waits, where it does not wait for ever. */
export interface Patience {
  readonly timeoutMs: number;
  /** What it fails with after that. */
  readonly late: () => Error;
  /** Ends the wait as well, with its reason. */
  readonly signal: AbortSignal;
}

export class WorkQueue {
  #free: number;
  readonly #waiting: (() => void)[] = [];

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
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  async #wait(patience: Patience | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (patience === undefined) return promise;
    const { timeoutMs, late, signal } = patience;
    const leave = (error: unknown) => {
      const position = this.#waiting.indexOf(resolve);
      // Work that is no longer queued goes on: it looks at the signal itself.
      if (position < 0) return;
      this.#waiting.splice(position, 1);
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
