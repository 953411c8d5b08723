// Files of the embedded store: only their owner can read them, and they are renamed into place when complete.

import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { StoreRefused } from '../store-errors.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const PERMISSIONS = 0o777;
/** Where a SQLite file carries the mark of its program. */
const APPLICATION_ID_OFFSET = 68;
/** The companions of a SQLite file while it is in use. */
export const COMPANIONS = ['-wal', '-shm'] as const;

/** Links that one may lead through, as Linux has it. */
const MAX_LINKS = 40;

/**
 * The path that a name leads to, with all links resolved: to replace the name of a link would leave the file
 * that it links to. That file may be missing.
 */
export function followed(path: string): string {
  let found = path;
  for (let links = 0; lstatSync(found, { throwIfNoEntry: false })?.isSymbolicLink(); links++) {
    if (links === MAX_LINKS) throw new StoreRefused(`${path} is a link that leads in a circle.`);
    found = resolve(dirname(found), readlinkSync(found));
  }
  const folder = dirname(resolve(found));
  return existsSync(folder) ? join(realpathSync(folder), basename(found)) : found;
}

/** Whether there is something that is neither a file nor a link to one: a folder, a device, a pipe. */
export function isNoRegularFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === false;
}

export function removeFile(path: string): void {
  for (const end of ['', '-journal', ...COMPANIONS]) rmSync(path + end, { force: true });
}

export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  } catch (error) {
    throw new StoreRefused(
      `${folder} cannot be made a folder (${(error as Error).message}): name another file with --database-url.`,
      { cause: error },
    );
  }
}

/**
 * Creates an empty file that only its owner can read and write, or those who can read and write another file
 * that it belongs to. SQLite gives the companions of a file its mode.
 * @throws when it is there already.
 */
export function makeFile(path: string, beside?: string): void {
  closeSync(openSync(path, 'wx', FILE_MODE));
  const model = beside === undefined ? undefined : statSync(beside);
  // The mask of the process must not make it unreadable.
  chmodSync(path, model === undefined ? FILE_MODE : model.mode & PERMISSIONS);
  if (model !== undefined && process.getuid?.() === 0) chownSync(path, model.uid, model.gid);
}

/**
 * The mark of a file that no connection of this process has open; `undefined` where it is missing or empty.
 */
export function applicationIdOf(path: string): number | undefined {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined;
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(4);
    readSync(file, bytes, 0, bytes.length, APPLICATION_ID_OFFSET);
    return bytes.readUInt32BE();
  } finally {
    closeSync(file);
  }
}

/** Makes changes of the names in a folder durable. */
function syncFolder(folder: string): void {
  // Windows does not open folders.
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/**
 * Puts a SQLite file that is closed in the place of another one, or of none; neither may be a link. The
 * companions of the old one go first: SQLite would take its log for one of the new.
 */
export function putInPlace(file: string, path: string): void {
  for (const end of COMPANIONS) rmSync(path + end, { force: true });
  renameSync(file, path);
  syncFolder(dirname(path));
}
