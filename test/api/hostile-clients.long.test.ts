// What one client does, by fault or on purpose, and what it must not cost the service or another customer.

import assert from 'node:assert/strict';
import diagnostics_channel from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { revokeToken } from '../../server/store/access/tokens.ts';
import { StoreUnavailable } from '../../server/store/store-errors.ts';
import { hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { virtual_numbers } from '../kit/model.ts';
import { openService, type Service, stores } from '../kit/service.ts';

const [kind] = stores;
const STRANGER = 'customer-3';
const OTHER = 'customer-2';
const PATH = virtual_numbers.path;
const PATIENCE_MS = 30_000;
/** How long a connection may be silent, and longer. */
const IDLE_MS = 2_000;
const LATE_MS = 2_500;

describe('a client that means no good', () => {
  assert.ok(kind !== undefined);
  let service: Service;
  let port: number;
  let pagesRead = 0;
  let isLate = false;
  const opened = (more: { readonly idleMs?: number } = {}) =>
    openService(kind, {
      ...more,
      rows: hardRows,
      cacheBytes: 0,
      indexBytes: 0,
      async beforeReading(text) {
        if (!text.includes('from virtual_numbers')) return;
        pagesRead += 1;
        if (!isLate) return;
        await sleep(LATE_MS);
        throw new StoreUnavailable('There is more to do than can be done in time.');
      },
    });
  before(async () => {
    service = await opened({ idleMs: IDLE_MS });
    port = await service.listen();
  });
  after(async () => service.close());

  const get = (more = '', target = PATH, { tokenOf } = service) =>
    `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${tokenOf(LARGE_ACCOUNT).token}\r\n${more}\r\n`;

  async function open(to = port): Promise<Socket> {
    const socket = connect(to, '127.0.0.1').setEncoding('latin1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  }

  async function readAll(socket: Socket): Promise<string> {
    let text = '';
    socket.on('data', (some: string) => {
      text += some;
    });
    await once(socket, 'close');
    return text;
  }

  const UNREAD: Readonly<Record<string, [status: number, headers: () => string]>> = {
    'with a wrong token': [401, () => `Authorization: lc_${'a'.repeat(42)}\r\n`],
    'without a token': [401, () => ''],
    'to a path that is none': [404, () => `Authorization: ${service.tokenOf(LARGE_ACCOUNT).token}\r\n`],
  };
  for (const [what, [status, headers]] of Object.entries(UNREAD)) {
    test(`a body ${what} is not read on: the connection is closed`, { timeout: PATIENCE_MS }, async () => {
      const socket = await open();
      const path = status === 404 ? '/nothing' : PATH;
      const begin = performance.now();
      const received = readAll(socket);
      socket.write(
        `QUERY ${path} HTTP/1.1\r\nHost: x\r\n${headers()}Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{`,
      );
      // Of the answer itself: what is silent for too long is closed with another one.
      const [head = ''] = (await received).split('\r\n\r\n');
      assert.match(head, new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*\r\nconnection: close\r\n`, 'i'));
      assert.ok(performance.now() - begin < 5_000, 'the connection stayed open');
    });
  }

  test('a body that is held back until the token is revoked gets 401', { timeout: PATIENCE_MS }, async () => {
    const { id, token } = service.tokenOf(STRANGER);
    const body = '{"page_size":1}';
    const socket = await open();
    const received = readAll(socket);
    socket.write(
      `QUERY ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`,
    );
    await sleep(500);
    await revokeToken(service.operator, id);
    await sleep(100);
    socket.write(body.slice(1));
    assert.match(await received, /^HTTP\/1.1 401 /);
  });

  test('bodies that are held back have a maximum of bytes for each account, and those of others are read', {
    timeout: PATIENCE_MS,
  }, async () => {
    const query = (account_id: string, length: number, body: string) =>
      `QUERY ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: ${service.tokenOf(account_id).token}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
    const body = '{"page_size":1}';
    const held = await Promise.all(Array.from({ length: 8 }, open));
    for (const socket of held) socket.write(query(LARGE_ACCOUNT, 1_048_576, '{'));
    const statusOf = async (account_id: string) => {
      const socket = await open();
      const received = readAll(socket);
      socket.write(query(account_id, body.length, body));
      return /^HTTP\/1.1 (\d+) (?:[\s\S]*\r\nretry-after: (\d+)\r\n)?/i.exec(await received)?.slice(1);
    };
    await sleep(200);
    assert.deepEqual(await statusOf(LARGE_ACCOUNT), ['429', '2']);
    assert.deepEqual(await statusOf(OTHER), ['200', undefined]);
    for (const socket of held) socket.destroy();
    const late = performance.now() + PATIENCE_MS;
    while ((await statusOf(LARGE_ACCOUNT))?.[0] !== '200') assert.ok(performance.now() < late);
  });

  test('a request that waits longer than a connection may be silent is answered', {
    timeout: PATIENCE_MS,
  }, async () => {
    isLate = true;
    try {
      const socket = await open();
      const received = readAll(socket);
      socket.write(get('Connection: close\r\n'));
      assert.match(await received, /^HTTP\/1.1 503 /);
    } finally {
      isLate = false;
    }
  });

  test('pages that are requested ahead and not read are not computed', {
    timeout: PATIENCE_MS,
  }, async () => {
    const pages = 100;
    const socket = (await open()).pause();
    pagesRead = 0;
    const target = `${PATH}?page_size=1000`;
    socket.write(get('', target).repeat(pages));
    await sleep(2_000);
    assert.ok(pagesRead > 0 && pagesRead < pages, `${pagesRead} pages were read`);
    socket.destroy();
  });

  test('pages that are requested ahead and read all come', { timeout: PATIENCE_MS }, async () => {
    const pages = 50;
    const socket = await open();
    const received = readAll(socket);
    socket.write(get().repeat(pages - 1) + get('Connection: close\r\n'));
    assert.equal((await received).match(/HTTP\/1.1 200 /g)?.length, pages);
  });

  test('requests without end behind one that takes long close their connection', {
    timeout: PATIENCE_MS,
  }, async () => {
    let begun = 0;
    const count = () => {
      begun += 1;
    };
    diagnostics_channel.subscribe('http.server.request.start', count);
    isLate = true;
    try {
      const socket = await open();
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      socket.on('error', () => {}).once('close', () => resolve());
      socket.write(get() + 'GET / HTTP/1.1\r\n\r\n'.repeat(50_000));
      await closed;
      // What came in the same chunk is parsed.
      assert.ok(begun > 1 && begun < 5_000, `${begun} were read`);
    } finally {
      isLate = false;
      diagnostics_channel.unsubscribe('http.server.request.start', count);
    }
  });

  test('a hundred requests behind one that takes long are answered in their order', {
    timeout: PATIENCE_MS,
  }, async () => {
    // With its usual patience: a busy machine takes longer than IDLE_MS allows for half of a request.
    const patient = await opened();
    const requests = Array.from({ length: 100 }, (_, i) => {
      const [page, close] = [i + 2, i === 99 ? 'Connection: close\r\n' : ''];
      if (i % 3 > 0) return get(close, `${PATH}?page_size=1&page=${page}`, patient);
      // Bodies of all lengths, also beyond what is parsed at once.
      const body = JSON.stringify({ page_size: 1, page, statuses: ['x'.repeat((i * 140) % 5_000)] });
      const headers = `${close}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      return get(headers, PATH, patient).replace('GET', 'QUERY') + body;
    });
    const socket = await open(await patient.listen());
    const received = readAll(socket);
    isLate = true;
    socket.write(get('', PATH, patient));
    await sleep(LATE_MS / 2);
    isLate = false;
    socket.write(requests.join(''));
    const pages = Array.from((await received).matchAll(/"page":(\d+),"page_size":1,/g), ([, page]) =>
      Number(page),
    );
    assert.deepEqual(
      pages,
      requests.map((_, i) => i + 2),
    );
    await patient.close();
  });
});

describe('wrong tokens', () => {
  assert.ok(kind !== undefined);
  const LIMIT = 20;
  const WRONG = { authorization: 'Bearer wrong' };
  let direct: Service;
  let proxied: Service;
  before(async () => {
    const how = { accounts: [LARGE_ACCOUNT], failureLimit: LIMIT };
    direct = await openService(kind, how);
    proxied = await openService(kind, { ...how, trustProxy: ['127.0.0.1', '10.0.0.0/8'] });
  });
  after(async () => {
    await direct.close();
    await proxied.close();
  });

  test('are answered 429 when an address has sent too many, whatever its headers say', async () => {
    const forged = (i: number) => ({
      'x-forwarded-for': `203.0.113.${i}`,
      forwarded: `for=203.0.113.${i}`,
      'x-real-ip': `203.0.113.${i}`,
    });
    for (let i = 0; i < LIMIT; i++) {
      assert.equal((await direct.send('GET', PATH, { ...WRONG, ...forged(i) })).status, 401);
    }
    for (const headers of [WRONG, {}, { ...WRONG, ...forged(99) }]) {
      const { status, body, headers: sent } = await direct.send('GET', PATH, headers);
      assert.equal(status, 429, body);
      assert.match(sent['retry-after'] ?? '', /^[1-9]\d?$/);
    }
  });

  test('of others do not refuse a valid one', async () => {
    assert.equal((await direct.ask(LARGE_ACCOUNT, PATH)).status, 200);
  });

  test('are counted by the address that a trusted proxy names, not by those a client wrote before it', async () => {
    const from = (i: number, address: string) =>
      proxied.send('GET', PATH, { ...WRONG, 'x-forwarded-for': `198.51.100.${i}, ${address}, 10.1.2.3` });
    for (let i = 0; i < LIMIT; i++) assert.equal((await from(i, '203.0.113.7')).status, 401);
    assert.equal((await from(99, '203.0.113.7')).status, 429);
    assert.equal((await from(99, '203.0.113.8')).status, 401);
  });

  test('are logged once where a header names the client that is not read, also of a trusted proxy', async () => {
    const said = () => proxied.log.filter((line) => line.includes('--trust-proxy'));
    await proxied.send('GET', PATH, { ...WRONG, 'x-forwarded-for': '127.0.0.1' });
    assert.deepEqual(said(), []);
    for (const _ of [1, 2]) await proxied.send('GET', PATH, { ...WRONG, forwarded: 'for=203.0.113.9' });
    assert.equal(said().length, 1);
  });
});
