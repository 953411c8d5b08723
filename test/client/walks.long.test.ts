// Walks of the client: over a real server, in a process of its own, that is killed and started again; over a
// network that cuts every connection sooner or later; and with few fields, while rows move.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { after, afterEach, before, describe, mock, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Client, type Page, Problem, type VirtualNumber } from '@linecard/client';
import type { VirtualNumbersQuery } from '../../api/lists/virtual-numbers.ts';
import { freePort, listen } from '../kit/free-port.ts';
import type { HotWriter } from '../kit/hot-writer.ts';
import { type Running, startProgram } from '../kit/program.ts';
import { numberRow } from '../kit/rows.ts';
import { load, openService, type Service, stores } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const ACCOUNT = 'long';
const COUNT = 2_000;
const PAGE_SIZE = 100;
/** After this number of pages of a walk, at least one import has ended. */
const PAGES_TO_IMPORT = 6;
/** How many bytes a connection of the bad network carries, one after the other. */
const CUTS = [90_000, 31_000, 125_000, 150, 48_000, 200_000];

const rows = Array.from({ length: COUNT }, (_, i) =>
  numberRow(ACCOUNT, 3 * i + 1, { comment: `Extension ${i % 50}` }),
);

const ids = rows.map(({ id }) => id);

/** A server in a process of its own. */
function serve(database_url: string, port: number): Running {
  const words = ['serve', '--database-url', database_url, '--port', String(port), '--log-level', 'silent'];
  return startProgram(words);
}

const listening = (port: number) =>
  until('it listens', async () => {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return isOpen;
  });

/** A way to `port` on which no connection lasts. */
async function badNetwork(port: number) {
  let connections = 0;
  const network = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    let left = CUTS[connections++ % CUTS.length] as number;
    const cut = () => {
      near.destroy();
      far.destroy();
    };
    far.on('data', (chunk: Buffer) => {
      if (left <= 0) return;
      near.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) setImmediate(cut);
    });
    near.on('data', (chunk: Buffer) => far.write(chunk));
    for (const socket of [near, far]) socket.on('error', cut).on('close', cut);
  });
  const url = `http://127.0.0.1:${await listen(network)}`;
  return { url, connections: () => connections, close: () => network.close() };
}

describe('a long walk', () => {
  let service: Service;
  let token: string;

  before(async () => {
    service = await openService(stores[0] as (typeof stores)[number], { rows: { virtual_numbers: rows } });
    ({ token } = service.tokenOf(ACCOUNT));
  });
  after(() => service.close());
  afterEach(() => mock.restoreAll());

  test('goes on where it was when the server is killed and started again', async () => {
    mock.method(Math, 'random', () => 0.3);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    let server = serve(service.database_url, port);
    try {
      await listening(port);
      const { virtualNumbers } = new Client({ url, token, retries: 8 });
      const seen: number[] = [];
      for await (const { id } of virtualNumbers.list({ sort_by: 'comment', page_size: PAGE_SIZE })) {
        seen.push(id);
        if (seen.length !== 2 * PAGE_SIZE + 7) continue;
        server.child.kill('SIGKILL');
        await server.ended;
        const impatient = new Client({ url, token, retries: 0 });
        await assert.rejects(impatient.virtualNumbers.list(), { code: 'network', message: /ECONNREFUSED/ });
        server = serve(service.database_url, port);
      }
      const byComment = rows.toSorted((a, b) => {
        const [left, right] = [String(a['comment']), String(b['comment'])];
        return left === right ? a.id - b.id : left < right ? -1 : 1;
      });
      assert.deepEqual(
        seen,
        byComment.map(({ id }) => id),
      );
    } finally {
      server.child.kill('SIGKILL');
    }
  });

  test('gets there over a network that cuts every connection, or says that it does not', async () => {
    mock.method(Math, 'random', () => 0);
    const network = await badNetwork(await service.listen());
    try {
      const headers = { 'accept-encoding': 'identity' };
      const { virtualNumbers } = new Client({
        url: network.url,
        token,
        retries: 4,
        headers,
        timeout_ms: 30_000,
      });
      const seen: number[] = [];
      for await (const { id } of virtualNumbers.iterate({ page_size: PAGE_SIZE })) seen.push(id);
      assert.deepEqual(seen, ids);
      assert.ok(network.connections() > CUTS.length, `${network.connections()} connections`);

      const some: number[] = [];
      const download = async () => {
        for await (const { id } of await virtualNumbers.export()) some.push(id);
      };
      await assert.rejects(download(), (error) => error instanceof Problem && error.code === 'broken-off');
      assert.deepEqual(some, ids.slice(0, some.length));
    } finally {
      network.close();
    }
  });
});

const SMALL_PAGE = 7;
/** After two rows of the third page. */
const SEEN = 2 * SMALL_PAGE + 2;
const few = Array.from({ length: 60 }, (_, i) => numberRow('few', i + 1, { comment: `b ${i + 10}` }));
const dids = few.map(({ did }) => did);

