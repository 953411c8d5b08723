// What commands cache for the user, a file each. Without a writable folder nothing is cached.

import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder } from './config.ts';
import { writeWhole } from './whole-file.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** The folder of what is cached of a kind; `undefined` where the user has none. */
export function cachedFolder(kind: 'fields' | 'values'): string | undefined {
  const cache = cacheFolder();
  return cache === undefined ? undefined : join(cache, kind);
}

/** The file of what is cached of these, under a name that reveals none of them. */
export function cachedFile(kind: 'fields' | 'values', ...of: readonly string[]): string | undefined {
  const folder = cachedFolder(kind);
  const name = createHash('sha256').update(of.join('\n')).digest('hex');
  return folder === undefined ? undefined : join(folder, `${name}.json`);
}

/** What a file has; nothing where it is not there, or has something else. */
export async function readCached<T extends object>(path: string | undefined): Promise<Partial<T>> {
  try {
    return path === undefined ? {} : { ...(JSON.parse(await readFile(path, 'utf8')) as Partial<T>) };
  } catch {
    return {};
  }
}

export async function writeCached(path: string | undefined, what: object): Promise<void> {
  if (path === undefined) return;
  try {
    await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    await writeWhole(path, { mode: PRIVATE_FILE, keepMode: false }, (file) =>
      file.writeFile(JSON.stringify(what)),
    );
  } catch {
    // It is requested again the next time.
  }
}
