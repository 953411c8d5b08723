// The worker pool: a task that is given up leaves nothing open; a thread that dies fails its own tasks only.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { type Answer, type AnswerStream, isStream } from '../../server/answers/answer.ts';
import { WorkerPool } from '../../server/answers/threads/pool.ts';
import { WorkerThread } from '../../server/answers/threads/thread.ts';
import { TaskScheduler } from '../../server/limits/task-scheduler.ts';
import { StoreUnavailable } from '../../server/store/store-errors.ts';
import { tables } from '../../server/store/tables.ts';
import { hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { ENGINE, EVERY, PATIENT_CLIENT, questionOf, textOf } from '../kit/questions.ts';
import { openService, type Service, type StoreKind, stores } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const OTHER_ACCOUNT = 'ACME';

describe('the worker pool', () => {
  let service: Service;
  let pool: WorkerPool;
  before(async () => {
    service = await openService(stores[0] as StoreKind, { rows: hardRows });
  });
  after(async () => service.close());

  const list = 'virtual_numbers';
  const patient = { client: PATIENT_CLIENT, timeMs: undefined };
  const gone = { ...patient, client: { ...PATIENT_CLIENT, isDisconnected: () => true } };

  const pageOf = (account_id: string, task = patient) =>
    pool.run(questionOf('page', list, account_id, { query: { ...EVERY, page_size: 1 } }), task);

  async function exported(timeMs?: number): Promise<AnswerStream> {
    const question = questionOf('export', list, LARGE_ACCOUNT, { format: 'ndjson' });
    const { body } = (await pool.run(question, { ...patient, timeMs })) as Answer;
    assert.ok(isStream(body));
    return body;
  }

  /** Whether any snapshot of the database is open. */
  function isSnapshotOpen(): boolean {
    const database = new DatabaseSync(service.database_url.slice('sqlite:'.length));
    try {
      return database.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] !== 0;
    } finally {
      database.close();
    }
  }

  /** Opens a pool of one thread; gives that thread once it was started. */
  function open(): { readonly first: Promise<Worker> } {
    pool = new WorkerPool({ ...ENGINE, cursorKey: 'key', databaseUrl: service.database_url, threads: 1 });
    return { first: once(process, 'worker').then(([worker]) => worker as Worker) };
  }

  async function rowsOfPage(): Promise<number> {
    return JSON.parse(await textOf((await pageOf(LARGE_ACCOUNT)) as Answer)).data.length;
  }

  /** An export of which some was read, and facets that are not there yet: how each of them fails. */
  async function unfinished() {
    const { parts } = await exported();
    const reading = parts[Symbol.asyncIterator]();
    assert.equal((await reading.next()).done, false);
    const failed = assert.rejects(pool.run(questionOf('facets', list, LARGE_ACCOUNT), patient));
    const brokenOff = () =>
      assert.rejects(async () => {
        while ((await reading.next()).done !== true);
      });
    return { failed, brokenOff };
  }

  test('an export that is given up before the database is open leaves no snapshot of it open', async () => {
    open();
    await assert.rejects(exported(1), StoreUnavailable);
    assert.equal(await rowsOfPage(), 1);
    await until('no snapshot is open', () => !isSnapshotOpen());
    await pool.close();
  });

  test('a thread that dies fails its tasks and breaks off its exports, and the next task is done', async () => {
    const { first } = open();
    const { failed, brokenOff } = await unfinished();
    await (await first).terminate();
    await failed;
    await brokenOff();
    assert.equal(await rowsOfPage(), 1);
    await pool.close();
  });

  test('a task whose thread cannot be started is refused, and leaves its place to the next', async () => {
    const thread = new WorkerThread({ neverSent: () => {} } as never);
    const scheduler = new TaskScheduler({
      slots: [thread],
      concurrency: 1,
      longShare: 1,
      rank: () => 0,
      unavailable: (why) => new StoreUnavailable(why),
    });
    const demand = { account_id: LARGE_ACCOUNT, isDisconnected: () => false };
    for (let i = 0; i < 3; i++)
      await assert.rejects(
        scheduler.run(demand, () => thread.answer({} as never)),
        /could not be cloned/,
      );
    await assert.rejects(
      scheduler.run(demand, () => {
        throw new Error('at once');
      }),
      /at once/,
    );
    assert.deepEqual([scheduler.statistics, thread.load], [{ waiting: 0, running: 0 }, 0]);
  });

  test('a pool that is closed fails its tasks, breaks off its exports and builds no more indexes', async () => {
    open();
    const { failed, brokenOff } = await unfinished();
    const index = pool.index(tables.virtual_numbers, LARGE_ACCOUNT, Number.POSITIVE_INFINITY);
    await pool.close();
    await failed;
    assert.equal(await index, undefined);
    await brokenOff();
  });

  test('an export that is closed after its thread has ended starts no other thread', async () => {
    const { first } = open();
    const left = await exported();
    await first;
    await pool.close();
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

  test('the only task of one account comes before the rest of a hundred of another', async () => {
    open();
    const done: string[] = [];
    const ask = (account_id: string) => pageOf(account_id).then(() => done.push(account_id));
    await Promise.all([...Array<string>(100).fill(LARGE_ACCOUNT), OTHER_ACCOUNT].map(ask));
    assert.equal(done.length, 101);
    assert.ok(done.indexOf(OTHER_ACCOUNT) <= 2, `it came after ${done.indexOf(OTHER_ACCOUNT)} others`);
    await pool.close();
  });

  test('a task is not begun for a client that has disconnected, and the others are done', async () => {
    open();
    const first = pageOf(LARGE_ACCOUNT);
    const left = pageOf(LARGE_ACCOUNT, gone);
    const last = pageOf(LARGE_ACCOUNT);
    await assert.rejects(left, StoreUnavailable);
    for (const answer of [await first, await last]) assert.ok(answer);
    await pool.close();
  });
});
