// The embedded store as one file: a copy of the database at one instant, which contains the tables of the
// tokens, as a restored database does until it is opened (tokens-file.ts).

import { existsSync, statSync } from 'node:fs';
import { backup as copyPages, DatabaseSync } from 'node:sqlite';
import { COPYING, unfinishedCopy } from '../deployment.ts';
import { StoreEmpty, StoreRefused } from '../store-errors.ts';
import { tables } from '../tables.ts';
import { writeFault } from './errors.ts';
import { mustNameFile, refusal } from './file.ts';
import { COMPANIONS, followed, isNoRegularFile, makeFile, putInPlace, removeFile } from './files.ts';
import { BACKUP, DATABASE, schemaStep } from './migrate.ts';
import { reservePath } from './reserve.ts';
import { seal } from './seal.ts';
import { attachTokens, holdsTokens, putTokensInside, tokensPath } from './tokens-file.ts';

/** A name that other commands take for standard output. */
const STANDARD_OUTPUT = '-';
const BUSY_MILLISECONDS = 5_000;
/** Pages per step of the copy. */
const PAGES_AT_ONCE = 500;

export interface BackupContents {
  readonly bytes: number;
  /** How many of each: accounts, tokens and the items of each list. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Called with the progress, from 0 to 1. */
type BackupProgress = (share: number) => void;

/** @throws {StoreRefused} when SQLite finds the file damaged. */
export function mustBeSound(database: DatabaseSync, name: string): void {
  const [first] = database.prepare('pragma integrity_check(1)').all();
  if (first?.['integrity_check'] === 'ok') return;
  throw new StoreRefused(
    `${name} is damaged (SQLite says: ${String(first?.['integrity_check'])}). It was left as it is: bring back an older backup.`,
  );
}

export function contentsOf(database: DatabaseSync, file: string): BackupContents {
  const names = ['accounts', 'tokens', ...Object.keys(tables)];
  const count = (name: string) => Number(database.prepare(`select count(*) as n from ${name}`).get()?.['n']);
  return { bytes: statSync(file).size, rows: Object.fromEntries(names.map((name) => [name, count(name)])) };
}

/** @throws {StoreRefused} when it has an incomplete copy. */
export function mustBeFinished(database: DatabaseSync, name: string): void {
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
    // One file, without a log.
    copy.exec('pragma journal_mode = delete; begin');
    if (!holdsTokens(copy)) putTokensInside(source, copy);
    copy.exec(`pragma application_id = ${BACKUP.applicationId}; commit`);
    mustBeSound(copy, path);
    const contents = contentsOf(copy, part);
    copy.close();
    copy = undefined;
    seal(part);
    return { ...contents, bytes: statSync(part).size };
  } finally {
    copy?.close();
    source.close();
  }
}

/** Whether a file is part of a database, or one of SQLite's companions of it. */
function isOf(path: string, file: string): boolean {
  const real = followed(file);
  const ends = ['', '-journal', ...COMPANIONS];
  const files = [path, tokensPath(path), reservePath(path)];
  return files.some((own) => ends.some((end) => followed(own) + end === real));
}

/**
 * Why a backup must not replace a file; `undefined` if it may. A device would be replaced by a file for every
 * program that uses it.
 */
export function backupFault(path: string, file: string): string | undefined {
  if (file === STANDARD_OUTPUT)
    return 'A backup is written to a file, not to standard output: name one (./- for one that is called -).';
  const isTaken = isOf(path, file);
  if (!isTaken && !isNoRegularFile(file)) return undefined;
  const what = isTaken ? 'a file of the database itself' : 'a folder or a device, not a file';
  return `${file} is ${what}: name another one for the backup.`;
}

/**
 * Writes the database at a path into one file, which it replaces, or what it is a link to; writers go on
 * meanwhile.
 * @throws {StoreRefused} when the database is missing, damaged or of another program.
 * @throws {StoreUnavailable} when the disk does not take it.
 */
export async function backUp(
  path: string,
  file: string,
  onProgress: BackupProgress,
): Promise<BackupContents> {
  mustNameFile(path);
  const fault = backupFault(path, file);
  if (fault !== undefined) throw new StoreRefused(fault);
  const target = followed(file);
  const part = `${target}.part`;
  removeFile(part);
  try {
    const contents = await writeBackup(path, part, onProgress);
    putInPlace(part, target);
    return contents;
  } catch (error) {
    removeFile(part);
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined || code === 'ENOSPC') throw writeFault(refusal(path, error));
    throw new StoreRefused(`${file} cannot be written (${message}).`, { cause: error });
  }
}
