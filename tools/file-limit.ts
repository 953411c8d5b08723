// Loaded into every process of a test run (`--import`): makes a test file that does not end fail, and reports
// its open resources, so that it cannot hang the run.

import { isMainThread } from 'node:worker_threads';

/** Longer than the slowest file on a busy machine. Each test has its own limit as well. */
const MAX_FILE_MS = 560_000;

// Not for threads and processes that a test starts.
if (
  isMainThread &&
  process.env['NODE_TEST_CONTEXT'] === 'child-v8' &&
  /\.test\.m?[jt]s$/.test(process.argv[1] ?? '')
) {
  const limit = setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(
      `${process.argv[1]} has not ended after ${MAX_FILE_MS / 1_000} s. Close its open resources: ${open}\n`,
    );
    process.exit(1);
  }, MAX_FILE_MS);
  limit.unref();
}
