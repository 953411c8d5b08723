// One attempt over the network: what a receiver can verify, and what no address, certificate or answer of a
// receiver makes a deliverer do.

import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { setGlobalProxyFromEnv } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, mock, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { attemptSchema } from '../../api/openapi/webhooks-operation.ts';
import { type Message, sender } from '../../server/deliver/sending.ts';
import { openProxy } from '../kit/http-proxy.ts';
import { openReceiver, type Receiver, testCertificate } from '../kit/webhook-receiver.ts';

const SECRETS = ['a', 'b'].map((one) => `whsec_${Buffer.from(one.repeat(32)).toString('base64')}`);
const LOOPBACK = ['127.0.0.0/8'];
const MEBIBYTE = 1_048_576;
const GIBIBYTE = 1_024 * MEBIBYTE;

/** As many as the contract counts, and more. */
const PRIVATE_HOSTS = [
  '127.0.0.1',
  '127.1',
  '127.0.0.1.',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '①②⑦.⓪.⓪.①',
  'localhost',
  'localhost.',
  'LOCALHOST',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '172.16.5.4',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[2001::1]',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
];

const messageTo = (url: string, more: Partial<Message> = {}): Message => ({
  id: 'msg_1',
  url,
  body: '{"type":"webhook.test"}',
  at: Date.now(),
  secrets: SECRETS.slice(0, 1),
  ...more,
});

