// A PostgreSQL server that is down, and a database that takes two accounts for one: nobody gets rows that are
// not theirs, nor is told that their token is wrong.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { openStore } from '../../server/store/open.ts';
import { grantRights } from '../../server/store/postgres/rights.ts';
import { ACCOUNTS, hardRows } from '../kit/hard-rows.ts';
import { virtual_numbers } from '../kit/model.ts';
import { PostgresServer, query, urlWith } from '../kit/postgres-server.ts';
import { openService, type Service } from '../kit/service.ts';
import { askOnce, DATABASE_TIMEOUT, PATH } from '../kit/under-trouble.ts';

describe('a PostgreSQL server in trouble', () => {
  let server: PostgresServer;
  let service: Service;

  before(async () => {
    server = await PostgresServer.start();
    const kind = { name: 'a server of its own', share: 1, make: async () => server.makeDatabase() };
    const reach = { database_timeout: DATABASE_TIMEOUT, database_connections: 4 };
    service = await openService(kind, { accounts: ACCOUNTS, rows: hardRows, cacheBytes: 0, reach });
  });
  after(async () => {
    await service.close();
    await server.stop();
  });

  async function statusOf(account_id: string): Promise<number | undefined> {
    const { status, fault } = await askOnce(service, account_id);
    assert.equal(fault, undefined);
    return status;
  }

  test('a server that is down is a 503 for the lists and for readiness, never a 401', async () => {
    const token = service.tokenOf('acme').token;
    await server.restart(async () => {
      // Longer than a caller is remembered.
      await sleep(2_100);
      for (const target of [PATH, `${virtual_numbers.path}/facets`, '/readyz']) {
        const answer = await service.send('GET', target, { authorization: `Bearer ${token}` });
        assert.equal(answer.status, 503, target);
        assert.equal(answer.headers['retry-after'], '1');
      }
      const export_ = await service.ask('acme', virtual_numbers.path, { accept: 'text/csv' });
      assert.equal(export_.status, 503);
      assert.equal((await service.send('GET', '/healthz')).status, 200);
    });
    assert.equal(await statusOf('acme'), 200);
  });

  for (const [what, statement, undo] of [
    ['locked', 'begin; lock table NAME in access exclusive mode', 'rollback'],
    ['not readable', 'alter table NAME rename to taken_away', 'alter table taken_away rename to NAME'],
  ]) {
    test(`the service is not ready while a table that requests read is ${what}`, async () => {
      const statusOf = async () => (await service.send('GET', '/readyz')).status;
      const other = new Client(service.database_url);
      await other.connect();
      for (const table of ['virtual_numbers', 'additional_services', 'accounts', 'tokens']) {
        assert.equal(await statusOf(), 200);
        await other.query(String(statement).replace('NAME', table));
        assert.equal(await statusOf(), 503, table);
        assert.equal((await service.send('GET', '/healthz')).status, 200);
        await other.query(String(undo).replace('NAME', table));
        while ((await statusOf()) !== 200) await sleep(20);
      }
      await other.end();
    });
  }

  test('rows of an account that looks like another never reach it, even where the database thinks them the same', async () => {
    const url = service.database_url;
    const ci = `create collation if not exists careless (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`;
    await query(url, ci);
    await query(url, 'alter table virtual_numbers alter column account_id type text collate careless');
    try {
      for (const account_id of ['acme', 'ACME', 'Acme']) {
        const { status, body } = await service.ask(account_id, PATH);
        assert.equal(status, 503);
        assert.equal(body.includes('"did"'), false);
      }
      // Whom nobody looks like is not concerned.
      assert.equal(await statusOf('customer-1'), 200);
    } finally {
      await query(url, 'alter table virtual_numbers alter column account_id type text collate "C"');
    }
    assert.equal(await statusOf('ACME'), 200);
  });

  test('what the role may not read is a 503 also where a worker thread reads it', async () => {
    const database = await server.makeDatabase();
    const { url } = database;
    await (await openStore(url, 'write')).close();
    await query(url, `create role reader login password 'reading'`);
    await grantRights(url, {}, 'reader', 'serving');
    const readingUrl = urlWith(url, { user: 'reader', password: 'reading' });
    const kind = { name: 'a role', share: 1, make: async () => ({ ...database, readingUrl }) };
    const reading = await openService(kind, { accounts: ['acme'], rows: hardRows, cacheBytes: 0 });
    try {
      const statuses = async () => {
        const forms = ['application/json', 'text/csv'];
        const answers = forms.map((accept) => reading.ask('acme', virtual_numbers.path, { accept }));
        return (await Promise.all(answers)).map(({ status }) => status);
      };
      assert.deepEqual(await statuses(), [200, 200]);
      await query(url, 'revoke select on virtual_numbers from reader');
      assert.deepEqual(await statuses(), [503, 503]);
      await query(url, 'grant select on virtual_numbers to reader');
      assert.deepEqual(await statuses(), [200, 200]);
    } finally {
      await reading.close();
    }
  });
});
