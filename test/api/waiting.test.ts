// Requests that wait for news: a client that has what there is, and prefers to wait, is answered as soon as
// its account changes.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ACCOUNT_PATH, itemPath } from '@linecard/client/contract/addresses';
import { facetsPath } from '@linecard/client/contract/facets';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { virtual_numbers as numbers } from '@linecard/client/contract/virtual-numbers';
import { revokeToken } from '../../server/store/access/tokens.ts';
import { additional_services, type ModelRow, virtual_numbers } from '../kit/model.ts';
import { numberRow } from '../kit/rows.ts';
import { load as loadRows, openService, type Service, stores } from '../kit/service.ts';
import { until } from '../kit/until.ts';

/** Each test has accounts of its own. */
const ACCOUNTS = Array.from({ length: 24 }, (_, i) => `customer-${i}`);
const STOPPED = 'stopped';
const SECOND_MS = 1_000;
const A_DAY_MS = 86_400_000;
/** The maximum number of requests of a token that may wait. */
const OF_A_TOKEN = 10;
/** Time to import a number and to begin to wait before it falls due. */
const DUE_MS = 6_000;
/** The longest wait, in seconds, for a client that is answered before its end; a busy machine is late. */
const WAIT = 55;
const SOON_MS = 50_000;
const PATIENCE_MS = 60_000;

interface Received {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly ms: number;
}

let lastId = 0;

function newNumber(account_id: string, next_payment_at: string | null = null): ModelRow {
  lastId += 1;
  return numberRow(account_id, lastId, { monthly: '2.25', next_payment_at });
}

/** Most of what these tests do is wait, each with an account of its own. */
const AT_ONCE = { concurrency: 8 };

