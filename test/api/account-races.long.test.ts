// An account that is deleted, again and again, while another thread makes it, gives it tokens and changes its
// items: nothing of it is left.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ImportRefused } from '../../server/import/faults.ts';
import { importBody } from '../../server/import/import.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { StoreUnavailable } from '../../server/store/store-errors.ts';
import { tables } from '../../server/store/tables.ts';
import type { AccountRacer } from '../kit/account-racer.ts';
import { hardRows } from '../kit/hard-rows.ts';
import type { ModelRow } from '../kit/model.ts';
import { ndjson } from '../kit/rows.ts';
import { stores } from '../kit/service.ts';
import { leftOf } from '../kit/stored-items.ts';

const TIMES = 12;
const ACCOUNT = 'racer';
const IDS = [1, 2, 3];
const [ROW] = hardRows.virtual_numbers as unknown as [ModelRow];

/** Changes items of the account that are there. */
function update(store: Store) {
  const rows = IDS.map((id) => ({ account_id: ACCOUNT, id, comment: `changed ${Math.random()}` }));
  return importBody(
    { store, table: tables.virtual_numbers, format: 'ndjson', update: true },
    { bytes: Buffer.from(ndjson(rows)), isCompressed: false },
  );
}

for (const kind of stores) {
  describe(`an account that is deleted on ${kind.name}`, () => {
    let url: string;
    let store: Store;
    let remove: () => Promise<void>;
    before(async () => {
      const database = await kind.make();
      url = database.url;
      remove = () => database.remove();
      store = await openStore(url, 'write');
    });
    after(async () => {
      await store.close();
      await remove();
    });

    test('leaves nothing, also where tokens of it are made and its items are changed meanwhile', async () => {
      const task: AccountRacer = {
        database_url: url,
        account_id: ACCOUNT,
        rows: IDS.map((id) => ({ ...ROW, account_id: ACCOUNT, id })),
        times: TIMES,
      };
      await using racer = new Worker(new URL('../kit/account-racer.ts', import.meta.url), {
        workerData: task,
      });
      const ended = once(racer, 'exit');
      let runs = true;
      void ended.finally(() => {
        runs = false;
      });
      let [made, changed] = [0, 0];
      while (runs) {
        await setImmediate();
        try {
          if ((await createToken(store, ACCOUNT, 'late')) !== undefined) made += 1;
          await update(store);
          changed += 1;
        } catch (error) {
          if (!(error instanceof ImportRefused || error instanceof StoreUnavailable)) throw error;
        }
      }
      assert.deepEqual(await ended, [0]);
      assert.deepEqual(await leftOf(store, ACCOUNT), {});
      assert.ok(made > 0 && changed > 0, `${made} tokens and ${changed} imports came in time`);
    });
  });
}
