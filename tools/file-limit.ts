// Loaded into every process of a test run (`--import`): makes one in which no test ends any more fail, and
// reports its open resources, so that it cannot hang the run.

import { afterEach } from 'node:test';
import { isMainThread } from 'node:worker_threads';

/** Longer than a test may take. */
const MAX_PAUSE_MS = 560_000;

// Not for threads and processes that a test starts.
if (
  isMainThread &&
  process.env['NODE_TEST_CONTEXT'] === 'child-v8' &&
  /\.test\.m?[jt]s$/.test(process.argv[1] ?? '')
) {
  const limit = setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(
      `In ${process.argv[1]} no test has ended for ${MAX_PAUSE_MS / 1_000} s. Close its open resources: ${open}\n`,
    );
    process.exit(1);
  }, MAX_PAUSE_MS);
  limit.unref();
  afterEach(() => void limit.refresh());
}
