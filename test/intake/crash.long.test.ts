// A request that does not come to its end, wherever it is cut off, and an intake that is killed while it
// imports: the old list or the whole new one, never between.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createOperatorToken } from '../../server/store/access/tokens.ts';
import { openStore } from '../../server/store/open.ts';
import { statement } from '../../server/store/sql.ts';
import { tables } from '../../server/store/tables.ts';
import { type Intake, NDJSON, openIntake } from '../kit/intake-server.ts';
import { killPrograms, type Serving, serveProgram, stopProgram } from '../kit/program.ts';
import { ndjson, numberRow } from '../kit/rows.ts';
import { stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

/**
 * Cuts at random bytes of each kind of request, in addition to those at every line; more before a release.
 */
const RANDOM_CUTS = Number(process.env['TEST_CUTS'] ?? 5);
const KILLS = Number(process.env['TEST_KILLS'] ?? 2);
const AT_ONCE = 16;
const ROWS = 8_000;

interface Request {
  readonly name: string;
  readonly bytes: Buffer;
  /** Where each line of the body begins, in the bytes. */
  readonly lines: readonly number[];
}

/** The same body in every method, compressed or not, of a known length or in chunks. */
function requests(token: string): Request[] {
  const rows = Array.from({ length: 12 }, (_, i) => numberRow('C1', i + 1, { comment: 'cut' }));
  const methods = ['POST /', 'PATCH /', 'PUT /', 'PUT /?all=true&max_removed=100%25'];
  return methods.flatMap((words) =>
    [false, true].flatMap((isGzip) =>
      [false, true].map((isChunked) => {
        const [method, query = ''] = words.split(' /');
        const texts = rows.map((row) => ndjson([row]));
        const parts = isGzip ? [gzipSync(texts.join(''))] : texts.map((one) => Buffer.from(one));
        const length = parts.reduce((sum, { length: n }) => sum + n, 0);
        const head = Buffer.from(
          `${method} /intake/v1/virtual-numbers${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
            `Content-Type: application/x-ndjson\r\n${isGzip ? 'Content-Encoding: gzip\r\n' : ''}` +
            `${isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`}\r\n\r\n`,
        );
        const framed = parts.map((part) =>
          isChunked
            ? Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])
            : part,
        );
        const lines = framed.map((_, i) => Buffer.concat([head, ...framed.slice(0, i)]).length);
        const end = Buffer.from(isChunked ? '0\r\n\r\n' : '');
        const bytes = Buffer.concat([head, ...framed, end]);
        return {
          name: `${words}, ${isGzip ? 'gzip' : 'plain'}, ${isChunked ? 'chunked' : 'of its length'}`,
          bytes,
          lines,
        };
      }),
    ),
  );
}

