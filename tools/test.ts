// Runs the tests: all of them, or the files named. Options go on to Node's test runner:
// `npm test -- api/query.test.ts --test-name-pattern=cursor`.

import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

const EVERY_TEST = '**/*.test.ts';
const LONGEST_TEST_MS = 180_000;

const words = process.argv.slice(2);
const options = words.filter((word) => word.startsWith('-'));
const files = words.filter((word) => !word.startsWith('-'));

const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    `--test-concurrency=${availableParallelism()}`,
    `--test-timeout=${LONGEST_TEST_MS}`,
    '--test-force-exit', // a test that timed out may leave a server behind, which would hold up the whole run
    ...options,
    ...(files.length ? files : [EVERY_TEST]),
  ],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