for (const kind of stores) {
  describe(`a walk in which items have no id, on ${kind.name}`, () => {
    let service: Service;
    let client: Client;
    before(async () => {
      service = await openService(kind, { rows: { virtual_numbers: few } });
      const { token } = service.tokenOf('few');
      client = new Client({ url: `http://127.0.0.1:${await service.listen()}`, token });
    });
    after(() => service.close());
    const comment = { fields: ['did', 'comment'], sort_by: 'comment' } as const;

    test('gives every item, with the fields that were chosen and no other', async () => {
      const { virtualNumbers } = client;
      const items = few.map((row) => ({ did: row['did'], comment: row['comment'] }));
      for (const page_size of [SMALL_PAGE, 1_000]) {
        const query = { ...comment, page_size };
        assert.deepEqual(await Array.fromAsync(virtualNumbers.iterate(query)), items);
        assert.deepEqual(await Array.fromAsync(virtualNumbers.list(query)), items);
      }
      const byDid = virtualNumbers.iterate({ fields: ['did'], sort_by: 'did', sort_order: 'desc' });
      assert.deepEqual(
        await Array.fromAsync(byDid),
        dids.toReversed().map((did) => ({ did })),
      );
      const third = await virtualNumbers.list({ ...comment, page_size: SMALL_PAGE, page: 3 });
      assert.deepEqual(third.data, items.slice(2 * SMALL_PAGE, 3 * SMALL_PAGE));
      assert.deepEqual(await Array.fromAsync(third), items.slice(2 * SMALL_PAGE));
    });

    test('answers a page as the service does', async () => {
      for (const rest of ['did,comment&sort_by=comment', 'is_spammed,did&sort_by=monthly&page=2']) {
        const [fields = '', ...params] = rest.split('&');
        const given = Object.fromEntries(params.map((pair) => pair.split('=')));
        const query = { ...given, fields: fields.split(','), page: Number(given['page'] ?? 1) };
        const { body } = await service.ask('few', `/api/v1/did/me?fields=${rest}`);
        assert.equal(JSON.stringify(await client.virtualNumbers.list(query as VirtualNumbersQuery)), body);
      }
    });

    test('gives every item that stays, and none twice, while rows move and are removed', async () => {
      const seen: unknown[] = [];
      for await (const { did } of client.virtualNumbers.list({ ...comment, page_size: SMALL_PAGE })) {
        seen.push(did);
        if (seen.length !== SEEN) continue;
        // The first ones move behind all others, and the last one goes.
        const moved = few.map((row, i) => (i < SMALL_PAGE ? { ...row, comment: `c ${i}` } : row));
        await load(service.operator, 'virtual_numbers', moved.slice(0, -1), ['few']);
      }
      assert.deepEqual(seen, dids.slice(0, -1));
    });
  });
}

const idsOf = async (items: AsyncIterable<{ id: number }>) =>
  (await Array.fromAsync(items)).map(({ id }) => id);

for (const kind of stores) {
  test(`a walk yields every item once while imports come and go, on ${kind.name}`, async () => {
    const account_id = 'busy';
    const stay = Array.from({ length: 480 }, (_, i) => numberRow(account_id, 500_000 + 4 * i));
    const come = (salt: number) => stay.map(({ id }) => numberRow(account_id, id + salt));
    const busy = await openService(kind, { rows: { virtual_numbers: stay } });
    const states = [stay, [...come(1), ...stay], [...stay, ...come(2)], stay.toReversed()];
    const workerData: HotWriter = {
      database_url: busy.database_url,
      account_id,
      name: 'virtual_numbers',
      states: states.map((rows) => rows.map((row) => ({ ...row, comment: String(rows.length) }))),
      paced: true,
    };
    const writer = new Worker(new URL('../kit/hot-writer.ts', import.meta.url), { workerData });
    const imported = () => {
      writer.postMessage('go');
      return once(writer, 'message');
    };
    let importing = imported();
    try {
      const { token } = busy.tokenOf(account_id);
      const { virtualNumbers } = new Client({ url: `http://127.0.0.1:${await busy.listen()}`, token });
      const totals = new Set<number>();
      for (let walk = 0; walk < 2 * kind.share; walk++) {
        const ids: number[] = [];
        for (
          let page: Page<VirtualNumber> | undefined = await virtualNumbers.list({ page_size: 20 });
          page !== undefined;
          page = await page.nextPage()
        ) {
          totals.add(page.total);
          // The next one runs during the next pages.
          if (page.page % PAGES_TO_IMPORT === 0) {
            await importing;
            importing = imported();
          }
          ids.push(...page.data.map(({ id }) => id));
        }
        assert.equal(new Set(ids).size, ids.length);
        assert.deepEqual(
          ids.filter((id) => id % 4 === 0),
          stay.map(({ id }) => id),
        );
        const moving = await idsOf(virtualNumbers.iterate({ sort_by: 'comment', page_size: 60 }));
        assert.equal(new Set(moving).size, moving.length);
        await importing;
        importing = imported();
        const snapshot = await idsOf(await virtualNumbers.export());
        assert.ok(states.some((rows) => rows.length === snapshot.length));
      }
      assert.ok(totals.size > 1, 'nothing was imported meanwhile');
    } finally {
      await importing;
      writer.postMessage('stop');
      await new Promise((resolve) => writer.once('exit', resolve));
      await busy.close();
    }
  });
}
