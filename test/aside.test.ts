// The other threads: what is given up leaves nothing behind, and one that dies takes no more with it than what it was doing.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { QueryParser } from '@linecard/client/contract/query-parser';
import { StoreUnavailable } from '../server/store/store.ts';
import { tables } from '../server/store/tables.ts';
import type { Asked } from '../server/threads/messages.ts';
import { Aside } from '../server/threads/pool.ts';
import { hardRows, LARGE_ACCOUNT } from './hard-rows.ts';
import { openService, type Service, type StoreKind, stores } from './service.ts';

const PATIENCE_MILLISECONDS = 20_000;
const OTHER_ACCOUNT = 'ACME';

describe('work on other threads', () => {
  let service: Service;
  let aside: Aside;
  before(async () => {
    service = await openService(stores[0] as StoreKind, { rows: hardRows });
  });
  after(async () => service.close());

  const list = 'virtual_numbers';
  const query = new QueryParser(tables[list].list, 1_000, 'page').ofString('page_size=1');
  const asked: Asked = { list, account_id: LARGE_ACCOUNT, query };

  /** Whoever asks waits for the answer. */
  const stays = () => false;

  /** Whether anybody keeps a moment of the database. */
  function isLookedAt(): boolean {
    const database = new DatabaseSync(service.database_url.slice('sqlite:'.length));
    try {
      return database.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] !== 0;
    } finally {
      database.close();
    }
  }

  /** Other threads of their own, and the first of them once it was started. */
  function open(): { readonly first: Promise<Worker> } {
    aside = new Aside(service.database_url, 'key', 1);
    return { first: once(process, 'worker').then(([worker]) => worker as Worker) };
  }

  test('an export that is given up before the database is open leaves no moment of it open', async () => {
    open();
    const given_up = aside.export({ ...asked, time_ms: 1 }, 'csv');
    await assert.rejects(given_up, StoreUnavailable);
    assert.equal(JSON.parse((await aside.page(asked, stays)).body).data.length, 1);
    const until = Date.now() + PATIENCE_MILLISECONDS;
    while (isLookedAt()) {
      assert.ok(Date.now() < until, 'a snapshot is still open');
      await sleep(20);
    }
    await aside.close();
  });

  test('a thread that dies fails its work and breaks off its exports, and the next work is done', async () => {
    const { first } = open();
    const { pieces } = await aside.export(asked, 'ndjson');
    const reading = pieces[Symbol.asyncIterator]();
    assert.equal((await reading.next()).done, false);
    const worker = await first;
    const failed = assert.rejects(aside.facets(asked, stays));
    await worker.terminate();
    await failed;
    await assert.rejects(async () => {
      while ((await reading.next()).done !== true);
    });
    assert.equal(JSON.parse((await aside.page(asked, stays)).body).data.length, 1);
    await aside.close();
  });

  test('an export that is left after its thread has ended starts no other', async () => {
    const { first } = open();
    const left = await aside.export(asked, 'ndjson');
    await first;
    await aside.close();
    let started = 0;
    const count = () => {
      started += 1;
    };
    process.on('worker', count);
    left.close();
    await sleep(0);
    process.off('worker', count);
    assert.equal(started, 0);
  });

  test('of one that asks once comes before the rest of one that asks a hundred times', async () => {
    open();
    const ended: string[] = [];
    const ask = (account_id: string) =>
      aside.page({ ...asked, account_id }, stays).then(() => ended.push(account_id));
    await Promise.all([...Array<string>(100).fill(LARGE_ACCOUNT), OTHER_ACCOUNT].map(ask));
    assert.equal(ended.length, 101);
    assert.ok(ended.indexOf(OTHER_ACCOUNT) <= 2, `it came after ${ended.indexOf(OTHER_ACCOUNT)} others`);
    await aside.close();
  });

  test('is not begun for who has left, and goes on for the others', async () => {
    open();
    const first = aside.page(asked, stays);
    const left = aside.page(asked, () => true);
    const last = aside.page(asked, stays);
    await assert.rejects(left, StoreUnavailable);
    assert.equal((await first).page, 1);
    assert.equal((await last).page, 1);
    await aside.close();
  });
});
