// Runs the tests: the normal ones, with --long the long ones (`*.long.test.ts`), or the files named. Other
// options are passed to Node's test runner: `npm test -- cli/wrap.test.ts --test-name-pattern=columns`. All
// files share what takes long to create: a PostgreSQL server (TEST_POSTGRES_URL, or started here), a Citus
// cluster (TEST_CITUS_URL, or started here if the extension is installed), database templates, and a compile
// cache.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CitusCluster, startCitusCluster } from '../test/kit/citus-cluster.ts';
import { ENVIRONMENT } from '../test/kit/environment.ts';
import { PostgresServer } from '../test/kit/postgres-server.ts';
import { makeTemplates } from '../test/kit/templates.ts';
import { makeBundles } from './bundles.ts';

const LONG = '--long';
const TESTS = '**/*.test.ts';
const LONG_TESTS = '**/*.long.test.ts';
const NOT_SEARCHED = ['**/node_modules', '**/dist'];
const MAX_TEST_MS = 540_000;
/** Concurrent files per processor: tests mostly wait for processes and timers. */
const FILES_PER_PROCESSOR = 3;
/** A process takes half a second of processor time more than another file in it: imports, cold code. */
const FILES_A_PROCESS = 18;
const HOOKS_OF_EACH = /^(?:before|after)Each\(/m;
const WITH_BROWSER = /\/kit\/browser\.ts'/;
/** A file system in memory: PostgreSQL copies a database there in a seventh of the time. */
const MEMORY_FOLDER = '/dev/shm';
const MIN_MEMORY_BYTES = 4 * 1_024 ** 3;
const PUBLIC_FOLDER = 0o755;
/**
 * Most objects of a test live for one request: with more room for young ones (MiB), V8 collects less often,
 * and the tests cost a tenth less of processor time.
 */
const YOUNG_OBJECTS = '--max-semi-space-size=64';
/** What every process of the tests loads first. */
const PRELOADED = ['./file-limit.ts', './bundled-threads.ts'].map(
  (file) => new URL(file, import.meta.url).href,
);

const words = process.argv.slice(2);
const options = words.filter((word) => word.startsWith('-') && word !== LONG);
const named = words.filter((word) => !word.startsWith('-'));

function files(): string[] {
  if (named.length > 0) return named;
  return words.includes(LONG)
    ? globSync(LONG_TESTS, { exclude: NOT_SEARCHED })
    : grouped(globSync(TESTS, { exclude: [...NOT_SEARCHED, LONG_TESTS] }));
}

/**
 * The files as they are run: several of a folder in one process, one after the other, by a module that
 * imports them, unless a file has hooks for each test that its process runs. The largest come first, and the
 * tests of units last, or what takes long would run alone at the end.
 */
function grouped(found: readonly string[]): string[] {
  const modules = mkdtempSync(join(tmpdir(), 'linecard-groups-'));
  process.once('exit', () => rmSync(modules, { recursive: true, force: true }));
  const textOf = (file: string) => readFileSync(file, 'utf8');
  const folderOf = (file: string) => (file.startsWith('test') ? dirname(file) : file.split(sep)[0]);
  // They share a browser.
  const groupOf = (file: string) => (WITH_BROWSER.test(textOf(file)) ? WITH_BROWSER : folderOf(file));
  const bytesIn = (some: readonly string[]) => some.reduce((sum, file) => sum + statSync(file).size, 0);
  const isAlone = (file: string) => HOOKS_OF_EACH.test(textOf(file));
  const isQuick = ([file = '']: readonly string[]) => !file.startsWith('test');
  const folders = Map.groupBy(found.filter((file) => !isAlone(file)).toSorted(), groupOf);
  const groups = folders.values().flatMap(function* (all) {
    for (let i = 0; i < all.length; i += FILES_A_PROCESS) yield all.slice(i, i + FILES_A_PROCESS);
  });
  return [...groups, ...found.filter(isAlone).map((file) => [file])]
    .toSorted((a, b) => Number(isQuick(a)) - Number(isQuick(b)) || bytesIn(b) - bytesIn(a))
    .map((some, i) => {
      // The runner sorts what it is given by name.
      const path = join(modules, `${String(i).padStart(3, '0')}.test.mjs`);
      const urls = some.map((file) => pathToFileURL(resolve(file)).href);
      writeFileSync(path, urls.map((url) => `import '${url}';\n`).join(''));
      return path;
    });
}

/** A folder in memory for the temporary files, if there is enough memory and TMPDIR names no other. */
function memoryFolder(): string | undefined {
  if (process.env['TMPDIR'] !== undefined) return undefined;
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    if (Math.min(bavail * bsize, process.availableMemory()) < MIN_MEMORY_BYTES) return undefined;
    const folder = mkdtempSync(join(MEMORY_FOLDER, 'linecard-tests-'));
    // PostgreSQL may run as another user.
    chmodSync(folder, PUBLIC_FOLDER);
    return folder;
  } catch {
    return undefined;
  }
}

/** Starts a cluster, unless TEST_CITUS_URL is set. */
async function ownCluster(): Promise<CitusCluster | undefined> {
  if (process.env['TEST_CITUS_URL'] !== undefined) return undefined;
  try {
    return await startCitusCluster();
  } catch (error) {
    console.error(
      `The Citus extension is installed, but no cluster could be started: ${(error as Error).message}`,
    );
    return undefined;
  }
}

const inMemory = memoryFolder();
if (inMemory !== undefined) process.env['TMPDIR'] = inMemory;
const server = await PostgresServer.shared();
const cluster = await ownCluster();
const templates = await makeTemplates(server);
// Long tests start the sources themselves; for a few files bundles would cost more than they save.
const bundles = named.length > 0 || words.includes(LONG) ? undefined : await makeBundles();
const runner = spawn(
  process.execPath,
  [
    '--test',
    `--test-concurrency=${Math.ceil(FILES_PER_PROCESSOR * availableParallelism())}`,
    `--test-timeout=${MAX_TEST_MS}`,
    ...PRELOADED.flatMap((file) => ['--import', file]),
    ...options,
    ...files(),
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} ${YOUNG_OBJECTS}`.trim(),
      NODE_COMPILE_CACHE: ENVIRONMENT.NODE_COMPILE_CACHE,
      TEST_POSTGRES_URL: server.url,
      ...templates.env,
      ...(bundles && { TEST_BUNDLES: bundles.folder }),
      ...(cluster && { TEST_CITUS_URL: cluster.url }),
    },
  },
);
// After the servers, which stop at the exit first. A signal must not leave files in memory.
process.once('exit', () => {
  runner.kill();
  if (inMemory !== undefined) rmSync(inMemory, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const [status] = (await once(runner, 'exit')) as [number | null];
await templates.remove();
bundles?.remove();
cluster?.stop();
await server.stop();
process.exitCode = status ?? 1;
