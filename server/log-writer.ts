// Writes the log to a file descriptor asynchronously. If its reader stops or the disk is full, the process
// continues and can exit: lines are queued up to a limit and then dropped. (pino's own destination tries the
// last write on exit for ever where the disk is full.)

import { write, writeSync } from 'node:fs';
import { linesIn } from './byte-writer.ts';

/** Lines are dropped when more than this is queued. */
const MAX_WAITING_BYTES = 16_777_216;
const RETRY_MILLISECONDS = 100;
/** On exit, a write to a full pipe is retried this many times, after this pause each. */
const MAX_PAUSES = 100;
const PAUSE_MILLISECONDS = 10;

export class LogWriter {
  readonly #descriptor: number;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #isWriting = false;
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

  /** Writes the queue and a last chunk on exit, and waits up to a second for a slow reader. */
  end(last: Buffer): void {
    const chunks = [...this.#waiting.slice(this.#isWriting ? 1 : 0), last];
    // One by one, because a pipe takes each chunk as a whole.
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