for (const kind of stores) {
  describe(`a request that breaks off, on ${kind.name}`, () => {
    let intake: Intake;
    before(async () => {
      intake = await openIntake(kind);
      const old = Array.from({ length: 15 }, (_, i) =>
        numberRow(i < 13 ? 'C1' : 'C2', i + 1, { comment: 'old' }),
      );
      await intake.send('POST', 'virtual-numbers', ndjson(old), NDJSON);
    });
    after(() => intake.close());

    /** Sends that many bytes and leaves: some break the connection, some only end their half of it. */
    async function sendPart(bytes: Buffer, isBroken: boolean): Promise<void> {
      const socket = connect(intake.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.resume();
      const closed = once(socket, 'close');
      await new Promise((resolve) => socket.write(bytes, resolve));
      if (isBroken) socket.destroy();
      else socket.end();
      await closed;
    }

    const connections = () =>
      new Promise<number>((resolve, reject) => {
        intake.server.app.server.getConnections((error, n) => (error ? reject(error) : resolve(n)));
      });

    /** Waits until there are no more connections than those that a client leaves open for later. */
    async function settled(idle: number): Promise<void> {
      while ((await connections()) > idle) await sleep(5);
    }

    test('changes nothing, at every line and at any byte, in every method, compressed or not', async () => {
      const old = await intake.everything();
      const idle = await connections();
      for (const { name, bytes, lines } of requests(intake.token)) {
        const random = Array.from({ length: RANDOM_CUTS }, () => Math.floor(Math.random() * bytes.length));
        // The last byte is the one that makes it whole.
        const cuts = [...lines, ...random, bytes.length - 1];
        for (let first = 0; first < cuts.length; first += AT_ONCE) {
          const some = cuts.slice(first, first + AT_ONCE);
          await Promise.all(some.map((cut, i) => sendPart(bytes.subarray(0, cut), i % 2 === 0)));
        }
        await settled(idle);
        assert.deepEqual(await intake.everything(), old, `${name}, cut at ${cuts.join(', ')}`);
      }
      assert.equal(intake.log.filter((line) => line.includes("'imported'")).length, 1);
      // Whole, each of them would have changed the list.
      for (const { name, bytes } of requests(intake.token).slice(0, 4)) {
        const socket = connect(intake.port, '127.0.0.1');
        socket.write(bytes);
        assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 200 OK/, name);
        socket.destroy();
      }
      assert.notDeepEqual(await intake.everything(), old);
    });

    test('changes nothing, also where the body is larger than memory holds', async () => {
      const old = await intake.everything();
      const idle = await connections();
      const body = Buffer.from(ndjson(Array.from({ length: 3_000 }, (_, i) => numberRow('C5', i + 100))));
      const head = Buffer.from(
        `POST /intake/v1/virtual-numbers HTTP/1.1\r\nHost: x\r\nAuthorization: ${intake.token}\r\n` +
          `Content-Type: application/x-ndjson\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      const whole = Buffer.concat([head, body]);
      for (const part of [0.6, 0.9, 1 - 1 / whole.length])
        await sendPart(whole.subarray(0, Math.floor(whole.length * part)), true);
      await settled(idle);
      assert.deepEqual(await intake.everything(), old);
    });

    test('changes nothing where the client leaves while it waits for the answer', async () => {
      const old = await intake.everything();
      const idle = await connections();
      const other = await intake.operator.load(tables.virtual_numbers);
      const controller = new AbortController();
      const leaving = fetch(`${intake.url}/intake/v1/virtual-numbers`, {
        method: 'POST',
        headers: { ...NDJSON, authorization: intake.token },
        body: ndjson([numberRow('C9', 9_000)]),
        signal: controller.signal,
      });
      await sleep(100);
      controller.abort();
      await assert.rejects(leaving);
      await settled(idle);
      await other.rollback();
      assert.deepEqual(await intake.everything(), old);
    });
  });
}

describe('an intake that is killed', { skip: process.platform === 'win32' }, () => {
  const database = `sqlite:${join(temporaryFolder(), 'linecard.db')}`;
  let token: string;
  before(async () => {
    const store = await openStore(database, 'write');
    ({ token } = await createOperatorToken(store, { name: 'feed' }));
    await store.close();
  });
  after(killPrograms);

  const start = () => serveProgram(['intake', '--log-level', 'silent', '--database-url', database]);

  async function put({ url }: Serving, comment: string): Promise<number> {
    const rows = Array.from({ length: ROWS }, (_, i) => numberRow('C1', i + 1, { comment }));
    const response = await fetch(`${url}/intake/v1/virtual-numbers?all=true&max_removed=100%25`, {
      method: 'PUT',
      headers: {
        ...NDJSON,
        authorization: token,
        'linecard-feed': 'killed',
        'linecard-sequence': String(Date.now()),
      },
      body: ndjson(rows),
    });
    await response.text();
    return response.status;
  }

  /** The comment of all rows, and whether the feed has come as far. */
  async function found(): Promise<{ comment: string; sequence: number }> {
    const store = await openStore(database, 'read');
    const [rows, feeds] = await store.read(
      statement(`select json_extract(item, '$.comment'), count(*) from virtual_numbers group by 1`),
      statement('select sequence from feeds'),
    );
    await store.close();
    assert.deepEqual([rows.length, rows[0]?.[1]], [1, ROWS]);
    return { comment: String(rows[0]?.[0]), sequence: Number(feeds[0]?.[0]) };
  }

  test('leaves the old list or the whole new one, and its feed with it', async () => {
    let intake = await start();
    assert.equal(await put(intake, 'first'), 200);
    const begin = performance.now();
    assert.equal(await put(intake, 'old'), 200);
    const usualMs = performance.now() - begin;
    let old = await found();
    for (let i = 0; i < KILLS; i++) {
      const answered = put(intake, `new ${i}`).catch(() => undefined);
      await sleep(usualMs * ((i + 0.5) / KILLS));
      intake.child.kill('SIGKILL');
      await intake.ended;
      const status = await answered;
      const now = await found();
      const isNew = now.comment === `new ${i}`;
      assert.ok(isNew || now.comment === old.comment, now.comment);
      assert.equal(now.sequence > old.sequence, isNew);
      if (status === 200) assert.equal(isNew, true);
      old = now;
      intake = await start();
    }
    assert.equal(await put(intake, 'after'), 200);
    assert.equal((await found()).comment, 'after');
    assert.equal((await stopProgram(intake)).status, 0);
  });
});