describe('a client that waits', AT_ONCE, () => {
  for (const kind of stores) {
    describe(`on ${kind.name}`, AT_ONCE, () => {
      const unused = [...ACCOUNTS];
      const anAccount = () => unused.shift() ?? assert.fail('there are too few accounts');
      let service: Service;
      let port: number;
      before(async () => {
        const rows = ACCOUNTS.map((one) => newNumber(one));
        service = await openService(kind, { rows: { virtual_numbers: rows }, rateLimit: 60 });
        port = await service.listen();
      });
      after(async () => service.close());

      let written: Promise<unknown> = Promise.resolve();
      /** One write after the other: on SQLite a second one would hold up the thread that the first needs. */
      const inTurn = <T>(write: () => Promise<T>): Promise<T> => {
        const writing = written.then(write);
        written = writing;
        return writing;
      };
      const load = (row: ModelRow) => inTurn(() => loadRows(service.operator, 'virtual_numbers', [row]));

      const send = (account_id: string, path: string, headers: Record<string, string>): ClientRequest =>
        request({
          port,
          path,
          agent: false,
          headers: { authorization: service.tokenOf(account_id).token, ...headers },
        }).end();

      async function answerOf(outgoing: ClientRequest): Promise<Received> {
        const begin = performance.now();
        const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
        let body = '';
        for await (const text of answer.setEncoding('utf8')) body += text;
        return {
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body,
          ms: performance.now() - begin,
        };
      }

      const get = (account_id: string, path: string, headers: Record<string, string> = {}) =>
        answerOf(send(account_id, path, headers));

      async function tagOf(account_id: string, path: string): Promise<string> {
        const { status, headers, body } = await get(account_id, path);
        assert.equal(status, 200, body);
        assert.ok(headers.etag, `${path} has no ETag`);
        return headers.etag;
      }

      async function wait(account_id: string, path: string, seconds: number): Promise<Received> {
        const tag = await tagOf(account_id, path);
        return get(account_id, path, { 'if-none-match': tag, prefer: `wait=${seconds}` });
      }

      const ADDRESSES: Readonly<Record<string, string>> = {
        'a page': virtual_numbers.path,
        'a page of services': additional_services.path,
        'a search': `${virtual_numbers.path}?q=20&sort_by=did&page_size=2`,
        facets: facetsPath(numbers),
        'one item': itemPath(numbers),
        'the account': ACCOUNT_PATH,
      };
      const firstId = async (account_id: string): Promise<string> =>
        String(JSON.parse((await get(account_id, virtual_numbers.path)).body).data[0].id);
      const pathOf = async (account_id: string, address: string): Promise<string> =>
        address.replace('{id}', await firstId(account_id));

      for (const [what, address] of Object.entries(ADDRESSES)) {
        test(`for ${what} is answered when an import commits`, async () => {
          const account_id = anAccount();
          const path = await pathOf(account_id, address);
          const waitFor = async (tag: string) => {
            const waiting = get(account_id, path, { 'if-none-match': tag, prefer: `wait=${WAIT}` });
            await sleep(SECOND_MS);
            await load(newNumber(account_id));
            return waiting;
          };
          // On a slow machine the import may come before the request.
          const { tag, received } = await until('a request has waited', async () => {
            const tag = await tagOf(account_id, path);
            const received = await waitFor(tag);
            return received.headers['preference-applied'] === undefined ? undefined : { tag, received };
          });
          const { status, headers, body, ms } = received;
          assert.equal(status, 200, body);
          assert.ok(ms < SOON_MS, `it took ${ms} ms`);
          assert.equal(headers['preference-applied'], `wait=${WAIT}`);
          assert.notEqual(headers.etag, tag);
          const { body: now } = await get(account_id, path);
          assert.equal(body, now);
        });
      }

      test('is not woken by what another account imports', async () => {
        const account_id = anAccount();
        const waiting = wait(account_id, virtual_numbers.path, 2);
        await sleep(SECOND_MS / 2);
        await load(newNumber(anAccount()));
        const { status, ms } = await waiting;
        assert.equal(status, 304);
        assert.ok(ms >= 1_990, `it took ${ms} ms`);
      });

      test('but has not what there is, is answered at once', async () => {
        const account_id = anAccount();
        const path = virtual_numbers.path;
        const tag = await tagOf(account_id, path);
        for (const headers of [
          { prefer: `wait=${WAIT}` },
          { prefer: `wait=${WAIT}`, 'if-none-match': '"another"' },
          { 'if-none-match': tag },
          { 'if-none-match': tag, prefer: 'wait=soon' },
        ]) {
          const { status, headers: sent, ms } = await get(account_id, path, headers);
          assert.equal(
            status,
            Object.hasOwn(headers, 'if-none-match') && headers['if-none-match'] === tag ? 304 : 200,
          );
          assert.equal(sent['preference-applied'], undefined);
          assert.ok(ms < SOON_MS, `it took ${ms} ms`);
        }
      });

      test('with a query that is wrong is refused at once', async () => {
        const account_id = anAccount();
        const tag = await tagOf(account_id, virtual_numbers.path);
        const headers = { 'if-none-match': tag, prefer: `wait=${WAIT}` };
        const { status, ms } = await get(account_id, `${virtual_numbers.path}?page=0`, headers);
        assert.equal(status, 400);
        assert.ok(ms < SOON_MS);
      });

      test('is answered 401 soon after its token is revoked', async () => {
        const account_id = anAccount();
        const path = virtual_numbers.path;
        const tag = await tagOf(account_id, path);
        const waiting = get(account_id, path, { 'if-none-match': tag, prefer: `wait=${WAIT}` });
        await sleep(SECOND_MS);
        await inTurn(() => revokeToken(service.operator, service.tokenOf(account_id).id));
        const { status, ms } = await waiting;
        assert.equal(status, 401);
        assert.ok(ms < SOON_MS, `it took ${ms} ms`);
      });

      test('for facets is answered when a due date passes', async () => {
        const path = facetsPath(numbers);
        const dueOf = ({ body }: Received) => JSON.parse(body).due[7].count;
        let account_id: string;
        let before: Received;
        let soon = DUE_MS;
        // On a slow machine the date may pass before the first answer.
        do {
          account_id = anAccount();
          await load(newNumber(account_id, timestampOf(Date.now() + 7 * A_DAY_MS + soon)));
          before = await get(account_id, path);
          soon *= 2;
        } while (dueOf(before) !== 0);
        const tag = String(before.headers['etag']);
        const waited = await get(account_id, path, { 'if-none-match': tag, prefer: 'wait=55' });
        assert.equal(waited.status, 200);
        assert.equal(dueOf(waited), 1);
      });

      describe('and its account does not change', AT_ONCE, () => {
        for (const [what, address] of Object.entries(ADDRESSES)) {
          test(`for ${what} gets 304 when the time is over, and counts once for the rate limit`, async () => {
            const account_id = anAccount();
            const path = await pathOf(account_id, address);
            const tag = await tagOf(account_id, path);
            const first = await get(account_id, path, { 'if-none-match': tag });
            const { status, headers, body, ms } = await get(account_id, path, {
              'if-none-match': tag,
              prefer: 'respond-async, WAIT="2"; foo',
            });
            assert.deepEqual([status, body, headers.etag], [304, '', tag]);
            assert.equal(headers['preference-applied'], 'wait=2');
            assert.ok(ms >= 1_990, `it took ${ms} ms`);
            const left = ({ headers: { ratelimit } }: Received) =>
              Number(/r=(\d+)/.exec(String(ratelimit))?.[1]);
            assert.equal(left(first) - left(await get(account_id, path)), 2);
          });
        }

        test('is not cut for its silence', { timeout: PATIENCE_MS }, async () => {
          // Sockets that are silent otherwise are closed after 9 seconds.
          const { status, ms } = await wait(anAccount(), virtual_numbers.path, 12);
          assert.equal(status, 304);
          assert.ok(ms > 11_900, `it took ${ms} ms`);
        });

        test('is one of ten of its token; one more is answered at once, until one has left', async () => {
          const account_id = anAccount();
          const path = virtual_numbers.path;
          const tag = await tagOf(account_id, path);
          const headers = { 'if-none-match': tag, prefer: `wait=${WAIT}` };
          const waiting = Array.from({ length: OF_A_TOKEN }, () => send(account_id, path, headers));
          for (const one of waiting) one.on('error', () => {});
          await sleep(SECOND_MS);
          const more = await get(account_id, path, headers);
          assert.equal(more.status, 304);
          assert.equal(more.headers['preference-applied'], undefined);
          assert.ok(more.ms < SOON_MS, `it took ${more.ms} ms`);
          // Places of another token are free.
          assert.ok((await wait(anAccount(), path, 1)).ms > 990);
          waiting[0]?.destroy();
          await sleep(SECOND_MS / 5);
          const next = await get(account_id, path, { ...headers, prefer: 'wait=1' });
          assert.equal(next.headers['preference-applied'], 'wait=1');
          assert.ok(next.ms > 990, `it took ${next.ms} ms`);
          for (const one of waiting) one.destroy();
          await sleep(SECOND_MS / 5);
          assert.deepEqual(
            service.log.filter((line) => line.startsWith('error')),
            [],
          );
        });

        test('pipelined waits are answered one after the other', { timeout: PATIENCE_MS }, async () => {
          const account_id = anAccount();
          const tag = await tagOf(account_id, virtual_numbers.path);
          const one = `GET ${virtual_numbers.path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${service.tokenOf(account_id).token}\r\nIf-None-Match: ${tag}\r\nPrefer: wait=1\r\n`;
          const socket = connect(port, '127.0.0.1').setEncoding('utf8');
          const begin = performance.now();
          socket.write(`${one}\r\n${one}\r\n${one}Connection: close\r\n\r\n`);
          let text = '';
          for await (const some of socket) text += some;
          assert.equal(text.match(/HTTP\/1\.1 304 /g)?.length, 3);
          assert.ok(performance.now() - begin > 2_990);
        });
      });

      test('is answered before the service stops', { timeout: PATIENCE_MS }, async () => {
        const stopping = await openService(kind, { rows: { virtual_numbers: [newNumber(STOPPED)] } });
        const begin = performance.now();
        try {
          const at = await stopping.listen();
          const headers = { authorization: stopping.tokenOf(STOPPED).token };
          const { headers: sent } = await stopping.ask(STOPPED, virtual_numbers.path);
          const waiting = answerOf(
            request({
              port: at,
              path: virtual_numbers.path,
              headers: { ...headers, 'if-none-match': sent['etag'] ?? '', prefer: `wait=${WAIT}` },
            }).end(),
          );
          await sleep(SECOND_MS);
          const closed = stopping.close();
          const answer = await waiting;
          assert.equal(answer.status, 304);
          assert.equal(answer.headers.connection, 'close');
          await closed;
        } finally {
          assert.ok(performance.now() - begin < SOON_MS);
        }
      });
    });
  }
});
