// Writes the log on a descriptor beside what the process does. Whatever becomes of its reader or its disk,
// the process goes on, and ends: what cannot be written waits, up to a limit, and is then dropped.

import { write, writeSync } from 'node:fs';
import { linesIn } from './byte-writer.ts';

/** What waits for a reader of the log that does not read; beyond it, lines are dropped. */
const MAX_WAITING_BYTES = 16_777_216;
/** How long after a failure the same is tried again. */
const RETRY_MILLISECONDS = 100;
/** How often, and for how long each, a process that exits waits for a reader that has fallen behind. */
const MAX_PAUSES = 100;
const PAUSE_MILLISECONDS = 10;

export class LogWriter {
  readonly #descriptor: number;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #isWriting = false;
  /** How many lines were dropped. */
  dropped = 0;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  write(chunk: Buffer): void {
    if (this.#bytes + chunk.length > MAX_WAITING_BYTES) {
      this.dropped += linesIn(chunk);
      return;
    }
    this.#waiting.push(chunk);
    this.#bytes += chunk.length;
    this.#writeNext();
  }

  #writeNext(): void {
    const [next] = this.#waiting;
    if (next === undefined || this.#isWriting) return;
    this.#isWriting = true;
    write(this.#descriptor, next, (error, written) => {
      this.#isWriting = false;
      if (error) {
        setTimeout(() => this.#writeNext(), RETRY_MILLISECONDS).unref();
        return;
      }
      this.#bytes -= written;
      if (written < next.length) this.#waiting[0] = next.subarray(written);
      else this.#waiting.shift();
      this.#writeNext();
    });
  }

  /**
   * Writes what waits, and a last chunk, as a process exits; a reader that has fallen behind is waited for,
   * but not for long. What is being written at that instant is on its way.
   */
  end(last: Buffer): void {
    const chunks = [...this.#waiting.slice(this.#isWriting ? 1 : 0), last];
    // One by one, as a pipe takes each of them as one.
    for (let pauses = 0; chunks.length > 0 && pauses < MAX_PAUSES; ) {
      const [next = last] = chunks;
      try {
        const written = writeSync(this.#descriptor, next);
        if (written < next.length) chunks[0] = next.subarray(written);
        else chunks.shift();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
        pauses += 1;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MILLISECONDS);
      }
    }
  }
}
