// The thread that reads an import. It reads ahead of the writing half, but not far: memory must not grow with
// the files.

import { parentPort, workerData } from 'node:worker_threads';
import { type ReadJob, readBatches } from './reading.ts';

/** How many batches may wait to be written. */
const MAX_WAITING = 4;

let allowed = MAX_WAITING;
let resume: (() => void) | undefined;

/** Each message says that a batch has been written. */
parentPort?.on('message', () => {
  allowed += 1;
  resume?.();
});

for await (const batch of readBatches(workerData as ReadJob, process.stdin)) {
  while (allowed === 0) {
    await new Promise<void>((resolve) => {
      resume = resolve;
    });
  }
  allowed -= 1;
  parentPort?.postMessage(batch);
}
// Not the end of the thread: a connection to a database that has fallen silent would keep it running.
parentPort?.postMessage('end');
