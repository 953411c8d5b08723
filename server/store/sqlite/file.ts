// A SQLite file of Linecard, opened and migrated to the newest schema; any other file is refused and left as
// it is.

import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { olderSchema, schemaSteps } from '../migrations.ts';
import type { Purpose } from '../store.ts';
import { StoreEmpty, StoreRefused } from '../store-errors.ts';
import { isDenied, isUnknownFormat, SQLITE_CORRUPT, SQLITE_NOTADB, sqliteCode } from './errors.ts';
import { isNoRegularFile, makeFile, makeFolder } from './files.ts';
import { DATABASE, migrate, pragma, schemaStep } from './migrate.ts';
import { keepReserve } from './reserve.ts';
import { attachTokens, holdsTokens, moveTokensApart, TOKENS_SCHEMA, tokensPath } from './tokens-file.ts';

const HOW_TO_MAKE_ONE =
  'Name another with --database-url, or make one: import and account create do so, and serve with --create or --demo.';
const BUSY_MILLISECONDS = 5_000;

function damaged(path: string, what = 'is damaged', cause?: unknown): StoreRefused {
  return new StoreRefused(
    `${path} ${what}. It was left as it is: bring back a backup with linecard-server restore, or name another file with --database-url.`,
    { cause },
  );
}

/** The refusal of a file that SQLite cannot use; any other error is returned as it is. */
export function refusal(path: string, error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === SQLITE_NOTADB) return damaged(path, 'is not a SQLite database', error);
  if (isUnknownFormat(error)) return damaged(path, 'is damaged, or of a newer SQLite', error);
  if (code === SQLITE_CORRUPT) return damaged(path, 'is damaged', error);
  if (!isDenied(error)) return error;
  return new StoreRefused(
    `${path} cannot be opened (${(error as Error).message}). Look at who may read and write it and its folder, and whether too many files are open (ulimit -n).`,
    { cause: error },
  );
}

const hasBytes = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

/**
 * A file without a log must be as long as its header says: a truncated copy would fail only later. A file
 * that is being written has a log, or is long enough when it is checked again.
 */
function mustBeWhole(database: DatabaseSync, path: string, attached = 'main'): void {
  const bytes = pragma(database, `${attached}.page_count`) * pragma(database, `${attached}.page_size`);
  const isWhole = () => statSync(path).size >= bytes;
  if (isWhole()) return;
  const isBeingWritten = ['-wal', '-journal'].some((end) => hasBytes(path + end));
  if (!isBeingWritten && !isWhole()) throw damaged(path);
}

/** @throws {StoreRefused} when other files of a missing database still exist. */
function mustBeWithout(path: string): void {
  const left = [`${path}-wal`, tokensPath(path)].find(hasBytes);
  // With the database there by now, another process has just made all of them.
  if (left === undefined || hasBytes(path)) return;
  throw new StoreRefused(
    `${path} is missing, but ${left} is there: the database was moved or removed without it. Bring it back, or remove ${left} to start empty.`,
  );
}

/** Makes the file that is missing. */
function make(path: string): void {
  makeFolder(dirname(path));
  try {
    makeFile(path);
  } catch (error) {
    // Another process has created it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** @throws {StoreRefused} when the path cannot be that of a database. */
export function mustNameFile(path: string): void {
  if (path === '' || path.startsWith(':')) {
    throw new StoreRefused(
      'The database URL must name a file: sqlite:PATH, such as sqlite:data/linecard.db.',
    );
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StoreRefused(`${path} is a folder. Name a file in it with --database-url.`);
  }
  if (isNoRegularFile(path))
    throw new StoreRefused(`${path} is a device or a pipe, not a file. Name another with --database-url.`);
}

function addTokens(database: DatabaseSync, path: string, purpose: Purpose): void {
  try {
    attachTokens(database, path, purpose);
    mustBeWhole(database, tokensPath(path), TOKENS_SCHEMA);
  } catch (error) {
    throw refusal(tokensPath(path), error);
  }
}

function openOnce(path: string, purpose: Purpose, create?: boolean): DatabaseSync {
  mustNameFile(path);
  const bytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (!bytes) mustBeWithout(path);
  if (!bytes && (purpose !== 'write' || create === false)) {
    const what = bytes === undefined ? `There is no database at ${path}` : `The database at ${path} is empty`;
    throw new StoreEmpty(`${what}.`, HOW_TO_MAKE_ONE);
  }
  if (bytes === undefined) make(path);
  let database: DatabaseSync | undefined;
  try {
    // A note does not wait for a lock or the disk.
    const [timeout, synchronous] = purpose === 'note' ? [0, 'normal'] : [BUSY_MILLISECONDS, 'full'];
    database = new DatabaseSync(path, { readOnly: purpose === 'read', timeout });
    mustBeWhole(database, path);
    if (purpose === 'write') {
      migrate(database, path, DATABASE);
      moveTokensApart(database, path, create === true);
    } else if (
      schemaStep(database, path, DATABASE) < schemaSteps(DATABASE.schema).length ||
      holdsTokens(database)
    ) {
      throw olderSchema(path);
    }
    addTokens(database, path, purpose);
    database.exec(
      `pragma foreign_keys = on; pragma main.synchronous = ${synchronous}; pragma ${TOKENS_SCHEMA}.synchronous = ${synchronous}`,
    );
    if (purpose === 'write') keepReserve(path);
    return database;
  } catch (error) {
    database?.close();
    throw refusal(path, error);
  }
}

/**
 * Opens the file with that of its tokens; to write, they are made where they are missing (`create` as in
 * `StoreOptions`) and their schemas are brought up to date.
 * @throws {StoreRefused} when one is missing that is not to be made, damaged, of another program or of a
 * newer Linecard.
 */
export function openFile(path: string, purpose: Purpose, create?: boolean): DatabaseSync {
  const database = openOnce(path, purpose, create);
  if (purpose !== 'write' || existsSync(path)) return database;
  // The command that had created it had no use for it, and has just removed it.
  database.close();
  return openFile(path, purpose, create);
}