describe('an attempt', () => {
  const { cert: ca } = testCertificate();
  const send = sender({ allow: LOOPBACK, ca });
  const opened = new AsyncDisposableStack();
  let receiver: Receiver;
  before(async () => {
    receiver = await open();
  });
  after(() => opened.disposeAsync());

  /** Closed after the tests. */
  async function open(...how: Parameters<typeof openReceiver>): Promise<Receiver> {
    const one = await openReceiver(...how);
    opened.defer(() => one.close());
    return one;
  }

  const urlOf = ({ port }: Receiver) => `https://127.0.0.1:${port}/hook?a=b`;

  test('is signed so that a receiver can verify it, with each secret while a rotation overlaps', async () => {
    const body = '{"type":"virtual_numbers.added","data":{"title":"Zürich"}}';
    const { status } = await send(messageTo(urlOf(receiver), { body, secrets: SECRETS }));
    assert.equal(status, 204);
    const { headers, body: arrived } = receiver.received.at(-1) ?? assert.fail();
    for (const secret of SECRETS)
      assert.deepEqual(
        new Webhook(secret).verify(arrived, headers as Record<string, string>),
        JSON.parse(body),
      );
    assert.throws(() =>
      new Webhook(SECRETS[0] ?? '').verify(`${arrived} `, headers as Record<string, string>),
    );
    assert.match(headers['user-agent'] ?? '', /^Linecard\/\d/);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['webhook-id'], 'msg_1');
  });

  test('has any status that a receiver may answer with, which the reference allows', async () => {
    const { minimum = 0, maximum = 0 } = attemptSchema.properties?.['status'] ?? assert.fail();
    for (const line of ['099 None', '204 No Content', '600 Odd', '999 Odd']) {
      const odd = await open((response) =>
        response.socket?.end(`HTTP/1.1 ${line}\r\ncontent-length: 0\r\n\r\n`),
      );
      const { status = -1 } = await send(messageTo(urlOf(odd)));
      assert.equal(status, Number.parseInt(line, 10));
      assert.ok(status >= minimum && status <= maximum, line);
    }
  });

  test('ends with the status of a receiver that switches protocols, and with a fault where one ends without an answer', async () => {
    const answeredBy = async (bytes: string) => {
      const odd = await open((response) => response.socket?.end(bytes));
      const { status, fault } = await send(messageTo(urlOf(odd)));
      assert.equal(odd.received.length, 1);
      return status ?? fault;
    };
    const upgrade = 'Connection: Upgrade\r\nUpgrade: x\r\n\r\n';
    assert.equal(await answeredBy(`HTTP/1.1 101 Switching Protocols\r\n${upgrade}`), 101);
    assert.equal(
      await answeredBy(`HTTP/1.1 101 Switching Protocols\r\n${upgrade}HTTP/1.1 200 OK\r\n\r\n`),
      101,
    );
    assert.equal(await answeredBy('HTTP/1.1 101 Switching Protocols\r\n\r\n'), 101);
    assert.equal(
      await answeredBy(`HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 101 Switching\r\n${upgrade}`),
      101,
    );
    for (const status of [100, 102, 103, 199])
      assert.equal(await answeredBy(`HTTP/1.1 ${status} Odd\r\n${upgrade}`), 'socket hang up (ECONNRESET)');
  });

  test('uses the connection of the one before, and a new one when the receiver has closed that', async () => {
    const one = await open((response, _, request) => {
      response.writeHead(204).end();
      if (one.received.length === 2) request.socket.destroySoon();
    });
    for (let i = 0; i < 4; i++) assert.equal((await send(messageTo(urlOf(one)))).status, 204);
    assert.equal(one.received.length, 4);
    assert.ok(one.connections <= 3);
  });

  test(`is refused by the address, however it is spelled (${PRIVATE_HOSTS.length} times), before any connection`, async () => {
    let connections = 0;
    const server = createServer(() => {
      connections += 1;
    });
    server.listen(0, '::');
    await once(server, 'listening');
    opened.defer(async () => void server.close());
    const { port } = server.address() as AddressInfo;
    const careful = sender({ allow: [] });
    for (const host of PRIVATE_HOSTS) {
      const outcome = await careful(messageTo(`https://${host}:${port}/`));
      // Not everything that resolves names takes all spellings.
      assert.match(outcome.fault ?? '', /is not a public address$|ENOTFOUND/, host);
    }
    assert.equal(connections, 0);
  });

  test('goes to an address that is allowed, and to no other of the same network', async () => {
    const other = await open(undefined, { host: '127.0.0.2' });
    const narrow = sender({ allow: ['127.0.0.1', 'fd00::/8'], ca });
    assert.equal((await narrow(messageTo(urlOf(receiver)))).status, 204);
    const { fault } = await narrow(messageTo(`https://127.0.0.2:${other.port}/`));
    assert.equal(fault, '127.0.0.2 is not a public address');
    assert.equal(other.connections, 0);
  });

  test('checks the address at each connection, whatever the name resolved to before', async () => {
    const closing = await open((response) => response.writeHead(204, { connection: 'close' }).end());
    const other = await open(undefined, { host: '127.0.0.2' });
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1', '127.0.0.2'], ['127.0.0.1']];
    const lookups = mock.method(dns, 'lookup', ((
      _name: string,
      _options: object,
      found: (error: null, addresses: object[]) => void,
    ) =>
      found(
        null,
        (answers.shift() ?? []).map((address) => ({ address, family: 4 })),
      )) as never);
    syncBuiltinESMExports();
    try {
      const narrow = sender({ allow: ['127.0.0.1'], ca });
      const url = `https://receiver.example:${closing.port}/`;
      const outcomes = [];
      for (let i = 0; i < 4; i++) outcomes.push(await narrow(messageTo(url)));
      assert.deepEqual(
        outcomes.map(({ status, fault }) => status ?? fault),
        [204, '127.0.0.2 is not a public address', '127.0.0.2 is not a public address', 204],
      );
      assert.equal(other.connections, 0);
    } finally {
      lookups.mock.restore();
      syncBuiltinESMExports();
    }
  });

  test('goes through no proxy, whatever the environment says: a proxy could reach any address', async () => {
    const proxy = await openProxy({ port: receiver.port });
    const names = { https_proxy: proxy.url, HTTPS_PROXY: proxy.url };
    Object.assign(process.env, names);
    const restore = setGlobalProxyFromEnv(names);
    try {
      const own = sender({ allow: LOOPBACK, ca });
      assert.equal((await own(messageTo(urlOf(receiver)))).status, 204);
      const refused = await own(messageTo('https://192.168.1.1/'));
      assert.match(refused.fault ?? '', /192\.168\.1\.1 is not a public address/);
      assert.deepEqual(proxy.requests, []);
    } finally {
      restore();
      for (const name of Object.keys(names)) delete process.env[name];
      proxy.close();
    }
  });

  test('follows no redirect, not even to 169.254.169.254', async () => {
    const redirecting = await open((response) =>
      response.writeHead(302, { location: 'https://169.254.169.254/latest/meta-data/' }).end(),
    );
    const outcome = await send(messageTo(urlOf(redirecting)));
    assert.deepEqual([outcome.status, outcome.fault], [302, undefined]);
    assert.equal(redirecting.received.length, 1);
  });

  test('reads no more than 64 KiB of an answer of a gigabyte, or of one that does not end', async () => {
    let sent = 0;
    const chunk = Buffer.alloc(MEBIBYTE);
    const endless = await open((response, _, { url }) => {
      response.writeHead(200, url === '/endless' ? {} : { 'content-length': GIBIBYTE });
      const write = () => {
        for (let isTaken = true; isTaken && !response.destroyed; sent += chunk.length)
          isTaken = response.write(chunk);
      };
      response.on('drain', write).on('error', () => {});
      write();
    });
    for (const path of ['endless', 'gigabyte']) {
      sent = 0;
      assert.equal((await send(messageTo(`https://127.0.0.1:${endless.port}/${path}`))).status, 200);
      // What the buffers of the sockets take.
      assert.ok(sent > 0 && sent < 64 * MEBIBYTE, `${sent}`);
    }
  });

  test('ends when no answer comes in time: no header, a header or hints that do not end, or a silent port', async () => {
    const impatient = sender({ allow: LOOPBACK, ca, attemptMs: 400 });
    const silent = await open(() => {});
    const slow = await open((_, __, { socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(timer)).on('error', () => {});
    });
    const deaf = createServer(() => {});
    deaf.listen(0, '127.0.0.1');
    opened.defer(async () => void deaf.close());
    await once(deaf, 'listening');
    const informing = await open((_, __, { socket }) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n'), 40);
      socket.on('close', () => clearInterval(timer)).on('error', () => {});
    });
    for (const port of [silent.port, slow.port, informing.port, (deaf.address() as AddressInfo).port]) {
      const { status, fault } = await impatient(messageTo(`https://127.0.0.1:${port}/`));
      assert.deepEqual([status, fault], [undefined, 'no answer within 15 seconds']);
    }
  });

  test('fails at once where interim responses or headers do not end, and ends where the framing of an answer does not', async () => {
    const header = `x: ${'x'.repeat(10_000)}\r\n`;
    const interim = (status: string) => `HTTP/1.1 ${status}\r\n\r\n`;
    const ok = 'HTTP/1.1 200 OK\r\n';
    /** What is sent first, and then again and again. */
    const cases: readonly (readonly [once: string, always: string, answer: number | RegExp])[] = [
      ['', interim('100 Continue'), /^more than 20 interim responses$/],
      ['', interim('103 Early Hints'), /^more than 20 interim responses$/],
      ['', `HTTP/1.1 103 Early Hints\r\n${header}\r\n`, /^more than 64 KiB before the answer$/],
      [ok, header, /\(HPE_HEADER_OVERFLOW\)$/],
      [`${ok}transfer-encoding: chunked\r\n\r\n`, `1;${'x'.repeat(10_000)}\r\nx\r\n`, 200],
      [`${ok}transfer-encoding: chunked\r\n\r\n0\r\n`, header, 200],
      [`${interim('103 Early Hints').repeat(20)}${ok}content-length: 0\r\n\r\n`, '', 200],
    ];
    for (const [first, always, expected] of cases) {
      let written = 0;
      const endless = await open((_, __, { socket }) => {
        const write = () => {
          for (let isTaken = true; isTaken && !socket.destroyed && always !== ''; written += always.length)
            isTaken = socket.write(always);
        };
        socket.on('drain', write).on('error', () => {});
        socket.write(first);
        write();
      });
      const { status, fault } = await send(messageTo(urlOf(endless)));
      if (typeof expected === 'number') assert.deepEqual([status, fault], [expected, undefined]);
      else assert.match(fault ?? '', expected);
      assert.ok(written < 64 * MEBIBYTE, `${written} of ${always.slice(0, 40)}`);
    }
  });

  test('counts by its status an answer whose body does not come', async () => {
    const impatient = sender({ allow: LOOPBACK, ca, attemptMs: 400 });
    const stalling = await open((response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.flushHeaders();
    });
    assert.equal((await impatient(messageTo(urlOf(stalling)))).status, 200);
  });

  test('needs a certificate that is trusted and of the name, and TLS 1.2', async () => {
    const untrusting = sender({ allow: LOOPBACK });
    // The customer reads it, to whom settings of Node say nothing.
    const untrusted = (await untrusting(messageTo(urlOf(receiver)))).fault ?? '';
    assert.match(untrusted, /^[^;]*certificate[^;]* \(\w*CERT\w*\)$/);
    assert.doesNotMatch(untrusted, /Node/);
    const named = await open(undefined, { host: '127.0.0.3' });
    assert.match(
      (await send(messageTo(`https://127.0.0.3:${named.port}/`))).fault ?? '',
      /ERR_TLS_CERT_ALTNAME_INVALID/,
    );
    const old = await open(undefined, {
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    const { status, fault } = await send(messageTo(urlOf(old)));
    assert.equal(status, undefined);
    assert.notEqual(fault, undefined);
    assert.equal(old.received.length, 0);
  });
});
