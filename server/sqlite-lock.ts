// The write lock of the embedded store, waited for without holding up the thread. It must not know what is written.

import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { SQLITE_BUSY, sqliteCode } from './sqlite-errors.ts';
import { type LoadOptions, StoreUnavailable } from './store.ts';

/** How long a lock that somebody else holds is waited for, how often it is tried, and when the waiting is told. */
const PATIENCE_MILLISECONDS = 600_000;
const RETRY_MILLISECONDS = 100;
const TELL_AFTER_MILLISECONDS = 1_000;

/** Does something with another busy time-out; SQLite waits it out without letting go of the thread. */
export function withBusyTimeout<T>(database: DatabaseSync, milliseconds: number, work: () => T): T {
  const usual = Number(database.prepare('pragma busy_timeout').get()?.['timeout']);
  database.exec(`pragma busy_timeout = ${milliseconds}`);
  try {
    return work();
  } finally {
    database.exec(`pragma busy_timeout = ${usual}`);
  }
}

/** Begins a transaction that writes; false when somebody else holds the lock. */
function tryToBegin(database: DatabaseSync): boolean {
  try {
    withBusyTimeout(database, 0, () => database.exec('begin immediate'));
    return true;
  } catch (error) {
    if (sqliteCode(error) === SQLITE_BUSY) return false;
    throw error;
  }
}

/**
 * Begins a transaction that writes, and waits for another one to end.
 * @throws {StoreUnavailable} when that takes too long.
 */
export async function beginToWrite(database: DatabaseSync, options: LoadOptions): Promise<void> {
  const { patience_ms = PATIENCE_MILLISECONDS, signal, onWait } = options;
  const begin = performance.now();
  let told = false;
  while (!tryToBegin(database)) {
    const waited = performance.now() - begin;
    if (waited >= patience_ms) {
      throw new StoreUnavailable(
        `Another command has been writing to the database for ${Math.round(waited / 1_000)} seconds. Try again when it has ended.`,
      );
    }
    if (!told && waited >= TELL_AFTER_MILLISECONDS) {
      told = true;
      onWait?.();
    }
    await sleep(RETRY_MILLISECONDS, undefined, { signal });
  }
}
