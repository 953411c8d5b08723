// Restores a backup of the embedded store.

import { chmodSync, copyFileSync, existsSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { refuseNewerSchema } from '../migrations.ts';
import { StoreRefused, StoreUnavailable } from '../store-errors.ts';
import { restoredPosition } from '../webhooks/webhook-records.ts';
import { type BackupContents, contentsOf, mustBeFinished, mustBeSound } from './backup.ts';
import { isUnreadable, SQLITE_BUSY, sqliteCode, writeFault } from './errors.ts';
import { mustNameFile, openFile } from './file.ts';
import {
  applicationIdOf,
  followed,
  isNoRegularFile,
  makeFile,
  makeFolder,
  putInPlace,
  removeFile,
} from './files.ts';
import { BACKUP, DATABASE, pragma, TOKENS } from './migrate.ts';
import { breakSeal } from './seal.ts';
import { hasTable, holdsTokens, tokensPath } from './tokens-file.ts';

const damaged = (file: string, how: string) =>
  new StoreRefused(`${file} is damaged: ${how}. It was left as it is: restore an older backup.`);

/**
 * SQLite takes what is missing of the last page for zeros, and finds nothing wrong.
 * @throws {StoreRefused} when the file does not end with its last page.
 */
function mustHaveAllPages(database: DatabaseSync, part: string, file: string): void {
  const [page, { size }] = [pragma(database, 'page_size'), statSync(part)];
  if (size < pragma(database, 'page_count') * page) throw damaged(file, 'it ends before its last page does');
  if (size % page !== 0) throw damaged(file, 'it ends within its checksum');
}

/** @throws {StoreRefused} when the file is not a backup that this program can bring back. */
function mustBeBackup(database: DatabaseSync, file: string): void {
  const mark = pragma(database, 'application_id');
  if (mark !== BACKUP.applicationId && mark !== DATABASE.applicationId)
    throw new StoreRefused(`${file} is not a backup of Linecard.`);
  if (!holdsTokens(database)) {
    throw new StoreRefused(
      `${file} is a database without its tokens, which are in a file next to it. Make backups with: linecard-server backup FILE`,
    );
  }
  refuseNewerSchema(file, pragma(database, 'user_version'), DATABASE.schema);
}

/** The original may go on with other changes, and this one must not send what it sends. */
function pauseWebhooks(database: DatabaseSync): void {
  if (!hasTable(database, 'webhooks')) return;
  const position = Object.entries(restoredPosition());
  const sets = position.map(([name]) => `${name} = ?`).join(', ');
  const update = database.prepare(`update webhooks set status = 'paused', reason = 'restored', ${sets}`);
  update.run(...position.map(([, value]) => value));
}

/** Copies a backup to the folder of its target, and makes it a database there. */
function prepareRestored(file: string, path: string, part: string): BackupContents {
  makeFolder(dirname(path));
  makeFile(part, existsSync(path) ? path : undefined);
  const { mode } = statSync(part);
  copyFileSync(file, part);
  chmodSync(part, mode);
  const isAsSealed = breakSeal(part);
  const database = new DatabaseSync(part);
  try {
    mustBeBackup(database, file);
    mustHaveAllPages(database, part, file);
    mustBeSound(database, file);
    mustBeFinished(database, file);
    if (isAsSealed === false) throw damaged(file, 'its checksum is that of other contents');
    pauseWebhooks(database);
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

/** Replaces a database, which nobody may have open; neither path is a link. */
function replace(part: string, path: string, tokens: string): void {
  const unlock: (() => void)[] = [];
  // Before the locks: closing a file gives up the locks that the process has on it.
  const mark = applicationIdOf(tokens);
  try {
    for (const file of [path, tokens]) unlock.push(lockWhole(file));
    // A file so damaged that its kind is not known must not keep the restore from replacing it.
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
      `${path} is restored, but its tokens could not be written next to it (${(error as Error).message}). Fix that: the next start, or linecard-server migrate, does the rest.`,
      { cause: error },
    );
  }
}

/** An error of rights as a sentence that says what to do; any other is returned as it is. */
function notAllowed(error: unknown, file: string, target: string): unknown {
  const { code = '', path, message } = error as NodeJS.ErrnoException;
  if (!['EACCES', 'EPERM', 'EROFS'].includes(code)) return error;
  const what =
    path === file
      ? `${file} cannot be read (${message}): restore as a user that may read it`
      : `${dirname(target)} cannot be written to (${message}): ${code === 'EROFS' ? 'mount it for writing' : 'restore as the user that owns it'}, or name another file with --database-url`;
  return new StoreRefused(`${what}. Nothing was changed.`, { cause: error });
}

/** Whether there is anything at a path that a restored backup would replace. */
export function isTaken(path: string): boolean {
  return [path, tokensPath(path)].some((file) => existsSync(file));
}

/**
 * Brings a backup back as the database at a path, and replaces what is there, or what it is a link to. It is
 * checked first; a process that is killed leaves the old database or the new one.
 * @throws {StoreRefused} when it is no backup, damaged, or made by a newer Linecard.
 * @throws {StoreUnavailable} when what is there is in use, or the disk does not take it.
 */
export function restore(file: string, path: string): BackupContents {
  mustNameFile(path);
  if (isNoRegularFile(file))
    throw new StoreRefused(`${file} is a folder or a device, not a file: name the backup.`);
  if (!existsSync(file)) throw new StoreRefused(`There is no file ${file}.`);
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new StoreRefused(
      `${file} has a log next to it, ${file}-wal: it is a database in use, not a backup. Make one with: linecard-server backup FILE`,
    );
  }
  // If the path is a link, the tokens are next to the link.
  const [target, tokens] = [followed(path), followed(tokensPath(path))];
  const part = `${target}.restoring`;
  removeFile(part);
  try {
    const contents = prepareRestored(file, target, part);
    replace(part, target, tokens);
    finish(path);
    return contents;
  } catch (error) {
    removeFile(part);
    const fault = writeFault(error);
    if (fault !== error || !isUnreadable(error)) throw notAllowed(fault, file, target);
    throw new StoreRefused(
      `${file} is not a backup of Linecard, or is damaged (${(error as Error).message}). Nothing was changed.`,
      { cause: error },
    );
  }
}
