// The version of this package, and the commit that it was built from or, in a clone of the repository, the
// one that is checked out.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const manifest = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
  /** A package that is built has it. */
  readonly gitHead?: string;
};
const SHORT = 12;
const COMMIT = /^[\da-f]{40,64}$/;

export const VERSION = manifest.version;

const read = (...path: readonly string[]): string | undefined => {
  try {
    return readFileSync(join(...path), 'utf8').trim();
  } catch {
    return undefined;
  }
};

/** The commit that is checked out in a folder, as git stores it; `undefined` if the folder is no clone. */
export function checkedOut(folder: string): string | undefined {
  // In a linked work tree it is a file that names the folder.
  const named = /^gitdir: (.+)$/.exec(read(folder, '.git') ?? '')?.[1];
  const git = resolve(folder, named ?? '.git');
  const head = read(git, 'HEAD') ?? '';
  const branch = /^ref: (.+)$/.exec(head)?.[1];
  if (branch === undefined) return COMMIT.test(head) ? head : undefined;
  const shared = resolve(git, read(git, 'commondir') ?? '.');
  const packed = read(shared, 'packed-refs')?.split('\n') ?? [];
  const commit = read(shared, branch) ?? packed.find((line) => line.endsWith(` ${branch}`))?.split(' ')[0];
  return commit !== undefined && COMMIT.test(commit) ? commit : undefined;
}

let known: string | undefined;

/** The first digits of the commit; empty if nothing says it. */
export function commit(): string {
  known ??= (manifest.gitHead ?? checkedOut(join(import.meta.dirname, '..')) ?? '').slice(0, SHORT);
  return known;
}

/** `0.1.0 (9f4bf6ec0b71)` */
export const versionText = (): string => (commit() === '' ? VERSION : `${VERSION} (${commit()})`);

/** What `/readyz` answers, of each process that has it. */
export const readyState = () => ({
  status: 'ready',
  version: VERSION,
  ...(commit() !== '' && { commit: commit() }),
});
