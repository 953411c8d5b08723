// Loaded into every process of the test run (`--import`): a test file that does not end by itself ends here,
// as failed and with what it left open, so that it cannot hang the whole run.

import { isMainThread } from 'node:worker_threads';

/** Beyond the slowest file on a busy machine; each test within it has a limit of its own. */
const LONGEST_FILE_MS = 300_000;

// What a test starts, threads and processes of its own, is no test file.
if (
  isMainThread &&
  process.env['NODE_TEST_CONTEXT'] === 'child-v8' &&
  process.argv[1]?.endsWith('.test.ts')
) {
  const limit = setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(
      `${process.argv[1]} is not over after ${LONGEST_FILE_MS / 1_000} s. Close what it leaves open: ${open}\n`,
    );
    process.exit(1);
  }, LONGEST_FILE_MS);
  limit.unref();
}
