// An account that is deleted while something is done to it: it is gone with all that it had, whatever is done
// at the same time from elsewhere.

import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ImportRefused } from '../../server/import/faults.ts';
import { importBody } from '../../server/import/import.ts';
import { createAccount, deleteAccount } from '../../server/store/access/accounts.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { hardRows } from '../kit/hard-rows.ts';
import type { ModelRow } from '../kit/model.ts';
import { PostgresServer, query } from '../kit/postgres-server.ts';
import { ndjson } from '../kit/rows.ts';
import { load } from '../kit/service.ts';
import { leftOf } from '../kit/stored-items.ts';

const [ROW] = hardRows.virtual_numbers as unknown as [ModelRow];
const rowsOf = (account_id: string, ...ids: readonly number[]) =>
  ids.map((id) => ({ ...ROW, account_id, id }));

/** Changes items of an account that are there. */
function update(store: Store, account_id: string, ...ids: readonly number[]) {
  const rows = ids.map((id) => ({ account_id, id, comment: `changed ${Math.random()}` }));
  return importBody(
    { store, table: tables.virtual_numbers, format: 'ndjson', update: true },
    { bytes: Buffer.from(ndjson(rows)), isCompressed: false },
  );
}

describe('on PostgreSQL an account that is deleted', () => {
  let url: string;
  let one: Store;
  let other: Store;
  let remove: () => Promise<void>;
  before(async () => {
    const database = await (await PostgresServer.shared()).makeDatabase();
    url = database.url;
    remove = () => database.remove();
    [one, other] = [await openStore(url, 'write'), await openStore(url, 'change')];
  });
  after(async () => {
    await one.close();
    await other.close();
    await remove();
  });

  /** Holds a lock until `count` others wait for it. */
  async function whileLocked<T>(lock: string, waiting: number, work: () => readonly Promise<T>[]) {
    const holder = new Client(url);
    await holder.connect();
    await holder.query('begin');
    await holder.query(lock);
    const done = work();
    const blocked = `select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    while (Number((await query(url, blocked))[0]?.['n']) < waiting) await sleep(10);
    await holder.query('commit');
    await holder.end();
    return Promise.all(done);
  }

  test('gets no token any more', async () => {
    await createAccount(one, 'first');
    await load(one, 'virtual_numbers', rowsOf('first', 101));
    // The deletion stands half-way, at the items.
    const [deleted, made] = await whileLocked('lock table virtual_numbers in share mode', 2, () => {
      const deleting = deleteAccount(one, 'first');
      const making = sleep(200).then(() => createToken(other, 'first', 'late'));
      return [deleting, making] as Promise<unknown>[];
    });
    assert.deepEqual([deleted, made], [true, undefined]);
    assert.deepEqual(await leftOf(one, 'first'), {});
  });

  test('takes a token with it that was being made', async () => {
    await createAccount(one, 'second');
    // The token stands, and what is recorded of it does not yet.
    const [made, deleted] = await whileLocked('lock table token_events in share mode', 2, () => {
      const making = createToken(other, 'second', 'just in time');
      const deleting = sleep(200).then(() => deleteAccount(one, 'second'));
      return [making, deleting] as Promise<unknown>[];
    });
    assert.ok(made);
    assert.equal(deleted, true);
    assert.deepEqual(await leftOf(one, 'second'), {});
  });

  test('does not come back by an import of what changes', async () => {
    await createAccount(one, 'third');
    await load(one, 'virtual_numbers', rowsOf('third', 301, 302));
    const changing = await other.load(tables.virtual_numbers);
    const found = await changing.stored([301, 302]);
    assert.equal(found.length, 2);
    const deleting = deleteAccount(one, 'third');
    const first = await Promise.race([deleting, sleep(300, 'waits')]);
    await changing.add(found, [0, 1]);
    await changing.commit();
    assert.equal(first, 'waits');
    assert.equal(await deleting, true);
    assert.deepEqual(await leftOf(one, 'third'), {});
    assert.deepEqual(await query(url, `select id from accounts where id = 'third'`), []);
  });

  test('is not logged by an import that takes its items', async () => {
    await createAccount(one, 'fourth');
    await createAccount(one, 'fifth');
    await load(one, 'virtual_numbers', rowsOf('fourth', 401, 402));
    const [deleted, summary] = await whileLocked('lock table additional_services in share mode', 2, () => {
      // The account is gone, but for its services, when the import comes to it.
      const deleting = deleteAccount(one, 'fourth');
      const moving = sleep(200).then(() => load(other, 'virtual_numbers', rowsOf('fifth', 401)));
      return [deleting, moving] as Promise<unknown>[];
    });
    assert.deepEqual([deleted, summary], [true, undefined]);
    assert.deepEqual(await leftOf(one, 'fourth'), {});
  });

  for (const [where, others] of [
    ['an empty list', []],
    ['a list', ['other']],
  ] as const) {
    test(`is made again by an import of its first items into ${where}`, async () => {
      const list = 'additional_services';
      const service = (account_id: string, id: number) => ({
        ...hardRows.additional_services[0],
        category: 'additional',
        account_id,
        id,
      });
      assert.deepEqual(await query(url, `select id from ${list}`), []);
      await load(
        one,
        list,
        others.map((account_id) => service(account_id, 701)),
      );
      await createAccount(one, 'seventh');
      const [deleted] = await whileLocked('lock table virtual_numbers in share mode', 2, () => {
        const deleting = deleteAccount(one, 'seventh');
        const importing = sleep(200).then(() => load(other, list, [service('seventh', 702)]));
        return [deleting, importing] as Promise<unknown>[];
      });
      assert.equal(deleted, true);
      const stored = await query(
        url,
        `select id, ${list}::int as services from accounts where id = 'seventh'`,
      );
      assert.deepEqual(stored, [{ id: 'seventh', services: 1 }]);
      assert.equal((await leftOf(one, 'seventh'))[list], 1);
      for (const account_id of ['seventh', ...others]) await deleteAccount(one, account_id);
    });
  }

  test('is refused to an import of what changes that comes too late', async () => {
    await createAccount(one, 'sixth');
    await load(one, 'virtual_numbers', rowsOf('sixth', 601));
    await deleteAccount(one, 'sixth');
    await assert.rejects(update(other, 'sixth', 601), ImportRefused);
    assert.deepEqual(await query(url, `select id from accounts where id = 'sixth'`), []);
  });
});
