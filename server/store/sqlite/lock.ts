// The write locks of the embedded store; that of the lists is waited for without blocking the thread.

import type { DatabaseSync } from 'node:sqlite';
import type { LoadOptions } from '../store.ts';
import { ANOTHER_WRITER, waitForWriteLock } from '../write-lock.ts';
import { SQLITE_BUSY, sqliteCode } from './errors.ts';
import { rollBack } from './migrate.ts';
import { TOKENS_SCHEMA } from './tokens-file.ts';

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

/** Each file has a write lock, which any statement takes that writes to it, even if it changes nothing. */
const LOCKS = {
  lists: 'update main.deployment set value = value where false',
  tokens: `update ${TOKENS_SCHEMA}.tokens set id = id where false`,
} as const;

export type Lock = keyof typeof LOCKS;

/** Takes a lock within a transaction; one that needs both takes that of the lists first. */
export function takeLock(database: DatabaseSync, lock: Lock): void {
  database.exec(LOCKS[lock]);
}

/**
 * Begins a transaction that has the write lock of one file; `begin immediate` would take those of all. What
 * it reads is no older than its lock.
 */
export function beginWith(database: DatabaseSync, lock: Lock): void {
  database.exec('begin');
  try {
    takeLock(database, lock);
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Begins a transaction that writes to the lists; false when another writer holds the lock. */
function tryToBegin(database: DatabaseSync): boolean {
  try {
    withBusyTimeout(database, 0, () => beginWith(database, 'lists'));
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
  return waitForWriteLock(
    () => ANOTHER_WRITER,
    () => tryToBegin(database),
    options,
  );
}
