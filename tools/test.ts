// Runs the tests: the normal ones, with --long the long ones (`*.long.test.ts`), or the files named. Other
// options are passed to Node's test runner: `npm test -- cli/wrap.test.ts --test-name-pattern=columns`. All
// files share what takes long to create: a PostgreSQL server (TEST_POSTGRES_URL, or started here), a Citus
// cluster (TEST_CITUS_URL, or started here if the extension is installed), database templates, and a compile
// cache.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  chmodSync,
  constants,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CitusCluster, startCitusCluster } from '../test/kit/citus-cluster.ts';
import { ENVIRONMENT } from '../test/kit/environment.ts';
import { PostgresServer } from '../test/kit/postgres-server.ts';
import { makeTemplates } from '../test/kit/templates.ts';

const LONG = '--long';
const TESTS = '**/*.test.ts';
const LONG_TESTS = '**/*.long.test.ts';
const NOT_SEARCHED = ['**/node_modules', '**/dist'];
const MAX_TEST_MS = 280_000;
/** Concurrent files per processor: tests mostly wait for processes and timers. */
const FILES_PER_PROCESSOR = 3;
/** A file system in memory: PostgreSQL copies a database there in a seventh of the time. */
const MEMORY_FOLDER = '/dev/shm';
const MIN_MEMORY_BYTES = 4 * 1_024 ** 3;
const PUBLIC_FOLDER = 0o755;
const FILE_LIMIT = new URL('./file-limit.ts', import.meta.url).href;

const words = process.argv.slice(2);
const options = words.filter((word) => word.startsWith('-') && word !== LONG);
const named = words.filter((word) => !word.startsWith('-'));

function files(): string[] {
  if (named.length > 0) return named;
  return words.includes(LONG)
    ? globSync(LONG_TESTS, { exclude: NOT_SEARCHED })
    : globSync(TESTS, { exclude: [...NOT_SEARCHED, LONG_TESTS] });
}

/** The folder of the compile cache, or a temporary one if it is not writable. */
function cacheFolder(): string {
  const { NODE_COMPILE_CACHE: folder } = ENVIRONMENT;
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch {
    const own = mkdtempSync(join(tmpdir(), 'linecard-compiled-'));
    process.once('exit', () => rmSync(own, { recursive: true, force: true }));
    return own;
  }
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
const runner = spawn(
  process.execPath,
  [
    '--test',
    `--test-concurrency=${Math.ceil(FILES_PER_PROCESSOR * availableParallelism())}`,
    `--test-timeout=${MAX_TEST_MS}`,
    '--import',
    FILE_LIMIT,
    ...options,
    ...files(),
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: cacheFolder(),
      TEST_POSTGRES_URL: server.url,
      ...templates.env,
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
cluster?.stop();
await server.stop();
process.exitCode = status ?? 1;
