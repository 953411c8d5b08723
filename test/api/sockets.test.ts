// The service on a bare socket: bytes that are no HTTP, or HTTP that could be read in two ways, get a 4xx and
// a closed connection; what is slow is closed; and the process lives.

import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { Model, type ModelRow, virtual_numbers } from '../kit/model.ts';
import { openService, type Service, stores } from '../kit/service.ts';

const [kind] = stores;
const PATH = virtual_numbers.path;
const OTHER = 'customer-3';
/**
 * The service closes within 10 to 20 seconds; a busy machine takes longer. It only ends a test that would
 * wait for ever.
 */
const PATIENCE_MS = 90_000;
/** Shorter than by default, and long enough for a busy machine. */
const [IDLE_MS, KEEP_ALIVE_MS] = [4_000, 1_000];
/** Every connection that a server of this process has taken. */
const ACCEPTED = 'net.server.socket';
/** An export of this number of items does not fit into the buffers. */
const MANY = 6_000;
const LONG = 'x'.repeat(1_000);

interface Received {
  readonly text: string;
  /** Whether the server closed the connection. */
  readonly closed: boolean;
}

describe('on a bare socket', () => {
  assert.ok(kind !== undefined);
  const model = new Model(hardRows);
  let service: Service;
  let port: number;
  let host: string;
  /** The other ends of the connections, by the client's port. */
  const accepted = new Map<number | undefined, Socket>();
  const onAccepted = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    accepted.set(socket.remotePort, socket);
  };
  before(async () => {
    subscribe(ACCEPTED, onAccepted);
    const more = Array.from({ length: MANY }, (_, i) => {
      return {
        ...(hardRows.virtual_numbers[0] as ModelRow),
        comment: LONG,
        id: 7_000_000 + i,
        account_id: 'huge',
      };
    });
    const virtual_numbers = [...hardRows.virtual_numbers, ...more];
    service = await openService(kind, {
      rows: { ...hardRows, virtual_numbers },
      idleMs: IDLE_MS,
      keepAliveMs: KEEP_ALIVE_MS,
    });
    port = await service.listen();
    host = `Host: localhost:${port}\r\nAuthorization: ${service.tokenOf(LARGE_ACCOUNT).token}\r\n`;
  });
  after(async () => {
    unsubscribe(ACCEPTED, onAccepted);
    await service.close();
  });

  /** Sends bytes and reads until the server closes. */
  async function speak(bytes: string | Buffer): Promise<Received> {
    const { promise, resolve } = Promise.withResolvers<Received>();
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const stop = (closed: boolean) => {
      clearTimeout(patience);
      resolve({ text, closed });
      socket.destroy();
    };
    const patience = setTimeout(() => stop(false), PATIENCE_MS);
    socket.setEncoding('utf8');
    socket.on('data', (data: string) => {
      text += data;
    });
    socket.on('error', () => stop(true));
    socket.on('close', () => stop(true));
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    return promise;
  }

  function problemIn(text: string): { status: number; type: string } {
    const end = text.indexOf('\r\n\r\n');
    const [head, body] = [text.slice(0, end), text.slice(end + 4).replace(/HTTP\/1\.1 [\s\S]*/, '')];
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    assert.match(head, /^content-type: application\/problem\+json$/im, text.slice(0, 500));
    assert.match(head, /^x-content-type-options: nosniff$/im);
    const problem = JSON.parse(body);
    assert.deepEqual(Object.keys(problem), ['type', 'title', 'status', 'detail', 'request_id']);
    assert.equal(problem.status, status);
    assert.match(head, new RegExp(`^x-request-id: ${problem.request_id}$`, 'im'));
    return { status, type: problem.type.replace('urn:linecard:problem:', '') };
  }

  async function mustLive(): Promise<void> {
    const { text } = await speak(`GET ${PATH} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
    assert.match(text, /^HTTP\/1\.1 200 /);
  }

  const get = (more = '', target = PATH) => `GET ${target} HTTP/1.1\r\n${host}${more}\r\n`;

  const REFUSED: Readonly<Record<string, [status: number, () => string | Buffer]>> = {
    'two Host headers': [400, () => get('Host: elsewhere\r\n')],
    'the same Host header twice': [400, () => get(`Host: localhost:${port}\r\n`)],
    'two Authorization headers': [400, () => get(`Authorization: ${service.tokenOf(OTHER).token}\r\n`)],
    'the same Authorization header twice': [
      400,
      () => get(`AUTHORIZATION: ${service.tokenOf(LARGE_ACCOUNT).token}\r\n`),
    ],
    'no Host header': [400, () => `GET ${PATH} HTTP/1.1\r\n\r\n`],
    'two lengths that differ': [400, () => get('Content-Length: 0\r\nContent-Length: 5\r\n')],
    'two lengths that agree': [400, () => get('Content-Length: 0\r\nContent-Length: 0\r\n')],
    'a length beside a transfer encoding': [
      400,
      () => `${get('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n')}0\r\n\r\n`,
    ],
    'a length that is negative': [400, () => get('Content-Length: -1\r\n')],
    'a length with a sign': [400, () => get('Content-Length: +5\r\n')],
    'a length in hexadecimal': [400, () => get('Content-Length: 0x5\r\n')],
    'a length beyond every integer': [400, () => get('Content-Length: 99999999999999999999999\r\n')],
    'an unknown transfer encoding': [413, () => get('Transfer-Encoding: zipped\r\n')],
    'line ends without a carriage return': [400, () => get().replaceAll('\r\n', '\n')],
    'one line end without a carriage return': [400, () => `GET ${PATH} HTTP/1.1\nHost: x\r\n\r\n`],
    'a carriage return inside a header': [400, () => get('X-A: a\rb\r\n')],
    'a header name with a space': [400, () => get('X-A : a\r\n')],
    'a header that is folded': [400, () => get('X-A: a\r\n b\r\n')],
    'a header without a colon': [400, () => get('X-A\r\n')],
    'a NUL in a header': [400, () => get('X-A: a\0b\r\n')],
    'a NUL in the URL': [400, () => get('', `${PATH}?q=\0`)],
    'a space in the URL': [400, () => get('', `${PATH}?q=a b`)],
    'HTTP/0.9': [400, () => 'GET /healthz\r\n\r\n'],
    'HTTP/2': [400, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    'HTTP/9.9': [400, () => `GET ${PATH} HTTP/9.9\r\n${host}\r\n`],
    'a TLS greeting': [400, () => Buffer.from('16030100c8010000c40303', 'hex')],
    'an unknown method': [400, () => get().replace('GET', 'FETCH')],
    'a tunnel': [400, () => `CONNECT example.org:443 HTTP/1.1\r\n${host}\r\n`],
    'a method in small letters': [400, () => get().replace('GET', 'get')],
    garbage: [400, () => Buffer.from(Array.from({ length: 500 }, (_, i) => (i * 31 + 7) % 256))],
    'another protocol': [400, () => 'EHLO example.org\r\nMAIL FROM:<a@b>\r\n'],
    'headers of more than 80 KiB': [431, () => get(`X-A: ${'a'.repeat(100_000)}\r\n`)],
    'ten thousand headers': [431, () => get('X-A: aaaaaaaa\r\n'.repeat(10_000))],
    'a request line of more than 80 KiB': [414, () => get('', `${PATH}?q=${'a'.repeat(100_000)}`)],
    'a body': [413, () => `${get('Content-Length: 5\r\n')}hello`],
    'a body in chunks': [413, () => `${get('Transfer-Encoding: chunked\r\n')}5\r\nhello\r\n0\r\n\r\n`],
    'a body in chunks with an extension': [
      413,
      () => `${get('Transfer-Encoding: chunked\r\n')}1;a=b\r\nx\r\n0\r\n\r\n`,
    ],
    'a body in chunks that asks first': [
      413,
      () => get('Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n'),
    ],
    'a body that never comes': [413, () => get('Content-Length: 1000000\r\n')],
    'a body behind HEAD': [413, () => `${get('Content-Length: 5\r\n').replace('GET', 'HEAD')}hello`],
    'a body that asks first': [413, () => get('Content-Length: 5\r\nExpect: 100-continue\r\n')],
    'a fragment in the URL': [400, () => get('', `${PATH}#page=0`)],
    'bytes in the URL that are not encoded': [400, () => get('', `${PATH}?q=\xc3\xa9`)],
    'a chunk without a length': [400, () => `${get('Transfer-Encoding: chunked\r\n')}hello\r\n`],
  };

  describe('what could be read in two ways, or in none, is refused and the connection closed', () => {
    for (const [what, [status, bytes]] of Object.entries(REFUSED)) {
      test(`${what}: ${status}`, async () => {
        const { text, closed } = await speak(bytes());
        const head = /^HTTP\/1\.1 100 Continue\r\n\r\n/;
        if (what === 'a body behind HEAD') assert.match(text, /^HTTP\/1\.1 413 /);
        else assert.equal(problemIn(text.replace(head, '')).status, status);
        assert.equal(text.replace(head, '').split('HTTP/1.1 ').length, 2, 'there are two answers');
        assert.ok(closed, 'the connection was left open');
        assert.equal(text.includes('"data"'), false, 'rows were sent all the same');
        await mustLive();
      });
    }

    // As some proxies and meshes send it with every request.
    const EMPTY = '0\r\n\r\n';
    for (const [what, status, head, body] of [
      ['a page', 200, get, EMPTY],
      ['a page, with trailers', 200, get, '0\r\nX-A: b\r\n\r\n'],
      ['a page, with an extension', 200, get, '0;a=b\r\n\r\n'],
      ['the health', 200, (more: string) => get(more, '/healthz'), EMPTY],
      ['the readiness', 200, (more: string) => get(more, '/readyz'), EMPTY],
      ['the reference', 200, (more: string) => get(more, '/docs'), EMPTY],
      ['HEAD', 200, (more: string) => get(more).replace('GET', 'HEAD'), EMPTY],
      ['what is not there', 404, (more: string) => get(more, '/api/v1/none'), EMPTY],
      ['DELETE', 405, (more: string) => get(more).replace('GET', 'DELETE'), EMPTY],
      ['OPTIONS', 405, (more: string) => get(more).replace('GET', 'OPTIONS'), EMPTY],
    ] as const) {
      test(`no content in chunks is no body: ${what} is answered, and the connection goes on`, async () => {
        const chunked = head('Transfer-Encoding: chunked\r\n');
        const last = get('Connection: close\r\n', '/healthz');
        // Together in one packet, and one after the other.
        const { text } = await speak(chunked + body + chunked + body + last);
        const statuses = Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, one]) => Number(one));
        assert.deepEqual(statuses, [status, status, 200]);
        const late = connect(port, '127.0.0.1').setEncoding('latin1');
        late.write(chunked);
        await sleep(50);
        late.write(body);
        const [answer] = (await once(late, 'data')) as [string];
        late.destroy();
        assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
      });
    }

    test('content in chunks that was read ahead is a body', async () => {
      const chunked = `${get('Transfer-Encoding: chunked\r\n')}1\r\nx\r\n0\r\n\r\n`;
      const { text } = await speak(get() + chunked + get());
      const statuses = Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, one]) => Number(one));
      assert.deepEqual(statuses, [200, 413]);
    });

    test('what follows a refused request is not answered', async () => {
      const { text } = await speak(`${get('Host: elsewhere\r\n')}${get()}`);
      assert.equal(problemIn(text).status, 400);
    });

    test('garbage during an answer cuts it off, with nothing in its place', async () => {
      const { promise, resolve } = Promise.withResolvers<string>();
      const socket = connect(port, '127.0.0.1').setEncoding('latin1');
      let text = '';
      socket.once('data', () => {
        socket.pause();
        socket.write('GARBAGE\r\n\r\n', () => setTimeout(() => socket.resume(), 100));
      });
      socket.on('data', (data: string) => {
        text += data;
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(text));
      const authorization = service.tokenOf('huge').token;
      socket.write(
        `GET ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nAccept: application/x-ndjson\r\n\r\n`,
      );
      const received = await promise;
      assert.match(received, /^HTTP\/1\.1 200 /);
      assert.equal(received.includes('bad-request'), false, 'another answer stands within this one');
      assert.equal(received.endsWith('\r\n0\r\n\r\n'), false, 'a part looks like the whole');
      await mustLive();
    });

    test('a body that looks like a request is not read as one', async () => {
      const smuggled = `GET ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: ${service.tokenOf(OTHER).token}\r\n\r\n`;
      const { text, closed } = await speak(`${get(`Content-Length: ${smuggled.length}\r\n`)}${smuggled}`);
      assert.equal(problemIn(text).status, 413);
      assert.ok(closed);
    });
  });

  describe('what is unusual but well-formed is answered', () => {
    test('a method of HTTP that the service does not have: 405', async () => {
      for (const method of ['PROPFIND', 'TRACE', 'LOCK', 'REPORT', 'PURGE', 'M-SEARCH']) {
        const { text } = await speak(get('Connection: close\r\n').replace('GET', method));
        assert.deepEqual(problemIn(text), { status: 405, type: 'method-not-allowed' }, method);
        assert.match(text, /^allow: GET, HEAD/im);
      }
    });

    test('OPTIONS * is no path of the service', async () => {
      const { text } = await speak(get('Connection: close\r\n', '*').replace('GET', 'OPTIONS'));
      assert.ok([404, 405].includes(problemIn(text).status));
    });

    test('a URL with scheme and host is the path in it', async () => {
      const { text } = await speak(
        get('Connection: close\r\n', `http://localhost:${port}${PATH}?page_size=0`),
      );
      assert.match(text, /^HTTP\/1\.1 400 [\s\S]*"parameter":"page_size"/);
    });

    test('HTTP/1.0 needs no Host, and the connection is closed', async () => {
      const { authorization } = { authorization: service.tokenOf(LARGE_ACCOUNT).token };
      const { text, closed } = await speak(`GET ${PATH} HTTP/1.0\r\nAuthorization: ${authorization}\r\n\r\n`);
      assert.match(text, /^HTTP\/1\.1 200 /);
      assert.ok(closed);
    });

    test('a length of 0 is no body', async () => {
      const { text } = await speak(get('Content-Length: 0\r\nConnection: close\r\n'));
      assert.match(text, /^HTTP\/1\.1 200 /);
    });

    test('a type without a body is an empty body', async () => {
      const { token } = service.tokenOf(LARGE_ACCOUNT);
      for (const line of [`QUERY ${PATH}`, 'POST /mcp']) {
        const headers = `Host: localhost\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\n`;
        const { text } = await speak(`${line} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
        assert.match(text, /^HTTP\/1\.1 4\d\d /);
      }
    });

    test('an upgrade is not taken', async () => {
      const { text } = await speak(get('Connection: close, Upgrade\r\nUpgrade: websocket\r\n'));
      assert.match(text, /^HTTP\/1\.1 200 /);
    });

    test('an expectation that cannot be met is not waited for', async () => {
      const { text } = await speak(get('Expect: the-impossible\r\nConnection: close\r\n'));
      assert.match(text, /^HTTP\/1\.1 200 /);
    });

    test('two request ids count as none', async () => {
      const { text } = await speak(get('X-Request-Id: one\r\nX-Request-Id: two\r\nConnection: close\r\n'));
      assert.match(text, /^x-request-id: [\w-]{16,}\r$/im);
    });

    test('pipelined requests are answered in order, each to its own account', async () => {
      const accounts = [LARGE_ACCOUNT, OTHER, LARGE_ACCOUNT, OTHER, OTHER, LARGE_ACCOUNT];
      const requests = accounts.map((account_id, i) => {
        const close = i === accounts.length - 1 ? 'Connection: close\r\n' : '';
        const target = `${PATH}?page_size=1000&sort_by=${i % 2 ? 'did' : 'comment'}`;
        return `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${service.tokenOf(account_id).token}\r\n${close}\r\n`;
      });
      const { text } = await speak(requests.join(''));
      const bodies = text.split(/HTTP\/1\.1 200 OK\r\n[\s\S]*?\r\n\r\n/).slice(1);
      assert.equal(bodies.length, accounts.length);
      for (const [i, account_id] of accounts.entries()) {
        const expected = model.expect(
          virtual_numbers,
          account_id,
          `page_size=1000&sort_by=${i % 2 ? 'did' : 'comment'}`,
        );
        assert.ok(
          expected.status === 200 && expected.body === bodies[i],
          `answer ${i} is not that of ${account_id}`,
        );
      }
    });

    test('100 pipelined requests are answered, and more than 100 that wait close the connection', async () => {
      const target = `${PATH}?page_size=1`;
      const ahead = (count: number) => get('', target).repeat(count) + get('Connection: close\r\n', target);
      const answered = ({ text }: Received) => text.match(/HTTP\/1\.1 200 OK/g)?.length ?? 0;
      assert.equal(answered(await speak(ahead(100))), 101);
      const { closed, ...received } = await speak(ahead(150));
      assert.ok(closed);
      assert.ok(answered({ closed, ...received }) < 100, 'all were answered');
    });
  });

  describe('a slow client does not hold a socket', { concurrency: true }, () => {
    test('headers that do not end', async () => {
      const { text, closed } = await speak(get().slice(0, -2));
      assert.ok(closed, 'still open');
      assert.equal(problemIn(text).status, 408);
    });

    test('a request line that does not end', async () => {
      const { text, closed } = await speak('GET /api');
      assert.ok(closed, 'still open');
      assert.equal(problemIn(text).status, 408);
    });

    test('a body that does not end', async () => {
      const bytes = get('Content-Type: application/json\r\nContent-Length: 100\r\n').replace('GET', 'QUERY');
      const { closed } = await speak(`${bytes}{"page":`);
      assert.ok(closed, 'still open');
    });

    test('a connection without a request', async () => {
      assert.ok((await speak('')).closed, 'still open');
    });

    /**
     * Sends bytes, reads nothing until the server has closed its end, and then what had been sent by then.
     */
    async function readLate(bytes: string): Promise<Received> {
      const socket = connect(port, '127.0.0.1').setEncoding('utf8').pause();
      let text = '';
      socket.on('data', (data: string) => {
        text += data;
      });
      socket.on('error', () => {});
      const ended = once(socket, 'close');
      await once(socket, 'connect');
      socket.write(bytes);
      const closed = await isClosed(socket.localPort);
      socket.resume();
      if (closed) await ended;
      else socket.destroy();
      return { closed, text };
    }

    /** Whether the server closes its end of a connection. */
    async function isClosed(clientPort: number | undefined): Promise<boolean> {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      while (!accepted.has(clientPort)) {
        await new Promise((resolve) => setImmediate(resolve));
        if (signal.aborted) return false;
      }
      const theirs = accepted.get(clientPort) as Socket;
      if (theirs.closed) return true;
      return once(theirs, 'close', { signal }).then(
        () => true,
        () => theirs.closed,
      );
    }

    const ofHuge = (more: string, target = PATH) =>
      `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: ${service.tokenOf('huge').token}\r\n${more}\r\n`;

    test('an export that nobody reads', async () => {
      const { text, closed } = await readLate(ofHuge('Accept: application/x-ndjson\r\n'));
      assert.match(text, /^HTTP\/1\.1 200 /);
      assert.ok(closed, 'still open');
      assert.ok(!text.endsWith('\r\n0\r\n\r\n'), 'all of it has come');
    });

    test('pages that nobody reads', async () => {
      const requests = 100;
      const { text, closed } = await readLate(ofHuge('', `${PATH}?page_size=1000`).repeat(requests));
      assert.ok(closed, 'still open');
      const answers = text.split('HTTP/1.1 200 OK').length - 1;
      assert.ok(answers > 0 && answers < requests, `${answers} have come`);
    });

    test('a connection without a further request', async () => {
      const { text, closed } = await speak(get());
      assert.match(text, /^HTTP\/1\.1 200 /);
      assert.ok(closed, 'still open');
    });
  });
});
