// Which lists get an index in memory, and which do not.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { IndexData } from '../list-index/index-data.ts';
import { tables } from '../store/tables.ts';
import { ListIndexes, type ListIndexesOptions } from './indexes.ts';

const table = tables.virtual_numbers;
const ROWS = 1_000;

/** Indexes of lists that stand at `now.revision`, none of which has rows, and how many were made. */
function indexesWith(options: Partial<ListIndexesOptions> = {}) {
  const now = { revision: 'a', made: 0, fails: false };
  const failures: unknown[] = [];
  const indexes = new ListIndexes(
    {
      async index(): Promise<IndexData> {
        now.made += 1;
        if (now.fails) throw new Error('The database is away.');
        return { revision: now.revision, ids: new Float64Array(), columns: {}, texts: {} };
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

  test('is there for none where memory for none is given', async () => {
    const { now, ask } = indexesWith({ maxBytes: 0 });
    for (let i = 0; i < 5; i++) assert.equal(await ask(), false);
    assert.equal(now.made, 0);
  });
});
