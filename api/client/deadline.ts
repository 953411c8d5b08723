// A time limit and the caller's AbortSignal as one signal, which ends every wait.

/** Timers take no more; longer means without a limit. */
const MAX_TIMER_MS = 2_147_483_647;

export class Deadline {
  readonly #controller = new AbortController();
  readonly #timeout_ms: number;
  readonly #caller: AbortSignal | undefined;
  readonly #abort = () => this.#controller.abort();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #expired = false;

  /** The time runs from now on. */
  constructor(timeout_ms: number, caller?: AbortSignal) {
    this.#timeout_ms = timeout_ms;
    this.#caller = caller;
    caller?.addEventListener('abort', this.#abort);
    if (caller?.aborted === true) this.#abort();
    this.start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time ran out. */
  get expired(): boolean {
    return this.#expired;
  }

  /** Begins to count anew. */
  start(): void {
    clearTimeout(this.#timer);
    if (this.#timeout_ms > MAX_TIMER_MS) return;
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.#abort();
    }, this.#timeout_ms);
  }

  /** Stops counting, for as long as nothing is waited for. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Clears the timer and the listener; `signal` is left as it is. */
  release(): void {
    this.stop();
    this.#caller?.removeEventListener('abort', this.#abort);
  }

  /** Ends what still runs under the signal, and releases. */
  cancel(): void {
    this.release();
    this.#abort();
  }

  /**
   * What a promise gives, or a rejection as soon as the signal ends it: not every `fetch` obeys its signal at
   * once.
   */
  within<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const { signal } = this;
      const onEnd = () => reject(new Error('It was ended.'));
      signal.addEventListener('abort', onEnd);
      if (signal.aborted) onEnd();
      promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onEnd));
    });
  }
}
