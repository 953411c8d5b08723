// What only the embedded store can get wrong: its schema and its log after an import.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { until } from '../../../test/kit/until.ts';
import { RowReader } from '../../import/rows.ts';
import { targets } from '../../import/targets.ts';
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
const reader = new RowReader(targets.virtual_numbers, { account_id: 'C1' });
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

  test('waits for no reader of its own thread to cut its log, and cuts it when that has read', async () => {
    const reader = await openStore(`sqlite:${path}`, 'read');
    const load = await store.load(table);
    await load.add(rows, lines);
    const committed = load.commit();
    // The snapshot is open for the rest of this iteration of the event loop.
    await reader.read({ text: 'select 1', values: [] });
    await committed;
    await until('the log is cut', () => logBytes() === 0);
    const snapshot = await reader.snapshot();
    await snapshot.read({ text: 'select 1 from accounts', values: [] });
    const more = await store.load(table);
    await more.add(
      rows.map(([id, ...row]) => [(id as number) + 10_000, ...row]),
      lines,
    );
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    await more.commit();
    const before = turns;
    await until('other work goes on', () => turns > before + 10);
    clearInterval(timer);
    assert.ok(logBytes() > 0);
    await snapshot.close();
    await until('the log is cut', () => logBytes() === 0);
    await reader.close();
  });

  test('keeps its log short under a feed whose every request reads first', async () => {
    const reader = await openStore(`sqlite:${path}`, 'read');
    const read = () => reader.read({ text: 'select count(*) from accounts', values: [] });
    for (let i = 0; i < 40; i++) {
      await read();
      const load = await store.load(table);
      const changed = rows.slice(0, 900).map((row) => row.with(-1, `${row.at(-1)}`));
      await load.add(
        changed.map(([id, ...row]) => [(id as number) + i * 1_000, ...row]),
        lines,
      );
      await read();
      await load.commit();
    }
    await reader.close();
    assert.ok(logBytes() < 64 * 1_048_576, String(logBytes()));
    await until('the log is cut', () => logBytes() < 4_194_304);
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
