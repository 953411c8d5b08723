// The write-ahead log of the lists, truncated after an import. A reader keeps a part of it in use, and the
// reader may be of this very thread: so no attempt waits for readers, and what fails is tried again a little
// later, while the thread goes on with other work.

import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep, setImmediate as snapshotsEnd } from 'node:timers/promises';
import { withBusyTimeout } from './lock.ts';

/** A smaller log is left to SQLite, and to larger imports: an attempt costs more than a few rows. */
const SMALL_BYTES = 4_194_304;
const FEW_ROWS = 1_000;
const RETRY_MILLISECONDS = 20;
/** A reader that stays for longer is an export: the next import truncates the log. */
const GIVE_UP_MILLISECONDS = 2_000;

export class WriteAheadLog {
  readonly #database: DatabaseSync;
  readonly #path: string;
  /** Attempts that go on in the background. */
  #attempts: Promise<void> | undefined;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = `${path}-wal`;
  }

  /** Truncates the log if it is large, or the import was; it returns after the first attempt. */
  async truncate(rows = 0): Promise<void> {
    if (this.#attempts !== undefined || (rows < FEW_ROWS && this.#bytes < SMALL_BYTES)) return;
    await snapshotsEnd();
    if (!this.#attempt()) this.#attempts ??= this.#retry();
  }

  /** Waits until attempts end: for a connection that is to be closed. */
  async settled(): Promise<void> {
    await this.#attempts;
  }

  async #retry(): Promise<void> {
    const end = performance.now() + GIVE_UP_MILLISECONDS;
    do await sleep(RETRY_MILLISECONDS);
    while (!this.#attempt() && performance.now() < end);
    this.#attempts = undefined;
  }

  /** Whether there is nothing more to do. */
  #attempt(): boolean {
    if (!this.#database.isOpen || this.#bytes === 0) return true;
    // The next import has begun.
    if (this.#database.isTransaction) return false;
    try {
      const truncate = () => this.#database.prepare('pragma main.wal_checkpoint(truncate)').get();
      return withBusyTimeout(this.#database, 0, truncate)?.['busy'] === 0;
    } catch {
      return false;
    }
  }

  get #bytes(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }
}
