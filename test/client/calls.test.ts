// What a program can say for each call of the client, on a real service: tokens that expire, headers, time
// limits, arrays of items, and addresses that this version of the client does not know.

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { Cache, Client, type ClientOptions, Problem, type Retry } from '@linecard/client';
import { listen } from '../kit/free-port.ts';
import { numberRow } from '../kit/rows.ts';
import { openService, type Service, stores } from '../kit/service.ts';

const ACCOUNT = 'acme';
const COUNT = 25;

describe('a call of the client', () => {
  let service: Service;
  let url: string;
  let token: string;
  let silent: Server;
  let silentUrl: string;
  before(async () => {
    const rows = Array.from({ length: COUNT }, (_, i) => numberRow(ACCOUNT, i + 1));
    service = await openService(stores[0] as (typeof stores)[number], { rows: { virtual_numbers: rows } });
    url = `http://127.0.0.1:${await service.listen()}`;
    ({ token } = service.tokenOf(ACCOUNT));
    silent = createServer(() => {});
    silentUrl = `http://127.0.0.1:${await listen(silent)}`;
  });
  after(async () => {
    silent.closeAllConnections();
    silent.close();
    await service.close();
  });

  /** With the headers of each request. */
  function recorded(options: Partial<ClientOptions> = {}) {
    const sent: Headers[] = [];
    const client = new Client({
      url,
      token,
      fetch: (address, init) => {
        sent.push(new Headers(init.headers));
        return fetch(address, init);
      },
      ...options,
    });
    return { client, sent };
  }

  test('finds a number by how people write it, and says of one that is not there that there is none', async () => {
    const { virtualNumbers } = recorded().client;
    for (const written of ['+442070000003', '0044 (0)20 7000 0003', '020 7000 0003'])
      assert.deepEqual(
        (await virtualNumbers.getByNumber(written)).map(({ id }) => id),
        [3],
        written,
      );
    assert.deepEqual(await virtualNumbers.getByNumber('020 7999 0003'), []);
    await assert.rejects(virtualNumbers.getByNumber('desk'), { code: 'invalid-parameter' });
  });

  test('takes the token of a function at each attempt, so that one may expire during a walk', async () => {
    let calls = 0;
    const { client, sent } = recorded({
      token: async () => {
        calls += 1;
        return calls > 2 ? token : 'lc_expired';
      },
    });
    await assert.rejects(client.virtualNumbers.list(), { code: 'unauthenticated' });
    assert.equal((await client.virtualNumbers.list({ page_size: 10 }).toArray()).length, COUNT);
    assert.equal(sent.at(-1)?.get('authorization'), `Bearer ${token}`);
    const wrong = new Client({ url, token: () => 'a b' });
    await assert.rejects(wrong.account(), { code: 'invalid-option' });
  });

  test('shows no token of a function in an error', async () => {
    const client = new Client({
      url,
      token: () => token,
      retries: 0,
      fetch: (_address, { headers }) => Promise.reject(new Error(JSON.stringify(headers))),
    });
    await assert.rejects(client.account(), (error) => {
      assert.ok(error instanceof Problem);
      assert.ok(!`${error.message} ${String(error.cause)}`.includes(token));
      return true;
    });
  });

  test('takes headers of its own, which are not cached for others', async () => {
    const { client, sent } = recorded({ cache: new Cache(), headers: { 'x-all': '1' } });
    await client.account({ headers: { 'x-one': '2' } });
    await client.account();
    assert.deepEqual(
      sent.map((one) => [one.get('x-all'), one.get('x-one'), one.get('if-none-match')]),
      [
        ['1', '2', null],
        ['1', null, null],
      ],
    );
    await assert.rejects(client.account({ headers: { authorization: 'x' } }), { code: 'invalid-option' });
  });

  test('takes a time limit and a number of retries of its own', async () => {
    const waits: Retry[] = [];
    const { client, sent } = recorded({ url: silentUrl, onRetry: (retry) => waits.push(retry) });
    await assert.rejects(client.account({ timeout_ms: 20, retries: 1 }), { code: 'timeout' });
    assert.equal(sent.length, 2);
    assert.deepEqual(
      waits.map(({ retries, wait_ms }) => [retries, Number.isInteger(wait_ms)]),
      [[1, true]],
    );
    await assert.rejects(client.account({ retries: -1 }), { code: 'invalid-option' });
  });

  test('gives an array of all items, or of as many as are wanted, and requests no page after them', async () => {
    const { client, sent } = recorded();
    const ids = (items: readonly { id: number }[]) => items.map(({ id }) => id);
    const all = Array.from({ length: COUNT }, (_, i) => i + 1);
    for (const [limit, pages] of [
      [10, 1],
      [11, 2],
      [COUNT, 3],
      [undefined, 3],
    ] as const) {
      sent.length = 0;
      const items = await client.virtualNumbers.list({ page_size: 10 }).toArray({ limit });
      assert.deepEqual(ids(items), all.slice(0, limit));
      assert.equal(sent.length, pages, String(limit));
    }
  });

  test('has the cursor of the next page, from which another program goes on', async () => {
    const { client } = recorded();
    const first = await client.virtualNumbers.list({ page_size: 20 });
    const second = await client.virtualNumbers.list({ page_size: 20, cursor: first.next });
    assert.deepEqual([second.page, second.data.length, second.next], [2, 5, undefined]);
  });

  test('reads an address that the client does not know, with the same errors', async () => {
    const { client } = recorded();
    const page = await client.request<{ total: number }>('/api/v1/did/me', { ids: [1, 2], page_size: 1 });
    assert.equal(page.total, 2);
    await assert.rejects(client.request('/api/v1/of-tomorrow'), { code: 'not-found' });
    for (const path of ['api', '//elsewhere.example', '/api?x=1', ''])
      await assert.rejects(client.request(path), { code: 'invalid-option' }, path);
  });

  test('of a page of another origin that is not allowed says what the operator can do', async () => {
    const { client } = recorded({
      retries: 0,
      fetch: () => Promise.reject(new TypeError('Failed to fetch')),
    });
    await assert.rejects(client.account(), (error: Error) => !error.message.includes('--cors-origin'));
    Object.assign(globalThis, {
      location: { origin: 'https://portal.example', href: 'https://portal.example/' },
    });
    try {
      await assert.rejects(
        client.account(),
        /A page of https:\/\/portal\.example can read it if .*--cors-origin/,
      );
    } finally {
      Reflect.deleteProperty(globalThis, 'location');
    }
  });
});
