// Errors of SQLite that Linecard distinguishes.

import { StoreBusy, StoreUnavailable } from '../store-errors.ts';
import { ANOTHER_WRITER } from '../write-lock.ts';

export const SQLITE_ERROR = 1;
const SQLITE_PERM = 3;
export const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
export const SQLITE_CORRUPT = 11;
/** Of a disk that does not take what is written, be it to the index of a log. */
const SQLITE_IOERRS_OF_WRITING = [3, 4, 5, 6, 18, 19].map((kind) => SQLITE_IOERR | (kind << 8));
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
export const SQLITE_NOTADB = 26;

/** The primary result code of SQLite in an error of the driver; `undefined` when it is something else. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return Number(error.errcode) & 0xff;
}

/** Whether the system does not let a file be opened, or written to. */
export function isDenied(error: unknown): boolean {
  return [SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN].includes(sqliteCode(error) ?? -1);
}

/** Whether it is writing that failed, of whatever statement: a log has an index that is written to read. */
function isOfWriting(error: unknown): boolean {
  if (sqliteCode(error) === SQLITE_FULL) return true;
  return SQLITE_IOERRS_OF_WRITING.includes(Number((error as { errcode?: unknown } | undefined)?.errcode));
}

/** Whether the disk may be full: a log that cannot be made, or made longer, cannot be opened either. */
export function isOfFullDisk(error: unknown): boolean {
  return isOfWriting(error) || sqliteCode(error) === SQLITE_CANTOPEN;
}

/** Whether a file cannot be read as a database at all. */
export function isUnreadable(error: unknown): boolean {
  return [SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB].includes(sqliteCode(error) ?? -1);
}

/** Whether a number in the header of a file is one that SQLite does not know. */
export function isUnknownFormat(error: unknown): boolean {
  return sqliteCode(error) === SQLITE_ERROR && (error as Error).message === 'unsupported file format';
}

/** The error of a file that cannot be read on, as it is reported; any other error is returned as it is. */
export function readFault(error: unknown): unknown {
  if (!isUnreadable(error)) return error;
  const message = `The database file cannot be read (${(error as Error).message}). Bring back a backup with linecard-server restore.`;
  return new StoreUnavailable(message, { cause: error });
}

/** The error of a disk that is full or fails, as it is reported; any other is returned as it is. */
export function writeFault(error: unknown): unknown {
  const code = sqliteCode(error);
  const isFull = code === SQLITE_FULL || (error as NodeJS.ErrnoException).code === 'ENOSPC';
  if (!isFull && code !== SQLITE_IOERR) return error;
  const why = isFull ? 'The disk is full' : 'The disk does not take what is written';
  const message = `${why} (${(error as Error).message}). Nothing was changed.`;
  return new StoreUnavailable(message, { cause: error });
}

/**
 * Opens a file again that is open already.
 * @throws {StoreUnavailable} when that cannot be done, for want of descriptors as a rule, which passes.
 */
export function openedAgain<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (sqliteCode(error) !== SQLITE_CANTOPEN) throw error;
    const message = `The database file cannot be opened again (${(error as Error).message}). Raise the limit of open files (ulimit -n).`;
    throw new StoreUnavailable(message, { cause: error });
  }
}

const IN_USE = `${ANOTHER_WRITER} is writing to the database. Try again when it has ended.`;

/**
 * A lock that is held passes, a disk may get room again, and a damaged file may be replaced; any other error
 * is returned.
 */
export function unavailable(error: unknown): unknown {
  if (isOfWriting(error)) return writeFault(error);
  if (sqliteCode(error) !== SQLITE_BUSY) return readFault(error);
  return new StoreBusy(IN_USE, { cause: error });
}

/**
 * Does something with a database.
 * @throws {StoreUnavailable} when a lock is held, the disk is full or fails, or the file is damaged.
 */
export function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unavailable(error);
  }
}
