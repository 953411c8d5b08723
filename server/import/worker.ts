// The thread that reads an import. It works ahead of the writing half, but not far: memory must not grow with the files.

import { parentPort, workerData } from 'node:worker_threads';
import { type Reading, readBatches } from './reading.ts';

/** Batches that may wait to be written. */
const AHEAD = 4;

let allowed = AHEAD;
let resume: (() => void) | undefined;

/** Each message says that a batch has been written. */
parentPort?.on('message', () => {
  allowed += 1;
  resume?.();
});

for await (const batch of readBatches(workerData as Reading, process.stdin)) {
  while (allowed === 0) {
    await new Promise<void>((resolve) => {
      resume = resolve;
    });
  }
  allowed -= 1;
  parentPort?.postMessage(batch);
}
parentPort?.close();
