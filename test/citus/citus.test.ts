// A deployment that Citus distributes, seen by the operator who sets it up: what is put where, what stays
// plain, and what is refused. The behaviours of the lists and of imports are those of every store
// (service.ts).

import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, describe, test } from 'node:test';
import { importBody } from '../../server/import/import.ts';
import { ACCOUNTS } from '../../server/import/job.ts';
import { createSignIn, deleteEndedSignIns, endSignIn } from '../../server/store/access/sign-ins.ts';
import { deploymentValue } from '../../server/store/deployment.ts';
import { openStore } from '../../server/store/open.ts';
import { grantRights } from '../../server/store/postgres/rights.ts';
import { addNodes, CITUS_URL, makeCitusDatabase, NO_CITUS, nodesOf, urlOn } from '../kit/citus-server.ts';
import { query, urlWith } from '../kit/postgres-server.ts';
import { numberRow } from '../kit/rows.ts';
import { load } from '../kit/service.ts';
import type { Database } from '../kit/templates.ts';

const HOUR = 3_600_000;
const BY_ACCOUNT = [
  'accounts',
  'additional_services',
  'additional_services_changes',
  'change_logs',
  'revisions',
];
const OF_NUMBERS = ['virtual_numbers', 'virtual_numbers_changes'];

async function setUp(url: string): Promise<void> {
  await (await openStore(url, 'write')).close();
}

describe('Citus', { skip: CITUS_URL === undefined ? NO_CITUS : false }, () => {
  let database: Database;
  before(async () => {
    database = await makeCitusDatabase();
    await setUp(database.url);
  });
  after(async () => database.remove());

  test('has accounts and all that is theirs in one group of shards, and tokens on every node', async () => {
    const rows = await query(
      database.url,
      `select array_agg(logicalrelid::text order by logicalrelid::text) as tables, partmethod
       from pg_dist_partition group by partmethod, colocationid order by partmethod`,
    );
    assert.deepEqual(rows, [
      { tables: [...BY_ACCOUNT, ...OF_NUMBERS], partmethod: 'h' },
      { tables: ['deployment', 'operator_tokens', 'tokens'], partmethod: 'n' },
    ]);
  });

  test('is known again as what it is, and set up once', async () => {
    await setUp(database.url);
    const store = await openStore(database.url, 'read');
    assert.equal(store.dialect.name, 'citus');
    assert.equal(await deploymentValue(store, 'distributed_by'), 'citus');
    await store.close();
  });

  test('has statistics of each shard after an import, without which searches would read all of it', async () => {
    const store = await openStore(database.url, 'write');
    const rows = Array.from({ length: 2_000 }, (_, i) => numberRow(`S${i % 40}`, 10_000 + i));
    await load(store, 'virtual_numbers', rows);
    await store.close();
    // Nodes hide their shards from those who do not ask for them.
    const visible = '?options=-c%20citus.override_table_visibility%3Doff';
    const text = `select coalesce(sum(reltuples), 0)::int as known from pg_class where relname ~ '^virtual_numbers_[0-9]+$'`;
    let known = 0;
    for (const node of await nodesOf(database.url)) {
      const [row] = await query(urlOn(database.url, node) + visible, text);
      known += Number(row?.['known']);
    }
    assert.equal(known, rows.length);
    await query(database.url, `delete from virtual_numbers where id >= 10000`);
  });

  test('is not written through a worker, whose locks the others do not see', async () => {
    const worker = (await nodesOf(database.url)).find(({ isCoordinator }) => !isCoordinator);
    assert.ok(worker);
    await assert.rejects(openStore(urlOn(database.url, worker), 'write'), /name the coordinator with/);
  });

  test('lets a role of intake import that owns nothing, whatever row security shows others', async () => {
    const role = `linecard_intake_${process.pid}`;
    const { missing } = await grantRights(database.url, {}, role, 'intake');
    assert.deepEqual(missing, []);
    try {
      const [serving, intake] = [`${role}_serving`, urlWith(database.url, { user: role })];
      assert.deepEqual(
        (await grantRights(database.url, { rowSecurity: true }, serving, 'serving')).missing,
        [],
      );
      const store = await openStore(intake, 'change', { rowSecurity: false });
      await load(store, 'virtual_numbers', [numberRow('C1', 1)]);
      await load(store, 'virtual_numbers', [numberRow('C2', 1)], ['C1']);
      const bytes = Buffer.from('{"account_id":"C2","name":"Two"}\n');
      await importBody({ store, table: ACCOUNTS, format: 'ndjson' }, { bytes, isCompressed: false });
      const signIn = {
        account_id: 'C2',
        name: '',
        lists: null,
        charges: true,
        expires_at: Date.now() + HOUR,
      };
      const created = await createSignIn(store, signIn, 'portal');
      assert.equal(await endSignIn(store, created?.id ?? '', undefined, 'portal'), true);
      await deleteEndedSignIns(store);
      await store.close();
      const rows = await query(database.url, 'select account_id, id::int from virtual_numbers');
      assert.deepEqual(rows, [{ account_id: 'C2', id: 1 }]);
      const named = await query(database.url, `select name from accounts where id = 'C2'`);
      assert.deepEqual(named, [{ name: 'Two' }]);
      const left = await query(
        database.url,
        `select relname from pg_class where relname ~ '^import_(rows|lines|changes|renewed|pruned)'`,
      );
      assert.deepEqual(left, []);
    } finally {
      for (const one of [role, `${role}_serving`]) await query(database.url, `drop owned by ${one}`);
      for (const one of [role, `${role}_serving`]) await query(database.url, `drop role ${one}`);
    }
  });

  test('leaves a deployment plain that was set up before there was the extension', async () => {
    const other = await makeCitusDatabase();
    try {
      await query(other.url, 'drop extension citus');
      await setUp(other.url);
      await query(other.url, 'create extension citus');
      const store = await openStore(other.url, 'write');
      assert.equal(store.dialect.name, 'postgres');
      await store.close();
      assert.deepEqual(await query(other.url, 'select logicalrelid from pg_dist_partition'), []);
    } finally {
      await other.remove();
    }
  });

  test('goes on where a setting-up was killed before anything was distributed, as a restored dump does', async () => {
    const other = await makeCitusDatabase();
    try {
      await query(other.url, 'drop extension citus');
      await setUp(other.url);
      await query(other.url, `insert into deployment values ('distributed_by', 'citus')`);
      await query(
        other.url,
        `insert into accounts (id, name, created_at, revision) values ('C1', '', '', 'r')`,
      );
      await assert.rejects(openStore(other.url, 'read'), /does not have the extension/);
      await query(other.url, 'create extension citus');
      await assert.rejects(openStore(other.url, 'write'), /does not know the nodes/);
      await addNodes(other.url, await nodesOf(database.url));
      await assert.rejects(openStore(other.url, 'read'), /run linecard-server migrate/);
      await setUp(other.url);
      assert.equal((await query(other.url, 'select * from pg_dist_partition')).length, 10);
      assert.deepEqual(await query(other.url, 'select id from accounts'), [{ id: 'C1' }]);
    } finally {
      await other.remove();
    }
  });
});
