// A thread that imports one state of a list after the other, over and over: as fast as it can
// until the message `stop`, or one for each message `go`.

import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { openStore } from '../../server/store/open.ts';
import type { ModelList, ModelRow } from './model.ts';
import { load } from './service.ts';

/** What the thread is given. */
export interface HotWriter {
  readonly database_url: string;
  readonly account_id: string;
  readonly name: ModelList['name'];
  readonly states: readonly (readonly ModelRow[])[];
  /** Each import waits for `go`, and is answered with `done` when it has ended. */
  readonly paced?: true;
}

if (parentPort !== null) {
  const { database_url, account_id, name, states, paced } = workerData as HotWriter;
  const store = await openStore(database_url, 'write');
  let isStopped = false;
  parentPort.on('message', (message: 'go' | 'stop') => {
    isStopped = message === 'stop';
  });
  for (let i = 0; ; i++) {
    if (paced) await once(parentPort, 'message');
    if (isStopped) break;
    await load(store, name, states[i % states.length] ?? [], [account_id]);
    if (paced) parentPort.postMessage('done');
  }
  await store.close();
  parentPort.close();
}
