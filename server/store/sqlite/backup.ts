// The embedded store as one file, and back: a copy of the database, as it is at one instant, with the tables
// of its tokens inside, where a restored database has them for an instant as well (tokens-file.ts). It must
// not know of commands.

import { chmodSync, copyFileSync, existsSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup as copyPages, DatabaseSync } from 'node:sqlite';
import { COPYING, unfinishedCopy } from '../deployment.ts';
import { refuseNewerSchema } from '../migrations.ts';
import { StoreEmpty, StoreRefused, StoreUnavailable } from '../store-errors.ts';
import { tables } from '../tables.ts';
import { isUnreadable, SQLITE_BUSY, sqliteCode, writeFault } from './errors.ts';
import { mustNameFile, openFile, refusal } from './file.ts';
import { applicationIdOf, makeFile, makeFolder, putInPlace, removeFile } from './files.ts';
import { BACKUP, DATABASE, pragma, schemaStep, TOKENS } from './migrate.ts';
import { attachTokens, holdsTokens, putTokensInside, tokensPath } from './tokens-file.ts';

const BUSY_MILLISECONDS = 5_000;
/** Pages that are copied without a look at anything else. */
const PAGES_AT_ONCE = 500;

/** What a backup holds. */
export interface BackupContents {
  readonly bytes: number;
  /** How many of each: accounts, tokens and the items of each list. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Says how far it is, from 0 to 1. */
type BackupProgress = (share: number) => void;

/** @throws {StoreRefused} when anything in the file is not as SQLite left it. */
function mustBeSound(database: DatabaseSync, name: string): void {
  const [first] = database.prepare('pragma integrity_check(1)').all();
  if (first?.['integrity_check'] === 'ok') return;
  throw new StoreRefused(
    `${name} is damaged (SQLite says: ${String(first?.['integrity_check'])}). It was left as it is: bring back an older backup.`,
  );
}

/**
 * SQLite takes what is missing of the last page for zeros, and finds nothing wrong.
 * @throws {StoreRefused} when the file ends before its last page does.
 */
function mustHaveAllPages(database: DatabaseSync, file: string): void {
  const bytes = pragma(database, 'page_count') * pragma(database, 'page_size');
  if (statSync(file).size >= bytes) return;
  throw new StoreRefused(
    `${file} is damaged: it ends before its last page does. It was left as it is: bring back an older backup.`,
  );
}

function contentsOf(database: DatabaseSync, file: string): BackupContents {
  const names = ['accounts', 'tokens', ...Object.keys(tables)];
  const count = (name: string) => Number(database.prepare(`select count(*) as n from ${name}`).get()?.['n']);
  return { bytes: statSync(file).size, rows: Object.fromEntries(names.map((name) => [name, count(name)])) };
}

/** @throws {StoreRefused} when it holds only a part of what a copy was to bring there. */
function mustBeFinished(database: DatabaseSync, name: string): void {
  const mark = database.prepare('select 1 from main.deployment where name = ?').get(COPYING);
  if (mark !== undefined) throw unfinishedCopy(name);
}

/** Opens what is to be backed up, at the state that it has now, whatever its schema step. */
function openSource(path: string): DatabaseSync {
  if (!existsSync(path)) throw new StoreEmpty(`There is no database at ${path}.`);
  const source = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MILLISECONDS });
  try {
    if (schemaStep(source, path, DATABASE) === 0) throw new StoreEmpty(`There is nothing in ${path} yet.`);
    mustBeFinished(source, path);
    if (!holdsTokens(source)) attachTokens(source, path);
    // The tokens are no older than the lists: none is of an account that was deleted before.
    source.exec('begin; select 1 from accounts limit 1; select 1 from tokens limit 1');
    return source;
  } catch (error) {
    source.close();
    throw error;
  }
}

async function writeBackup(path: string, part: string, onProgress: BackupProgress): Promise<BackupContents> {
  const source = openSource(path);
  let copy: DatabaseSync | undefined;
  try {
    makeFile(part);
    await copyPages(source, part, {
      rate: PAGES_AT_ONCE,
      progress: ({ remainingPages, totalPages }) => onProgress(1 - remainingPages / totalPages),
    });
    copy = new DatabaseSync(part);
    // One file, without a log beside it.
    copy.exec('pragma journal_mode = delete; begin');
    if (!holdsTokens(copy)) putTokensInside(source, copy);
    copy.exec(`pragma application_id = ${BACKUP.applicationId}; commit`);
    mustBeSound(copy, path);
    return contentsOf(copy, part);
  } finally {
    copy?.close();
    source.close();
  }
}

/**
 * Writes the database at a path into one file, which it replaces; writers go on meanwhile.
 * @throws {StoreRefused} when the database is missing, damaged or of another program.
 * @throws {StoreUnavailable} when the disk does not take it.
 */
