// Runs a limited number of jobs concurrently in this process; the others wait in order of arrival.

/** How long a job waits, if not indefinitely. */
export interface WaitOptions {
  readonly timeoutMs: number;
  /** The error after the timeout. */
  readonly timeoutError: () => Error;
  /** Aborting it ends the wait with its reason. */
  readonly signal: AbortSignal;
}

export class WorkQueue {
  #free: number;
  readonly #waiting: (() => void)[] = [];

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
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  async #wait(options: WaitOptions | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (options === undefined) return promise;
    const { timeoutMs, timeoutError, signal } = options;
    const leave = (error: unknown) => {
      const position = this.#waiting.indexOf(resolve);
      // A job that has left the queue is running, and checks the signal itself.
      if (position < 0) return;
      this.#waiting.splice(position, 1);
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
