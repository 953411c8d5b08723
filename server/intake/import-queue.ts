// One import at a time in this process: the others wait, in the order in which they came. Which other process
// writes to the database meanwhile is for the store to know.

import { Problem } from '@linecard/client/contract/problems';

const RETRY_AFTER_SECONDS = '5';

/** An import that waits for those before it. */
interface QueuedImport {
  resolve(): void;
  reject(error: unknown): void;
}

export class ImportQueue {
  #isTaken = false;
  readonly #waiting: QueuedImport[] = [];

  /**
   * Runs work when the imports before it have ended.
   * @throws {Problem} `unavailable` when that does not come in time; the signal's reason when it comes first.
   */
  async run<T>(work: () => Promise<T>, timeoutMs: number, signal: AbortSignal): Promise<T> {
    await this.#first(timeoutMs, signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#isTaken = false;
      else next.resolve();
    }
  }

  async #first(timeoutMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isTaken) {
      this.#isTaken = true;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { resolve, reject };
    this.#waiting.push(waiting);
    const leave = (error: unknown) => {
      const position = this.#waiting.indexOf(waiting);
      // One that is no longer queued goes on: it looks at the signal itself.
      if (position < 0) return;
      this.#waiting.splice(position, 1);
      reject(error);
    };
    const late = () =>
      leave(
        new Problem(
          'unavailable',
          `Another import has not ended for ${Math.round(timeoutMs / 1_000)} seconds. Nothing was changed; try again later.`,
          { headers: { 'retry-after': RETRY_AFTER_SECONDS } },
        ),
      );
    const timer = setTimeout(late, timeoutMs);
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
