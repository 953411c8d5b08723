// The write lock of the embedded store, waited for without blocking the thread. It must not know what is
// written.

import type { DatabaseSync } from 'node:sqlite';
import type { LoadOptions } from '../store.ts';
import { waitForWriteLock } from '../write-lock.ts';
import { SQLITE_BUSY, sqliteCode } from './errors.ts';

/** Does something with another busy time-out; SQLite waits it out and blocks the thread. */
export function withBusyTimeout<T>(database: DatabaseSync, milliseconds: number, work: () => T): T {
  const usual = Number(database.prepare('pragma busy_timeout').get()?.['timeout']);
  database.exec(`pragma busy_timeout = ${milliseconds}`);
  try {
    return work();
  } finally {
    database.exec(`pragma busy_timeout = ${usual}`);
  }
}

/** Begins a transaction that writes; false when another writer holds the lock. */
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
 * Begins a transaction that writes, as soon as the write lock is free.
 * @throws {StoreUnavailable} when that takes too long.
 */
export function beginToWrite(database: DatabaseSync, options: LoadOptions): Promise<void> {
  return waitForWriteLock('Another command', () => tryToBegin(database), options);
}
