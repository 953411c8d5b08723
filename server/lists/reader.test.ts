// What a reader caches stays within its memory, whatever was asked.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Query } from '@linecard/client/contract/query';
import { QueryParser } from '@linecard/client/contract/query-parser';
import { sqlite } from '../store/dialects.ts';
import type { Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { ListReader } from './reader.ts';
import type { ListWorkers } from './workers.ts';

const table = tables.virtual_numbers;
const OWNER = { account_id: 'acme', revision: 'one' };
const CLIENT = { waitedMs: () => 0, isGone: () => false };
const CACHE_BYTES = 200_000;

test('answers are cached up to so many bytes, and what was asked is among them', async () => {
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
  /** Asked for by 1,000 ids, which are 17,000 characters. */
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
