// Which lists get an index in memory, and which do not.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { IndexData } from '../list-index/index-data.ts';
import { tables } from '../store/tables.ts';
import { ListIndexes, type ListIndexesOptions } from './indexes.ts';

const table = tables.virtual_numbers;
const ROWS = 1_000;
/** As long as a list must be to have one. */
const SHORT = 200;

/** Indexes of lists that stand at `now.revision`, none of which has rows, and how many were made. */
function indexesWith(options: Partial<ListIndexesOptions> = {}) {
  const now = { revision: 'a', made: 0, fails: false, rows: 0 };
  const failures: unknown[] = [];
  const indexes = new ListIndexes(
    {
      async index(): Promise<IndexData> {
        now.made += 1;
        if (now.fails) throw new Error('The database is away.');
        return { revision: now.revision, ids: new Float64Array(now.rows), columns: {}, texts: {} };
      },
    },
    { maxBytes: 1_000_000, onFailure: (error) => failures.push(error), ...options },
  );
  /** Asks what needs all of a list; gives whether an index answered. */
  async function ask(account_id = 'acme', rows = ROWS): Promise<boolean> {
    const caller = { account_id, revision: now.revision };
    const index = indexes.find(table, caller) ?? (await indexes.coming(table, caller));
    if (index?.revision === now.revision) return true;
    indexes.missed(table, account_id, now.revision, rows);
    await setImmediate();
    return false;
  }
  return { now, failures, ask, indexes };
}

describe('an index in memory', () => {
  test('is built for a list that is looked through twice while the list does not change', async () => {
    const { now, ask } = indexesWith();
    assert.deepEqual([await ask(), await ask(), await ask()], [false, false, true]);
    assert.equal(await ask('other'), false);
    assert.equal(now.made, 1);
  });

  test('is not built for a list that changes between any two requests', async () => {
    const { now, ask } = indexesWith();
    for (let i = 0; i < 50; i++) {
      now.revision = String(i);
      assert.equal(await ask(), false);
    }
    assert.equal(now.made, 0);
  });

  test('is not built for short lists, nor for those that would take all the memory', async () => {
    const { now, ask } = indexesWith({ maxBytes: 100_000 });
    for (const rows of [0, 199, 400, 10_000]) {
      for (let i = 0; i < 5; i++) assert.equal(await ask('acme', rows), false);
    }
    assert.equal(now.made, 0);
    assert.deepEqual(
      [await ask('acme', 250), await ask('acme', 250), await ask('acme', 250)],
      [false, false, true],
    );
  });

  test('is not built again at once for a list that keeps changing', async () => {
    const { now, ask } = indexesWith({ pause: 1_000_000 });
    await ask();
    await ask();
    now.revision = 'b';
    for (let i = 0; i < 50; i++) assert.equal(await ask(), false);
    assert.equal(now.made, 1);
  });

  test('that cannot be built is reported, and the list is answered without', async () => {
    const { now, failures, ask } = indexesWith({ pause: 0 });
    now.fails = true;
    for (let i = 0; i < 6; i++) assert.equal(await ask(), false);
    assert.equal(failures.length, now.made);
    assert.ok(now.made > 0);
    now.fails = false;
    while (!(await ask()));
  });

  test('is evicted for others, and only then is its memory used again', async () => {
    // Room for three: an id takes 8 bytes, and 16 are reckoned for orders.
    const rows = 3_000;
    const { now, ask, indexes } = indexesWith({ maxBytes: 3 * rows * 24, pause: 0 });
    now.rows = rows;
    const seen = new Set<SharedArrayBuffer>();
    for (let i = 0; i < 40; i++) {
      const account_id = `account-${i}`;
      while (!(await ask(account_id, SHORT)));
      const index = indexes.find(table, { account_id, revision: now.revision });
      const { buffer, byteLength } = index?.data.ids ?? assert.fail('it is not there');
      assert.equal(byteLength, 8 * rows);
      assert.ok(buffer instanceof SharedArrayBuffer && buffer.byteLength === 3 * rows * 24);
      seen.add(buffer);
      assert.ok(indexes.figures.entries <= 3);
    }
    assert.equal(seen.size, 1, 'the memory grew');
  });

  test('that another thread reads stays as it is until it is let go, evicted or not', async () => {
    const rows = 3_000;
    const { now, ask, indexes } = indexesWith({ maxBytes: rows * 24, pause: 0 });
    now.rows = rows;
    const find = (account_id: string) => indexes.find(table, { account_id, revision: now.revision });
    while (!(await ask('first', SHORT)));
    const index = find('first') ?? assert.fail('it is not there');
    index.data.ids.fill(7);
    const letGo = index.hold();
    const letGoToo = index.hold();
    // There is room for three without what is reckoned for orders.
    const others = Array.from({ length: 12 }, (_, i) => `other-${i}`);
    for (const one of others) while (!(await ask(one, SHORT)));
    assert.equal(find('first'), undefined);
    assert.ok(
      index.data.ids.every((id) => id === 7),
      'its memory was used again',
    );
    letGo();
    for (const one of others) while (!(await ask(`${one} again`, SHORT)));
    assert.ok(
      index.data.ids.every((id) => id === 7),
      'its memory was used again',
    );
    letGoToo();
    for (const one of others) while (!(await ask(`${one} once more`, SHORT)));
    assert.ok(index.data.ids.every((id) => id === 0));
    const { order } = { order: { column: 'id', nullable: false, descending: false } };
    const plan = { account_id: 'first', list: table.name, where: [], whole: true, order };
    assert.equal(index.find(plan), undefined, 'a page was worked out from what is of another account now');
  });

  test('is there for none where memory for none is given', async () => {
    const { now, ask } = indexesWith({ maxBytes: 0 });
    for (let i = 0; i < 5; i++) assert.equal(await ask(), false);
    assert.equal(now.made, 0);
  });
});
