// Runs the tests: the normal ones, with --long the long ones (`*.long.test.ts`), or the files named. Other
// options are passed to Node's test runner: `npm test -- cli/wrap.test.ts --test-name-pattern=columns`. All
// files share what takes long to create: a PostgreSQL server (TEST_POSTGRES_URL, or started here), a Citus
// cluster (TEST_CITUS_URL, or started here if the extension is installed), database templates, and a compile
// cache.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
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
const [status] = (await once(runner, 'exit')) as [number | null];
await templates.remove();
cluster?.stop();
await server.stop();
process.exitCode = status ?? 1;
