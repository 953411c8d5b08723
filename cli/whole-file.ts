// Files that are written completely or not at all: under a temporary name, then moved into place.

import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open, readdir, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Failed } from './outcome.ts';

const PERMISSIONS = 0o777;
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'you may not write there',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
};

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';

/** A file system error as a sentence. */
export function writeFailure(path: string, error: unknown): unknown {
  const reason = REASONS[codeOf(error)];
  return reason === undefined ? error : new Failed(`${path} cannot be written: ${reason}.`, { cause: error });
}

/** `undefined` where nothing is there, for example after a dangling link. */
async function foundAt(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw writeFailure(path, error);
  }
}

/** The file that a path leads to, through symbolic links, and what is there. */
async function destination(path: string): Promise<{ target: string; found?: Stats }> {
  const found = await foundAt(path);
  if (found === undefined) {
    const link = await readlink(path).catch(() => undefined);
    if (link === undefined) return { target: path };
    return destination(resolve(await realpath(dirname(path)), link));
  }
  // The link of a pipe, as /dev/stdout may be, leads to no path.
  if (!found.isFile()) throw new Failed(`${path} is not a file. Name another, or write to standard output.`);
  return { target: await realpath(path), found };
}

const PART_OF = /^\.(.+)\.[\da-f-]{36}\.part$/;
/** A writer that is still running writes more often. */
const STALE_MS = 3_600_000;

/** Removes the parts that killed writers left. */
export async function removeStaleParts(path: string): Promise<void> {
  const { target } = await destination(path);
  const folder = dirname(target);
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (PART_OF.exec(name)?.[1] !== basename(target)) continue;
    const part = join(folder, name);
    const { mtimeMs } = await stat(part).catch(() => ({ mtimeMs: Date.now() }));
    if (Math.abs(Date.now() - mtimeMs) > STALE_MS) await rm(part, { force: true });
  }
}

/** Gives a new file to those who have the old one, as far as the system and its disk allow. */
async function keepAccess(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const own = await file.stat();
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid).catch(() => {});
  // That of `open` is reduced by the umask.
  await file.chmod(mode & PERMISSIONS).catch(() => {});
}

/**
 * Writes a file. After a failure or an interruption, what was there before still is.
 * @param mode of a new file; an existing one keeps its own, and owner and group, unless `keepMode` is false
 * @throws {Failed}
 */
export async function writeWhole(
  path: string,
  { mode, keepMode }: { mode: number; keepMode: boolean },
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const { target, found } = await destination(path);
  const part = join(dirname(target), `.${basename(target)}.${randomUUID()}.part`);
  let file: FileHandle | undefined;
  try {
    const old = keepMode ? found : undefined;
    file = await open(part, 'wx', old === undefined ? mode : old.mode & PERMISSIONS);
    if (old !== undefined) await keepAccess(file, old);
    await write(file);
    await file.sync();
    await file.close();
    await rename(part, target);
  } catch (error) {
    await file?.close();
    await rm(part, { force: true });
    throw writeFailure(path, error);
  }
}