export async function backUp(
  path: string,
  file: string,
  onProgress: BackupProgress,
): Promise<BackupContents> {
  mustNameFile(path);
  const part = `${file}.part`;
  removeFile(part);
  try {
    const contents = await writeBackup(path, part, onProgress);
    putInPlace(part, file);
    return contents;
  } catch (error) {
    removeFile(part);
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined || code === 'ENOSPC') throw writeFault(refusal(path, error));
    throw new StoreRefused(`${file} cannot be written (${message}).`, { cause: error });
  }
}

/** @throws {StoreRefused} when the file is not a backup that this program can bring back. */
function mustBeBackup(database: DatabaseSync, file: string): void {
  const mark = pragma(database, 'application_id');
  if (mark !== BACKUP.applicationId && mark !== DATABASE.applicationId)
    throw new StoreRefused(`${file} is not a backup of Linecard.`);
  if (!holdsTokens(database)) {
    throw new StoreRefused(
      `${file} is a database without its tokens, which are in a file beside it. Make backups with: linecard-server backup FILE`,
    );
  }
  refuseNewerSchema(file, pragma(database, 'user_version'), DATABASE.schema);
}

/** Copies a backup beside the path that it is for, and makes it a database there. */
function prepareRestored(file: string, path: string, part: string): BackupContents {
  makeFolder(dirname(path));
  makeFile(part, existsSync(path) ? path : undefined);
  const { mode } = statSync(part);
  copyFileSync(file, part);
  chmodSync(part, mode);
  const database = new DatabaseSync(part);
  try {
    mustBeBackup(database, file);
    mustHaveAllPages(database, file);
    mustBeSound(database, file);
    mustBeFinished(database, file);
    database.exec(`pragma application_id = ${DATABASE.applicationId}; pragma journal_mode = wal`);
    return contentsOf(database, part);
  } finally {
    database.close();
  }
}

/**
 * Locks a file against everybody else and puts its log into it, so that it is whole by itself; returns how
 * to give it free. One that SQLite cannot read cannot be locked, and is not in use by anybody who could.
 * @throws {StoreUnavailable} when it is in use.
 */
function lockWhole(path: string): () => void {
  if (!existsSync(path)) return () => {};
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = delete; begin exclusive');
  } catch (error) {
    database.close();
    if (isUnreadable(error)) return () => {};
    if (sqliteCode(error) !== SQLITE_BUSY) throw error;
    throw new StoreUnavailable(
      `${path} is in use. Stop the service, and every command that works on it, and restore then. Nothing was changed.`,
      { cause: error },
    );
  }
  return () => database.close();
}

/** Puts a database in the place of another, which nobody may have open. */
function replace(part: string, path: string): void {
  const unlock: (() => void)[] = [];
  const tokens = tokensPath(path);
  // Before the locks: closing a file gives up the locks that the process has on it.
  const mark = applicationIdOf(tokens);
  try {
    for (const file of [path, tokens]) unlock.push(lockWhole(file));
    // What is so damaged that it does not say what it is must not stop what replaces it.
    if (![undefined, TOKENS.applicationId].includes(mark)) renameSync(tokens, `${tokens}.damaged`);
    putInPlace(part, path);
  } finally {
    for (const one of unlock) one();
  }
}

/** Has the tokens leave for their own file, as they do whenever a database is opened that has them. */
function finish(path: string): void {
  try {
    openFile(path, 'write', false).close();
  } catch (error) {
    throw new StoreUnavailable(
      `${path} is restored, but its tokens could not be put beside it (${(error as Error).message}). Mend that: the next start, or linecard-server migrate, does the rest.`,
      { cause: error },
    );
  }
}

/** Whether there is anything at a path that a restored backup would replace. */
export function isTaken(path: string): boolean {
  return [path, tokensPath(path)].some((file) => existsSync(file));
}

/**
 * Brings a backup back as the database at a path, and replaces what is there. It is checked first; a process
 * that is killed leaves the old database or the new one.
 * @throws {StoreRefused} when it is no backup, damaged, or made by a newer Linecard.
 * @throws {StoreUnavailable} when what is there is in use, or the disk does not take it.
 */
export function restore(file: string, path: string): BackupContents {
  mustNameFile(path);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new StoreRefused(`There is no file ${file}.`);
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new StoreRefused(
      `${file} has a log beside it, ${file}-wal: it is a database in use, not a backup. Make one with: linecard-server backup FILE`,
    );
  }
  const part = `${path}.restoring`;
  removeFile(part);
  try {
    const contents = prepareRestored(file, path, part);
    replace(part, path);
    finish(path);
    return contents;
  } catch (error) {
    removeFile(part);
    const fault = writeFault(error);
    if (fault !== error || !isUnreadable(error)) throw fault;
    throw new StoreRefused(
      `${file} is not a backup of Linecard, or is damaged (${(error as Error).message}). Nothing was changed.`,
      { cause: error },
    );
  }
}
