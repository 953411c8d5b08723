// How many connections there may be: one too many gets an answer, and those of others stay.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { Connections } from '../../server/http/connections.ts';
import { limits } from '../../server/limits/limits.ts';
import { listen } from '../kit/free-port.ts';
import { LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { virtual_numbers } from '../kit/model.ts';
import { openService, type Service, stores } from '../kit/service.ts';
import { RawConnection } from '../kit/sockets.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const [kind] = stores;
const PATH = virtual_numbers.path;
const [ALL, OF_AN_ADDRESS] = [5, 2];
const LIMITS = {
  accounts: [LARGE_ACCOUNT],
  connectionLimit: { each: OF_AN_ADDRESS, total: ALL },
} as const;
// Only Linux has more addresses of its own than one.
const skip = process.platform !== 'linux';

describe('connections', { skip }, () => {
  assert.ok(kind !== undefined);
  let direct: Service;
  let proxied: Service;
  const ports = new Map<Service, number>();
  const open: RawConnection[] = [];
  before(async () => {
    direct = await openService(kind, LIMITS);
    proxied = await openService(kind, { ...LIMITS, trustProxy: ['127.0.0.0/24'] });
    for (const service of [direct, proxied]) ports.set(service, await service.listen());
  });
  after(async () => {
    closeAll();
    await direct.close();
    await proxied.close();
  });

  function closeAll(): void {
    for (const one of open.splice(0)) one.close();
  }

  async function from(service: Service, address: string): Promise<RawConnection> {
    const connection = await RawConnection.open(ports.get(service) ?? 0, address);
    open.push(connection);
    return connection;
  }

  function get(service: Service, more = '', path = PATH): string {
    const { token } = service.tokenOf(LARGE_ACCOUNT);
    return `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n${more}\r\n`;
  }

  const ask = async (service: Service, address: string, more = '', path = PATH) =>
    (await from(service, address)).ask(get(service, more, path));

  /** As many as one address may have, each of which has been answered. */
  async function fill(service: Service, address: string): Promise<void> {
    for (let i = 0; i < OF_AN_ADDRESS; i++) {
      await until('there is room for another', async () => {
        if ((await ask(service, address)).status === 200) return true;
        open.pop();
        return false;
      });
    }
  }

  test('of one address beyond its limit are answered 503, and those of others are served', async () => {
    await fill(direct, '127.0.0.1');
    const socket = connect({ port: ports.get(direct) ?? 0, host: '127.0.0.1' }).setEncoding('latin1');
    let text = '';
    socket.on('data', (some: unknown) => {
      text += String(some);
    });
    socket.write(get(direct, 'X-Forwarded-For: 203.0.113.9\r\n'));
    await once(socket, 'close');
    const [head = '', body = ''] = text.split('\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 503 /);
    assert.match(head, /^retry-after: 5$/im);
    assert.match(head, /^connection: close$/im);
    assert.match(head, /^content-type: application\/problem\+json$/im);
    const { type, detail } = JSON.parse(body);
    assert.equal(type, 'urn:linecard:problem:unavailable');
    assert.match(
      detail,
      /^This address already has 2 connections open, which is the maximum\. .* in 5 seconds\.$/,
    );
    assert.equal((await ask(direct, '127.0.0.2')).status, 200);
    // Those that were there before go on.
    for (const one of open) assert.equal((await one.ask(get(direct))).status, 200);
    closeAll();
  });

  test('beyond the limit of all are answered 503, from any address, until some are closed', async () => {
    await fill(direct, '127.0.0.1');
    await fill(direct, '127.0.0.2');
    assert.equal((await ask(direct, '127.0.0.3')).status, 200);
    assert.equal((await ask(direct, '127.0.0.4')).status, 503);
    assert.equal((await ask(direct, '127.0.0.4', '', '/healthz')).status, 200, 'it would be restarted');
    closeAll();
    await until('there is room again', async () => (await ask(direct, '127.0.0.4')).status === 200);
    closeAll();
  });

  test('that are refused and ask for nothing are closed, so that no number of them adds up', async () => {
    await fill(direct, '127.0.0.1');
    const silent: Socket[] = [];
    for (let i = 0; i < 120; i++) silent.push((await from(direct, '127.0.0.1')).socket);
    const closed = silent.map(async (socket) => socket.destroyed || (await once(socket, 'close')));
    // More than are told at a time are closed at once; those that are not, soon.
    await Promise.all(closed);
    closeAll();
  });

  test('of a trusted proxy are those of many clients: only all together are limited', async () => {
    for (let i = 0; i < ALL; i++) assert.equal((await ask(proxied, '127.0.0.1')).status, 200, `${i}`);
    assert.equal((await ask(proxied, '127.0.0.1')).status, 503);
    closeAll();
    await until('there is room', async () => (await ask(proxied, '127.0.1.1')).status === 200);
    assert.equal((await ask(proxied, '127.0.1.1')).status, 200);
    assert.equal((await ask(proxied, '127.0.1.1', 'X-Forwarded-For: 203.0.113.9\r\n')).status, 503);
    closeAll();
  });
});

describe('connections of another kind', { skip }, () => {
  const folder = temporaryFolder();

  /** Answers 503 what is refused, and 200 what is not. */
  const answer =
    (connections: Connections) =>
    ({ socket }: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(connections.refusalOf(socket) === undefined ? 200 : 503).end();
    };

  function certificate(): { cert: Buffer; key: Buffer } {
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const kindOfKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const words = ['req', '-x509', ...kindOfKey, '-subj', '/CN=localhost', '-keyout', key, '-out', cert];
    assert.equal(spawnSync('openssl', words).status, 0);
    return { cert: readFileSync(cert), key: readFileSync(key) };
  }

  test('that are encrypted are answered 503 as well', {
    skip: spawnSync('openssl', ['version']).status !== 0 && 'openssl is not installed',
  }, async (t) => {
    const connections = new Connections({ ...limits.connections, each: 2 }, () => false);
    const server = createTlsServer(certificate(), answer(connections));
    t.after(() => server.close());
    connections.watch(server);
    const port = await listen(server);
    const sockets: Socket[] = [];
    const statusOf = async () => {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
      sockets.push(socket);
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      const [text] = await once(socket, 'data');
      return Number(String(text).slice(9, 12));
    };
    assert.deepEqual([await statusOf(), await statusOf(), await statusOf()], [200, 200, 503]);
    assert.deepEqual([connections.open, connections.refused], [2, { each: 1, share: 0, total: 0 }]);
    for (const socket of sockets) socket.destroy();
    await until('all are counted as closed', () => connections.open === 0);
  });

  test('on a Unix socket come from a proxy of this machine, and have no address', async (t) => {
    const connections = new Connections({ ...limits.connections, each: 1, total: 4 }, () => false);
    const path = join(folder, 'socket');
    const server = createServer(answer(connections)).listen(path);
    t.after(() => server.close());
    connections.watch(server);
    await once(server, 'listening');
    const sockets = Array.from({ length: 4 }, () => connect({ path }));
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const texts = await Promise.all(sockets.map((socket) => once(socket, 'data')));
    for (const [text] of texts) assert.match(String(text), /^HTTP\/1\.1 200 /);
    assert.deepEqual([connections.open, connections.refused], [4, { each: 0, share: 0, total: 0 }]);
    for (const socket of sockets) socket.destroy();
  });
});
