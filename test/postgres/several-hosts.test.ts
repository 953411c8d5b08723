// A database URL that names several hosts, with a real primary and a real replica: connections are made to
// the one that takes writes, also when that is another one than before.

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../server/store/open.ts';
import { StoreRefused, StoreUnavailable } from '../../server/store/store-errors.ts';
import { freePort } from '../kit/free-port.ts';
import { ACCOUNTS, hardRows } from '../kit/hard-rows.ts';
import { virtual_numbers } from '../kit/model.ts';
import { PostgresReplica } from '../kit/postgres-replica.ts';
import { PostgresServer, query } from '../kit/postgres-server.ts';
import { load, openService, type Service } from '../kit/service.ts';

const PATH = `${virtual_numbers.path}?page_size=200`;
const [ROW] = hardRows.virtual_numbers;
const WAL_FOR_REPLICAS = ['-c', 'wal_keep_size=256MB'];
/** Much longer than anything here takes, for busy machines. */
const PATIENCE_MS = 30_000;
const TIMEOUT = 6_000;
/** For so long the host that was found is taken for the one that takes writes, and some more. */
const FOUND_FOR_MS = 1_200;

const portOf = (url: string) => new URL(url).port;
const hostOf = (url: string) => new URL(url).host;

describe('a database URL with several hosts', () => {
  let primary: PostgresServer;
  let replica: PostgresReplica;
  let database: { url: string };
  let service: Service;
  /** Takes connections, and says nothing. */
  let silent: Server;
  let several: string;

  const withHosts = (...hosts: readonly string[]) => database.url.replace(hostOf(database.url), hosts.join());

  before(async () => {
    primary = await PostgresServer.start(WAL_FOR_REPLICAS);
    replica = await PostgresReplica.of(primary, WAL_FOR_REPLICAS);
    database = await primary.makeDatabase();
    silent = createServer().listen(0, '127.0.0.1').unref();
    const address = silent.address();
    const silentPort = address !== null && typeof address === 'object' ? address.port : 0;
    const dead = `127.0.0.1:${await freePort()}`;
    several = withHosts(dead, `127.0.0.1:${silentPort}`, hostOf(replica.url), hostOf(primary.url));
    const operator = await openStore(`${several}?target_session_attrs=read-write`, 'write');
    await load(operator, 'virtual_numbers', hardRows.virtual_numbers);
    await operator.close();
    service = await openService(
      {
        name: 'with several hosts',
        share: 1,
        make: async () => ({ url: several, readingUrl: several, remove: async () => {} }),
      },
      { accounts: ACCOUNTS, cacheBytes: 0, indexBytes: 0, reach: { database_timeout: TIMEOUT } },
    );
  });
  after(async () => {
    await service?.close();
    silent?.close();
    await replica?.remove();
    await primary?.stop();
  });

  const numbersOf = async (account_id = 'acme') => {
    const { status, body } = await service.ask(account_id, PATH);
    return { status, total: status === 200 ? JSON.parse(body).total : undefined };
  };
  /** Tries again while it fails: what was in flight while another server took over may fail. */
  const within = async (work: () => Promise<void>) => {
    for (const until = performance.now() + PATIENCE_MS; ; ) {
      try {
        return await work();
      } catch (error) {
        if (performance.now() > until) throw error;
        await sleep(50);
      }
    }
  };
  /** As in another process, which the service shares no knowledge of hosts with. */
  const imported = async (id: number) => {
    const operator = await openStore(`${several}?application_name=import`, 'write');
    try {
      await load(operator, 'virtual_numbers', [{ ...ROW, account_id: 'acme', id }]);
    } finally {
      await operator.close();
    }
  };

  test('connects to the one that takes writes, past one that is dead, one that is silent and a replica', async () => {
    const beforeImport = await numbersOf();
    assert.equal(beforeImport.status, 200);
    await imported(7_000_001);
    assert.deepEqual(await numbersOf(), { status: 200, total: beforeImport.total + 1 });
    const connected = await query(
      primary.url,
      `select count(*)::int as n from pg_stat_activity where application_name = 'linecard'`,
    );
    assert.ok(Number(connected[0]?.['n']) > 0);
    const elsewhere = await replica.ask(
      `select count(*)::int as n from pg_stat_activity where application_name = 'linecard'`,
    );
    assert.deepEqual(elsewhere, [{ n: 0 }]);
  });

  test('says of each host why it cannot be taken, without the password', async () => {
    const useless = withHosts(hostOf(replica.url), `127.0.0.1:${await freePort()}`);
    await assert.rejects(openStore(useless, 'write'), (error) => {
      assert.ok(error instanceof StoreUnavailable);
      assert.match(error.message, /No host of the database URL takes writes/);
      assert.match(error.message, new RegExp(`:${portOf(replica.url)}: It takes no changes`));
      assert.match(error.message, /ECONNREFUSED/);
      assert.equal(error.message.includes(new URL(database.url).password), false);
      return true;
    });
  });

  test('refuses what is not well-formed, and to look for a server that takes no writes', async () => {
    for (const [url, says] of [
      [withHosts('one:5432', ''), /not well-formed.*one:5432,two:5432/],
      [withHosts('one:x', 'two'), /not well-formed/],
      [`${several}?target_session_attrs=standby`, /takes writes: leave out target_session_attrs/],
    ] as const) {
      await assert.rejects(openStore(url, 'read'), (error) => {
        assert.ok(error instanceof StoreRefused, String(error));
        assert.match(error.message, says);
        return true;
      });
    }
    await assert.rejects(
      openStore(database.url, 'read', {
        replicas: { urls: [withHosts('one', 'two')], maxLagMs: 1_000, health: {} } as never,
      }),
      /A --replica-url names one host/,
    );
  });

  const readOnly = async (value: 'on' | 'off') => {
    await query(primary.url, `alter system set default_transaction_read_only = ${value}`);
    await query(primary.url, 'select pg_reload_conf()');
    await within(async () => {
      const rows = await query(primary.url, 'show default_transaction_read_only');
      assert.deepEqual(rows, [{ default_transaction_read_only: value }]);
    });
    // A transaction that says that it writes does so still: what counts is which server is connected to.
    await sleep(FOUND_FOR_MS);
  };

  test('leaves the one that was made read-only when another is promoted, with nobody restarted', async () => {
    const { total } = await numbersOf();
    await replica.catchUp(primary);
    await readOnly('on');
    await replica.promote();
    await within(() => imported(7_000_002));
    await within(async () => assert.deepEqual(await numbersOf(), { status: 200, total: total + 1 }));
  });

  test('goes on with another when the one that it is connected to dies', async () => {
    const { total } = await numbersOf();
    await readOnly('off');
    await replica.end('SIGKILL');
    // What was written to the one that died is not in the other.
    await within(async () => assert.deepEqual(await numbersOf(), { status: 200, total: total - 1 }));
    await within(() => imported(7_000_003));
    assert.deepEqual(await numbersOf(), { status: 200, total });
  });
});
