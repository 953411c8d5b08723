// What only the embedded store can get wrong: its schema and its log after an import.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { RowReader } from '../../import/rows.ts';
import { openStore } from '../open.ts';
import type { Store } from '../store.ts';
import { storedRow, tables } from '../tables.ts';

const table = tables.virtual_numbers;
const folder = mkdtempSync(join(tmpdir(), 'linecard-load-'));
after(() => rmSync(folder, { recursive: true }));

const VALUES: Readonly<Record<string, string>> = {
  comment: 'x'.repeat(900),
  status: 'active',
  subscription_status: 'active',
  frequency: 'monthly',
  created_at: '2026-02-10T16:04:11.482913Z',
};
const reader = new RowReader(table.list, { account_id: 'C1' });
const rows = Array.from({ length: 3_000 }, (_, i) => {
  const values: Record<string, string> = { ...VALUES, id: String(i + 1), did: `+44207946${i}` };
  const row = reader.columns.map(({ name }) => values[name]);
  return storedRow(table, 'C1', reader.read(row, assert.fail));
});
const lines = rows.map((_, i) => i);

describe('an import into the embedded store', () => {
  let path: string;
  let store: Store;
  let files = 0;

  beforeEach(async () => {
    files += 1;
    path = join(folder, `${files}.db`);
    store = await openStore(`sqlite:${path}`, 'write');
  });
  afterEach(() => store.close());

  async function schema() {
    const text = 'select type, name, tbl_name, sql from sqlite_schema order by name';
    return (await store.read({ text, values: [] }))[0];
  }

  const logBytes = () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;

  test('leaves the schema as it was, whether the table was empty or not, committed or not', async () => {
    const before = await schema();
    assert.match(JSON.stringify(before), /create index/i);
    for (const end of ['rollback', 'commit', 'rollback', 'commit'] as const) {
      const load = await store.load(table);
      await load.add(rows, lines);
      await load[end]();
      assert.deepEqual(await schema(), before, end);
    }
  });

  test('leaves no long write-ahead log behind, committed or not', async () => {
    for (const end of ['rollback', 'commit'] as const) {
      const load = await store.load(table);
      await load.add(rows, lines);
      await load[end]();
      assert.equal(logBytes(), 0, end);
    }
  });

  test('can be followed by another in the same process', async () => {
    for (const inserted of [3_000, 0, 0]) {
      const load = await store.load(table);
      await load.add(rows, lines);
      assert.equal((await load.commit()).inserted, inserted);
    }
  });

  test('cannot be committed once there is a row that cannot be stored', async () => {
    const load = await store.load(table);
    await load.add(rows.slice(0, 10), lines);
    await load.addFaulty([11], [11]);
    await assert.rejects(load.commit());
    await load.rollback();
    assert.deepEqual(await store.read({ text: 'select count(*) from virtual_numbers', values: [] }), [[[0]]]);
  });
});
