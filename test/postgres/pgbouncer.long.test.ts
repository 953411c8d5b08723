// Behind a real PgBouncer that lends a connection for a transaction: the answers are the same, nothing of one
// transaction is left for the next, and without the setting for it Linecard says what is wrong. Runs where
// PgBouncer is installed.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { openStore } from '../../server/store/open.ts';
import { grantRights } from '../../server/store/postgres/rights.ts';
import { freePort } from '../kit/free-port.ts';
import { hardQuery } from '../kit/hard-queries.ts';
import { ACCOUNTS, hardRows } from '../kit/hard-rows.ts';
import { Model, virtual_numbers } from '../kit/model.ts';
import { serverFolder } from '../kit/postgres-process.ts';
import { PostgresServer, query, urlWith } from '../kit/postgres-server.ts';
import { load, openService, type Service } from '../kit/service.ts';

const PLACES = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const BINARY = PLACES.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path));
/** Fewer than there are clients, so that they must share. */
const SERVER_CONNECTIONS = 2;
const QUERIES = 300;
const POOLER = { pooler: 'transaction' } as const;
const ROLE = 'linecard_behind_a_pooler';

const model = new Model(hardRows);

describe('behind PgBouncer', { skip: BINARY === undefined && 'PgBouncer is not installed' }, () => {
  let folder: string;
  let port: number;
  let pooler: ChildProcess;
  let direct: { url: string; remove(): Promise<void> };
  let pooled: string;
  let service: Service;

  async function startPooler(): Promise<void> {
    // It refuses to run as root.
    const as = process.getuid?.() === 0 ? ['--user', 'nobody'] : [];
    pooler = spawn(BINARY ?? '', [...as, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
    for (let i = 0; i < 100; i++) {
      if ((await query(pooled, 'select 1').catch(() => [])).length > 0) return;
      await sleep(50);
    }
    throw new Error('PgBouncer did not start.');
  }

  async function stopPooler(): Promise<void> {
    pooler.kill('SIGTERM');
    await once(pooler, 'exit');
  }

  before(async () => {
    const server = await PostgresServer.shared();
    direct = await server.makeDatabase();
    await (await openStore(direct.url, 'write')).close();
    await query(direct.url, `create role ${ROLE} login password 'serving'`);
    await grantRights(direct.url, { rowSecurity: true }, ROLE, 'serving');
    const { hostname, port: server_port, username, password, pathname } = new URL(direct.url);
    port = await freePort();
    pooled = Object.assign(new URL(direct.url), { hostname: '127.0.0.1', port: String(port) }).href;
    folder = serverFolder('linecard-pgbouncer-');
    writeFileSync(
      join(folder, 'users.txt'),
      `"${username}" "${decodeURIComponent(password)}"\n"${ROLE}" "serving"\n`,
    );
    writeFileSync(
      join(folder, 'pgbouncer.ini'),
      [
        '[databases]',
        `* = host=${hostname} port=${server_port}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${port}`,
        'unix_socket_dir =',
        'auth_type = plain',
        `auth_file = ${join(folder, 'users.txt')}`,
        'pool_mode = transaction',
        `default_pool_size = ${SERVER_CONNECTIONS}`,
      ].join('\n'),
    );
    if (userInfo().uid === 0)
      for (const path of ['', 'users.txt', 'pgbouncer.ini']) chownSync(join(folder, path), 65_534, 65_534);
    await startPooler();
    const kind = {
      name: 'behind PgBouncer',
      share: 1,
      make: async () => ({ ...direct, readingUrl: urlWith(pooled, { user: ROLE, password: 'serving' }) }),
    };
    service = await openService(kind, {
      accounts: ACCOUNTS,
      rows: hardRows,
      cacheBytes: 0,
      reach: { database_pooler: 'transaction', row_security: true },
    });
    assert.ok(pathname.length > 1);
  });
  after(async () => {
    await service.close();
    await stopPooler();
    rmSync(folder, { recursive: true });
    await query((await PostgresServer.shared()).url, `drop role ${ROLE}`);
  });

  test('without the setting for it Linecard says which is missing', async () => {
    for (const purpose of ['read', 'write'] as const) {
      await assert.rejects(openStore(pooled, purpose), /--database-pooler transaction/);
    }
  });

  test(`${QUERIES} queries at random, many at a time, are answered as the contract says`, async () => {
    const queries = fc.sample(fc.tuple(fc.constantFrom(...ACCOUNTS), hardQuery(virtual_numbers)), QUERIES);
    await Promise.all(
      queries.map(async ([account_id, text]) => {
        const expected = model.expect(virtual_numbers, account_id, text);
        const { status, body } = await service.ask(account_id, `${virtual_numbers.path}?${text}`);
        assert.equal(status, expected.status, `${text}\n${body}`);
        if (expected.status === 200) assert.equal(body, expected.body, text);
      }),
    );
  });

  test('exports and facets come whole', async () => {
    const expected = model.expect(virtual_numbers, 'acme', 'page_size=1000');
    assert.ok(expected.status === 200);
    const { body } = await service.ask('acme', virtual_numbers.path, { accept: 'application/x-ndjson' });
    assert.deepEqual(
      body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
      expected.ids,
    );
    const facets = await service.ask('acme', `${virtual_numbers.path}/facets`);
    assert.equal(JSON.parse(facets.body).total, expected.total);
  });

  test('an operator imports through it', async () => {
    const store = await openStore(pooled, 'write', POOLER);
    const rows = hardRows.additional_services
      .slice(0, 20)
      .map((row) => ({ ...row, account_id: 'by-pooler', id: row.id + 2e9 }));
    await load(store, 'additional_services', rows);
    const [[row]] = await store.read({
      text: `select count(*) from additional_services where account_id = 'by-pooler'`,
      values: [],
    });
    assert.deepEqual(row, [20]);
    await store.close();
  });

  test('whose setting for one account does not last beyond its transaction', async () => {
    await service.ask('acme', virtual_numbers.path);
    const seen = await query(
      urlWith(pooled, { user: ROLE, password: 'serving' }),
      'select count(*)::int as count from virtual_numbers',
    );
    assert.equal(seen[0]?.['count'], 0);
  });

  test('that is started again', async () => {
    await stopPooler();
    assert.equal((await service.ask('acme', virtual_numbers.path)).status, 503);
    await startPooler();
    assert.equal((await service.ask('acme', virtual_numbers.path)).status, 200);
  });
});
