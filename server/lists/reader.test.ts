// What a reader caches stays within its memory, whatever the requests; and where it has pages worked out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Query } from '@linecard/client/contract/query';
import { QueryParser } from '@linecard/client/contract/query-parser';
import type { ListIndex } from '../list-index/list-index.ts';
import { sqlite } from '../store/dialects.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import { tables } from '../store/tables.ts';
import type { FoundPage } from './list.ts';
import { ListReader } from './reader.ts';
import type { ListQuery, ListWorkers } from './workers.ts';

const table = tables.virtual_numbers;
const OWNER = { account_id: 'acme', revision: 'one' };
const CLIENT = { waitedMs: () => 0, isGone: () => false };
const CACHE_BYTES = 200_000;

test('answers are cached up to so many bytes, their queries included', async () => {
  let counted = 0;
  const workers: Pick<ListWorkers, 'facets'> = {
    async facets() {
      counted += 1;
      return { body: '{}', revision: OWNER.revision, nextDue: [] };
    },
  };
  const reader = new ListReader(table, {
    store: { dialect: sqlite, read: () => [[[OWNER.revision, 1]]] } as unknown as Store,
    cursorKey: 'key',
    indexes: { find: () => undefined, coming: async () => undefined, missed: () => {} },
    workers: workers as ListWorkers,
    cacheBytes: CACHE_BYTES,
  });
  const parser = new QueryParser(table.list, 1_000, 'facets');
  /** A query of 1,000 ids, which are 17,000 characters. */
  const queryOf = (n: number): Query =>
    parser.ofString(`ids=${Array.from({ length: 1_000 }, (_, i) => 10 ** 15 + 1_000 * n + i).join(',')}`);
  const facets = (n: number) => reader.facets(OWNER, queryOf(n), CLIENT);

  await facets(0);
  await facets(0);
  assert.equal(counted, 1, 'it was not cached at all');
  for (let n = 1; n < 20; n++) await facets(n);
  counted = 0;
  for (let n = 0; n < 20; n++) await facets(n);
  assert.ok(counted > 10, `${20 - counted} answers to 17,000 characters each are in ${CACHE_BYTES} bytes`);
});

test('pages are cached by what names them, which takes memory as well', async () => {
  const reader = new ListReader(table, {
    store: {
      dialect: sqlite,
      read: () => [[[OWNER.revision, 0, 1]], []],
    } as unknown as Store,
    cursorKey: 'key',
    indexes: { find: () => undefined, coming: async () => undefined, missed: () => {} },
    workers: {} as ListWorkers,
    cacheBytes: CACHE_BYTES,
  });
  const query = new QueryParser(table.list, 1_000, 'page').ofString('');
  const name = 'x'.repeat(20_000);
  for (let n = 0; n < 50; n++) await reader.page(OWNER, query, CLIENT, `${name}${n}`);
  const { entries, evictions } = reader.figures.pages;
  assert.ok(entries > 0 && entries <= CACHE_BYTES / (2 * name.length), `${entries} names are cached`);
  assert.equal(entries + evictions, 50);
});

const namesOf = (count: number) => Array.from({ length: count }, (_, i) => `Carrier ${i}`);

test('large pages of a server, and queries with thousands of values, are worked out on worker threads; small ones are not', async () => {
  const tasks: string[] = [];
  const ofWorker = { revision: OWNER.revision, body: new Uint8Array(), selection: '' };
  const found = { revision: OWNER.revision, total: 1, ids: [7] };
  let isIndexTrue = true;
  const workers = {
    async page({ query }: ListQuery) {
      tasks.push(`page of ${query.page_size}`);
      return ofWorker;
    },
    async pageOfFound({ query }: ListQuery, { ids }: FoundPage) {
      tasks.push(`page of ${query.page_size} of ${ids}`);
      return isIndexTrue ? ofWorker : undefined;
    },
    async changes({ query }: ListQuery) {
      tasks.push(`changes of ${query.page_size}`);
      return ofWorker;
    },
  } as unknown as ListWorkers;
  const readerOf = (receivesRows: boolean) =>
    new ListReader(table, {
      store: {
        dialect: sqlite,
        receivesRows,
        read: () => [[[OWNER.revision, 0, 1, null, null, null, null, null, null]], []],
      } as unknown as Store,
      cursorKey: 'key',
      indexes: {
        find: () => ({ revision: OWNER.revision, find: () => found }) as unknown as ListIndex,
        coming: async () => undefined,
        missed: () => {},
      },
      workers,
      cacheBytes: 0,
    });
  const query = (text: string) => new QueryParser(table.list, 1_000, 'page').ofString(text);
  const [server, file] = [readerOf(true), readerOf(false)];
  for (const reader of [server, file]) {
    for (const text of ['page_size=200', 'page_size=201']) await reader.page(OWNER, query(text), CLIENT);
    await reader.changes(OWNER, query('page_size=200'), CLIENT);
  }
  await file.changes(OWNER, query('page_size=201'), CLIENT);
  assert.deepEqual(tasks.splice(0), ['page of 201']);

  await server.changes(OWNER, query('page_size=201'), CLIENT);
  await server.page(OWNER, query('page_size=201&sort_by=provider'), CLIENT);
  isIndexTrue = false;
  await server.page(OWNER, query('page_size=202&sort_by=provider'), CLIENT);
  assert.deepEqual(tasks, ['changes of 201', 'page of 201 of 7', 'page of 202 of 7', 'page of 202']);

  // More values than a list in a URL has, of a small page of a small list.
  const long = (values: number) =>
    new QueryParser(table.list).ofJson(
      JSON.stringify({
        ids: Array.from({ length: values / 2 }, (_, i) => 1 + i),
        providers: namesOf(values / 2),
      }),
    );
  tasks.length = 0;
  for (const reader of [server, file]) {
    for (const values of [1_000, 1_002]) {
      await reader.page(OWNER, long(values), CLIENT);
      await reader.changes(OWNER, long(values), CLIENT);
    }
  }
  assert.deepEqual(tasks, ['page of 10', 'changes of 10', 'page of 10', 'changes of 10']);
});

test('a list that is looked through for too long is noted all the same, so that it gets an index', async () => {
  const missed: string[] = [];
  const late = async () => {
    throw new StoreUnavailable('The database did not answer in time.');
  };
  const reader = new ListReader(table, {
    store: { dialect: sqlite, read: () => [[[OWNER.revision, 200_000, 1]]] } as unknown as Store,
    cursorKey: 'key',
    indexes: {
      find: () => undefined,
      coming: async () => undefined,
      missed: ({ name }, account_id, revision, rows) =>
        void missed.push(`${name} of ${account_id} at ${revision}: ${rows}`),
    },
    workers: { page: late, changes: late, facets: late } as unknown as ListWorkers,
    cacheBytes: 0,
  });
  const query = new QueryParser(table.list).ofString('statuses=active');
  await assert.rejects(async () => reader.page(OWNER, query, CLIENT), StoreUnavailable);
  await assert.rejects(reader.changes(OWNER, query, CLIENT), StoreUnavailable);
  await assert.rejects(reader.facets(OWNER, query, CLIENT), StoreUnavailable);
  assert.deepEqual(missed, Array(3).fill('virtual_numbers of acme at one: 200000'));
});
