// Which lists get an index in memory, and which do not.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { IndexData } from '../list-index/index-data.ts';
import { tables } from '../store/tables.ts';
import { ListIndexes, type ListIndexesOptions } from './indexes.ts';

const table = tables.virtual_numbers;
const ROWS = 1_000;
/** The minimum length of a list with an index. */
const SHORT = 200;
/** Milliseconds after which any unused index is idle. */
const LONG = 1_800_000;

/** Indexes of empty lists at `now.revision`, and the number of indexes built. */
function indexesWith(options: Partial<ListIndexesOptions> = {}) {
  const now = { revision: 'a', made: 0, fails: false, rows: 0, ms: 0 };
  const failures: unknown[] = [];
  const indexes = new ListIndexes(
    {
      async index(): Promise<IndexData> {
        now.made += 1;
        now.ms += 1;
        if (now.fails) throw new Error('The database is away.');
        return { revision: now.revision, ids: new Float64Array(now.rows), columns: {}, texts: {} };
      },
    },
    {
      maxBytes: 1_000_000,
      onFailure: (error) => failures.push(error),
      now: () => now.ms,
      ...options,
    },
  );
  /** Sends a request that needs all of a list. Returns whether an index answered. */
  async function ask(account_id = 'acme', rows = ROWS): Promise<boolean> {
    const caller = { account_id, revision: now.revision };
    const index = indexes.find(table, caller) ?? (await indexes.beingBuilt(table, caller));
    if (index?.revision === now.revision) return true;
    indexes.missed(table, account_id, now.revision, rows);
    await setImmediate();
    return false;
  }
  return { now, failures, ask, indexes };
}

/** Whether one of a few requests is answered by an index. */
async function isIndexedSoon(ask: () => Promise<boolean>): Promise<boolean> {
  for (let i = 0; i < 4; i++) if (await ask()) return true;
  return false;
}

