// A thread that makes an account, gives it items and deletes it, over and over: for whatever else may happen
// to an account at the same time.

import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createAccount, deleteAccount } from '../../server/store/access/accounts.ts';
import { openStore } from '../../server/store/open.ts';
import type { ModelRow } from './model.ts';
import { load } from './service.ts';

/** For others to find the account. */
const PAUSE_MS = 120;

/** What the thread is given. */
export interface AccountRacer {
  readonly database_url: string;
  readonly account_id: string;
  readonly rows: readonly ModelRow[];
  readonly times: number;
}

if (parentPort !== null) {
  const { database_url, account_id, rows, times } = workerData as AccountRacer;
  const store = await openStore(database_url, 'change');
  for (let i = 0; i < times; i++) {
    if (!(await createAccount(store, account_id))) throw new Error('Something has brought the account back.');
    await load(store, 'virtual_numbers', rows);
    await sleep(PAUSE_MS);
    if (!(await deleteAccount(store, account_id))) throw new Error('Something else has deleted the account.');
  }
  await store.close();
}
