// Events are never wrong: whatever imports do, activity is what a comparison of the lists before and after
// says.

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { openStore } from '../../server/store/open.ts';
import { compareImports } from '../kit/activity-model.ts';
import { numberRow } from '../kit/rows.ts';
import { load, stores } from '../kit/service.ts';
import { makeFile } from '../kit/templates.ts';

const IMPORTS = 40;

describe(`events of ${IMPORTS} imports`, () => {
  for (const kind of stores)
    test(`are those of a comparison of the lists before and after, on ${kind.name}`, (t) =>
      compareImports(t, kind, IMPORTS));
});

/** How many bytes more an entry of the log takes for its events, on SQLite. */
async function bytesFor(more: object): Promise<number> {
  const entries = 500;
  const database = makeFile('template');
  const store = await openStore(database.url, 'write');
  const rows = (values: object) =>
    Array.from({ length: entries }, (_, i) => numberRow('C1', i + 1, { monthly: 1, ...values }));
  await load(store, 'virtual_numbers', rows({}));
  await load(store, 'virtual_numbers', rows(more));
  await store.close();
  const file = new DatabaseSync(database.url.slice('sqlite:'.length));
  file.exec(`create table without_events (account_id text not null, sequence integer not null, id integer not null,
      primary key (account_id, sequence, id)) strict, without rowid;
    insert into without_events select account_id, sequence, id from virtual_numbers_changes`);
  const bytesOf = (table: string) =>
    Number(file.prepare('select sum(payload) as bytes from dbstat where name = ?').get(table)?.['bytes']);
  const [full, bare] = [bytesOf('virtual_numbers_changes'), bytesOf('without_events')];
  assert.equal(file.prepare('select count(*) as n from without_events').get()?.['n'], entries);
  assert.ok(full > bare);
  file.close();
  await database.remove();
  return (full - bare) / entries;
}

test('an entry of the log takes at most 4 bytes for its events, and 60 for what fields were and are', async () => {
  assert.ok((await bytesFor({ comment: 'changed' })) <= 4);
  const changed = { is_spammed: true, status: 'blocked', subscription_status: 'blocked', monthly: 2 };
  const bytes = await bytesFor(changed);
  assert.ok(bytes <= 4 + 60, `${bytes} bytes an entry`);
});