describe('an index in memory', () => {
  test('is built for a list that is scanned twice while it does not change', async () => {
    const { ask } = indexesWith();
    assert.equal(await ask(), false);
    assert.ok(await isIndexedSoon(() => ask()));
    assert.equal(await ask('other'), false);
  });

  test('is not built for a list that changes between any two requests', async () => {
    const { now, ask } = indexesWith();
    for (let i = 0; i < 50; i++) {
      now.revision = String(i);
      assert.equal(await ask(), false);
    }
    assert.equal(now.made, 0);
  });

  test('is not built for lists that are too short or too long', async () => {
    const { now, ask } = indexesWith({ maxBytes: 100_000 });
    for (const rows of [0, 199, 400, 10_000]) {
      for (let i = 0; i < 5; i++) assert.equal(await ask('acme', rows), false);
    }
    assert.equal(now.made, 0);
    assert.ok(await isIndexedSoon(() => ask('acme', 250)));
  });

  test('is not built, nor tried again, for a list whose texts are so long that it would take 2 KiB a row', async () => {
    const { now, ask } = indexesWith({ maxBytes: 100_000_000, pause: 0 });
    // 24 bytes each, for 1,000 rows of the list.
    now.rows = 86_000;
    for (let i = 0; i < 5; i++) assert.equal(await ask('long'), false);
    assert.equal(now.made, 1);
    now.rows = 85_000;
    assert.ok(await isIndexedSoon(() => ask('shorter')));
  });

  test('is not rebuilt immediately for a list that keeps changing', async () => {
    const { now, ask } = indexesWith({ pause: 1_000_000 });
    await ask();
    await ask();
    now.revision = 'b';
    for (let i = 0; i < 50; i++) assert.equal(await ask(), false);
    assert.equal(now.made, 1);
  });

  test('that cannot be built is reported, and the list is answered without it', async () => {
    const { now, failures, ask } = indexesWith({ pause: 0 });
    now.fails = true;
    for (let i = 0; i < 6; i++) assert.equal(await ask(), false);
    assert.equal(failures.length, now.made);
    assert.ok(now.made > 0);
    now.fails = false;
    while (!(await ask()));
  });

  test('is evicted for others, so that the memory is not exceeded', async () => {
    const rows = 3_000;
    // An id takes 8 bytes, and 16 are estimated for orders.
    const maxBytes = 3 * rows * 24;
    const { now, ask, indexes } = indexesWith({ maxBytes, pause: 0 });
    now.rows = rows;
    for (let i = 0; i < 40; i++) {
      now.ms += LONG;
      while (!(await ask(`account-${i}`, SHORT)));
      const { entries, bytes } = indexes.statistics;
      assert.ok(entries <= 3 && bytes <= maxBytes, `${entries} take ${bytes} bytes`);
    }
  });

  describe('with memory for three', () => {
    const rows = 3_000;
    const forThree = { maxBytes: 3 * rows * 24, pause: 0 };

    /** Queries the lists of the accounts one after the other. Returns how often an index answered. */
    async function askRoundRobin(
      ask: (account_id: string, rows: number) => Promise<boolean>,
      accounts: string[],
      times: number,
    ) {
      let found = 0;
      for (let i = 0; i < times; i++) for (const one of accounts) if (await ask(one, SHORT)) found += 1;
      return found;
    }

    test('indexes of six lists in equal demand do not evict each other', async () => {
      const { now, ask, indexes } = indexesWith(forThree);
      now.rows = rows;
      const found = await askRoundRobin(ask, ['a', 'b', 'c', 'd', 'e', 'f'], 500);
      assert.equal(indexes.statistics.evictions, 0);
      assert.ok(found > 3 * 490, `${found} of 3,000 requests were answered by an index`);
      assert.ok(indexes.rejected > 0, 'no list was reported whose index did not fit');
    });

    test('the index of a list in more demand evicts one of them', async () => {
      const { now, ask, indexes } = indexesWith(forThree);
      now.rows = rows;
      await askRoundRobin(ask, ['a', 'b', 'c'], 30);
      const found = await askRoundRobin(ask, ['a', 'b', 'new', 'new', 'new', 'new'], 40);
      assert.equal(indexes.statistics.evictions, 1);
      assert.equal(await ask('c', SHORT), false);
      assert.ok(found > 150, `${found} of 240 requests were answered by an index`);
    });

    test('an index in demand long ago is evicted for one in demand now', async () => {
      const { now, ask } = indexesWith(forThree);
      now.rows = rows;
      await askRoundRobin(ask, ['a', 'b', 'c'], 1_000);
      now.ms += 60_000;
      assert.equal(await isIndexedSoon(() => ask('new', SHORT)), false);
      now.ms += LONG;
      assert.ok(await isIndexedSoon(() => ask('newer', SHORT)));
    });

    test('an index in constant use is not evicted, even if nothing was scanned for a long time', async () => {
      const { now, ask, indexes } = indexesWith(forThree);
      now.rows = rows;
      await askRoundRobin(ask, ['a', 'b', 'c'], 3);
      for (let second = 0; second < 3_600; second++) {
        now.ms += 1_000;
        assert.equal(await askRoundRobin(ask, ['a', 'b', 'c'], 1), 3);
      }
      assert.equal(await askRoundRobin(ask, ['new'], 10), 0);
      assert.equal(indexes.statistics.evictions, 0);
    });

    test('a list that has changed gets a new index, which replaces the old one', async () => {
      const { now, ask, indexes } = indexesWith(forThree);
      now.rows = rows;
      await askRoundRobin(ask, ['a', 'b', 'c'], 100);
      now.revision = 'b';
      assert.ok(await isIndexedSoon(() => ask('a', SHORT)));
      assert.equal(indexes.statistics.evictions, 0);
      assert.equal(indexes.statistics.entries, 3);
    });
  });

  test('is never built without memory', async () => {
    const { now, ask } = indexesWith({ maxBytes: 0 });
    for (let i = 0; i < 5; i++) assert.equal(await ask(), false);
    assert.equal(now.made, 0);
  });
});
