// The thread that reads an import. It reads ahead of the writing half, but not far: memory must not grow with
// the files.

import { once } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type ReadJob, readBatches } from './reading.ts';

/** How many batches may wait to be written. */
const MAX_WAITING = 4;

const port = parentPort as MessagePort;
let allowed = MAX_WAITING;

/** Each message says that a batch has been written. */
port.on('message', () => {
  allowed += 1;
});

for await (const batch of readBatches(workerData as ReadJob, process.stdin)) {
  if (allowed === 0) await once(port, 'message');
  allowed -= 1;
  port.postMessage(batch);
}
// Not the end of the thread: a connection to a database that has fallen silent would keep it running.
port.postMessage('end');
