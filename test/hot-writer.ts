// A thread that imports one state of a list after the other, as fast as it can, until it is told to stop.

import { parentPort, workerData } from 'node:worker_threads';
import { openStore } from '../server/open.ts';
import type { ModelList, ModelRow } from './model.ts';
import { load } from './service.ts';

/** What the thread is given. */
export interface HotWriter {
  readonly database_url: string;
  readonly account_id: string;
  readonly name: ModelList['name'];
  readonly states: readonly (readonly ModelRow[])[];
}

if (parentPort !== null) {
  const { database_url, account_id, name, states } = workerData as HotWriter;
  const store = await openStore(database_url, 'write');
  let told_to_stop = false;
  parentPort.once('message', () => {
    told_to_stop = true;
  });
  for (let i = 0; !told_to_stop; i++) await load(store, name, states[i % states.length] ?? [], [account_id]);
  await store.close();
}
