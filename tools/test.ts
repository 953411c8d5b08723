// Runs the tests: all of them, or the files named. Options go on to Node's test runner: `npm test --
// api/contract/query.test.ts --test-name-pattern=cursor`. All share one PostgreSQL, which is started here
// unless TEST_POSTGRES_URL names one.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { PostgresServer } from '../test/postgres-server.ts';

const EVERY_TEST = '**/*.test.ts';
const LONGEST_TEST_MS = 280_000;
/** What the hundreds of processes and threads of a run would compile again and again. */
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/linecard-tests', import.meta.url));
const FILE_LIMIT = new URL('./file-limit.ts', import.meta.url).href;

const words = process.argv.slice(2);
const options = words.filter((word) => word.startsWith('-'));
const files = words.filter((word) => !word.startsWith('-'));

const server = await PostgresServer.shared();
const runner = spawn(
  process.execPath,
  [
    '--test',
    `--test-concurrency=${availableParallelism()}`,
    `--test-timeout=${LONGEST_TEST_MS}`,
    '--import',
    FILE_LIMIT,
    ...options,
    ...(files.length ? files : [EVERY_TEST]),
  ],
  {
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE: COMPILED, ...process.env, TEST_POSTGRES_URL: server.url },
  },
);
const [status] = (await once(runner, 'exit')) as [number | null];
await server.stop();
process.exitCode = status ?? 1;
