// Accounts below accounts: who may read whom with `Linecard-Account`, and that everything of an answer is of
// the account that is read.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { disableAccount, enableAccount } from '../../server/store/access/accounts.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import {
  ADDRESSES,
  buildTree,
  isBelow,
  move,
  PARENTS,
  plain,
  storesOfTree,
  TREE,
  treeRows,
} from '../kit/account-tree.ts';
import { virtual_numbers } from '../kit/model.ts';
import { type Method, openService, type Service, type ServiceAnswer } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const REQUESTS = 150;
const EVERY_ROUTE: readonly (readonly [method: string, url: string, body?: string])[] = [
  ...ADDRESSES.map((url) => ['GET', url] as const),
  ['GET', '/api/v1/account'],
  ['GET', '/api/v1/accounts'],
  ['GET', '/api/v1/webhooks'],
  ['HEAD', virtual_numbers.path],
  ['QUERY', virtual_numbers.path, '{"page_size":1}'],
  ['QUERY', `${virtual_numbers.path}/changes`, '{}'],
  ['POST', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
];
const REFUSED = 'urn:linecard:problem:forbidden';

for (const kind of storesOfTree) {
  describe(`accounts below accounts on ${kind.name}`, () => {
    let service: Service;
    let port: number;
    const tokens = new Map<string, string>();
    before(async () => {
      service = await openService(kind, { accounts: TREE, rows: treeRows, corsOrigins: ['*'] });
      await buildTree(service.operator);
      port = await service.listen();
      for (const id of TREE) {
        const made = await createToken(service.operator, id, 'tree', undefined, { reach: 'tree' });
        tokens.set(id, made?.token ?? assert.fail());
      }
    });
    after(() => service.close());

    /** Asks for an account with the token of another whose reach is `tree`. */
    const read = (
      caller: string,
      id: string,
      url = virtual_numbers.path,
      { method = 'GET', ...headers }: Record<string, string> & { method?: Method } = {},
    ): Promise<ServiceAnswer> =>
      service.send(method, url, {
        authorization: `Bearer ${tokens.get(caller)}`,
        'linecard-account': encodeURIComponent(id),
        ...headers,
      });

    function mustBeRefused({ status, body, headers }: ServiceAnswer): void {
      assert.equal(status, 403, body);
      assert.equal(JSON.parse(body).type, REFUSED);
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['etag'], undefined);
      assert.equal(headers['linecard-account'], undefined);
    }

    test('a caller reads its own account and those below it, and no other', async () => {
      for (const caller of TREE) {
        for (const id of TREE) {
          const answer = await read(caller, id);
          if (caller !== id && !isBelow(id, caller)) {
            mustBeRefused(answer);
            continue;
          }
          assert.deepEqual(
            plain(answer),
            plain(await service.ask(id, virtual_numbers.path)),
            `${caller} reads ${id}`,
          );
          assert.equal(answer.headers['linecard-account'], encodeURIComponent(id));
          const { id: read_id } = JSON.parse((await read(caller, id, '/api/v1/account')).body);
          assert.equal(read_id, id);
        }
      }
    });

    test('one token holds a quarter of the bodies of all, whatever accounts it reads', async () => {
      const below = ['reseller', ...TREE.filter((id) => isBelow(id, 'reseller'))];
      const head = (id: string, token: string | undefined) =>
        `QUERY ${virtual_numbers.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
        `Linecard-Account: ${encodeURIComponent(id)}\r\nContent-Type: application/json\r\nContent-Length: 1048576\r\n\r\n`;
      // One more than there may be of a mebibyte each; their bodies never come.
      const sockets = Array.from({ length: 17 }, (_, i) => {
        const socket = connect(port, '127.0.0.1').setEncoding('utf8');
        socket.write(head(below[i % below.length] ?? '', tokens.get('reseller')));
        return socket;
      });
      try {
        const answers = sockets.map((socket) => once(socket, 'data').then(([answer]) => String(answer)));
        const refused = await Promise.race(answers);
        assert.match(
          refused,
          /^HTTP\/1\.1 429 [\s\S]*This token would have more than 16 MiB of request bodies/,
        );
        assert.match(refused, /retry-after: 2/i);
        const answer = await fetch(`http://127.0.0.1:${port}${virtual_numbers.path}`, {
          method: 'QUERY',
          headers: { authorization: `Bearer ${tokens.get('rival')}`, 'content-type': 'application/json' },
          body: '{"page_size":1}',
        });
        assert.equal(answer.status, 200, await answer.text());
        for (const other of answers) other.catch(() => {});
      } finally {
        for (const socket of sockets) socket.destroy();
      }
    });

    test('without the header, or with the reach account, a caller reads its own account alone', async () => {
      for (const caller of TREE) {
        const own = await service.ask(caller, virtual_numbers.path);
        const authorization = `Bearer ${tokens.get(caller)}`;
        const answer = await service.send('GET', virtual_numbers.path, { authorization });
        assert.deepEqual(plain(answer), plain(own));
        assert.equal(answer.headers['linecard-account'], undefined);
        assert.match(String(answer.headers['vary']), /\bLinecard-Account\b/);
        for (const id of TREE) {
          const header = { 'linecard-account': encodeURIComponent(id) };
          const limited = await service.ask(caller, virtual_numbers.path, header);
          if (id === caller) assert.deepEqual(plain(limited), plain(own));
          else mustBeRefused(limited);
        }
      }
    });

    /** A refusal without what is of its request alone: when, its id, and the account that was sent. */
    async function refusalOf(answer: Response, id: string): Promise<string> {
      assert.equal(answer.status, 403);
      const body = await answer.text();
      const { date: _, 'x-request-id': request_id = '', ...headers } = Object.fromEntries(answer.headers);
      const length = Number(headers['content-length']) - Buffer.byteLength(id);
      const said = body.replace(request_id, '').replace(` ${id}:`, ' …:');
      return JSON.stringify([{ ...headers, 'content-length': length }, said], null, 1);
    }

    test('refusals are alike to the byte, whatever the account, and however often it is requested', async () => {
      const base = `http://127.0.0.1:${port}`;
      await disableAccount(service.operator, 'c2');
      await until('c2 is refused', async () => (await read('reseller', 'c2')).status === 403);
      const limited = service.tokenOf('reseller').token;
      const cases: readonly (readonly [token: string | undefined, id: string])[] = [
        ...['nobody', 'RESELLER', 'c2', 'rival', 'rival/1'].map(
          (id) => [tokens.get('reseller'), id] as const,
        ),
        ...['reseller', 'rival', 'none'].map((id) => [tokens.get('a1/b1'), id] as const),
        ...['a2', 'rival', 'c2', 'nothing'].map((id) => [limited, id] as const),
      ];
      for (const [method, url, body] of EVERY_ROUTE) {
        const refusals = new Map<string, string>();
        for (const [token, id] of cases) {
          const headers = {
            authorization: `Bearer ${token}`,
            'linecard-account': encodeURIComponent(id),
            ...(body !== undefined && { 'content-type': 'application/json' }),
          };
          for (let time = 1; time <= 2; time++) {
            const answer = await fetch(base + url, { method, headers, ...(body !== undefined && { body }) });
            refusals.set(await refusalOf(answer, id), `${id}, time ${time}`);
          }
        }
        assert.equal(refusals.size, 1, inspect([method, url, refusals]));
      }
      await enableAccount(service.operator, 'c2');
      await until('c2 is read again', async () => (await read('reseller', 'c2')).status === 200);
    });

    test('a refusal of anything but the account repeats the header', async () => {
      const limits = { reach: 'tree', charges: false } as const;
      const made = await createToken(service.operator, 'reseller', 'limited', undefined, limits);
      const authorization = `Bearer ${made?.token}`;
      const url = `${virtual_numbers.path}?fields=monthly`;
      for (let time = 1; time <= 2; time++) {
        const answer = await service.send('GET', url, { authorization, 'linecard-account': 'a2' });
        assert.equal(JSON.parse(answer.body).type, REFUSED);
        assert.match(answer.body, /any charge/);
        assert.equal(answer.headers['linecard-account'], 'a2');
      }
    });

    const MALFORMED: Readonly<Record<string, RegExp>> = {
      '': /must not be empty/,
      'a2, a2': /must be given once/,
      ',': /must be given once/,
      '%': /not valid percent-encoded UTF-8/,
      '%zz': /not valid percent-encoded UTF-8/,
      '%FF': /not valid percent-encoded UTF-8/,
      'c 1': /must be encoded/,
      'K\u00f6ln': /must be encoded/,
      '%00': /control characters/,
      '%20a2': /white space/,
      ['x'.repeat(101)]: /1 to 100 characters/,
    };
    test('a header that is empty, malformed or there twice is refused with what to send', async () => {
      const authorization = `Bearer ${tokens.get('reseller')}`;
      for (const [text, detail] of Object.entries(MALFORMED)) {
        const answer = await service.send('GET', virtual_numbers.path, {
          authorization,
          'linecard-account': text,
        });
        assert.equal(answer.status, 400, text);
        const { errors } = JSON.parse(answer.body);
        assert.equal(errors[0].parameter, 'Linecard-Account');
        assert.match(errors[0].detail, detail);
        assert.equal(answer.headers['linecard-account'], undefined);
      }
      const { status } = await service.send('GET', virtual_numbers.path, { 'linecard-account': '' });
      assert.equal(status, 401);
    });

    test('a cursor, a token of changes and an ETag of one account are of no use for another', async () => {
      const next = (await read('reseller', 'a1/b1', `${virtual_numbers.path}?page_size=2`)).links.get('next');
      assert.equal((await read('reseller', 'a1/b1', next)).status, 200);
      assert.equal((await read('Köln, 100 %', 'a1/b1', next)).status, 200);
      const since = JSON.parse(
        (await read('reseller', 'a1/b1', `${virtual_numbers.path}/changes?since=now`)).body,
      );
      const changes = `${virtual_numbers.path}/changes?since=${since.since}`;
      assert.equal((await read('reseller', 'a1/b1', changes)).status, 200);
      const { headers } = await read('reseller', 'a1/b1');
      const conditional = { 'if-none-match': String(headers['etag']) };
      assert.equal((await read('reseller', 'a1/b1', undefined, conditional)).status, 304);
      for (const other of ['reseller', 'c2', 'a2']) {
        for (const url of [next, changes]) {
          const refused = await read('reseller', other, url);
          assert.equal(refused.status, 400, `${other} ${url}`);
          assert.match(JSON.parse(refused.body).type, /invalid-cursor/);
        }
        assert.equal((await read('reseller', other, undefined, conditional)).status, 200);
      }
    });

    test(`${REQUESTS * kind.share} interleaved requests with any header: each answer is of its account`, async () => {
      const expected = new Map<string, ReturnType<typeof plain>>();
      for (const id of TREE) {
        for (const url of ADDRESSES) expected.set(id + url, plain(await service.ask(id, url)));
      }
      const request = fc.record({
        caller: fc.constantFrom(...TREE),
        id: fc.constantFrom(...TREE),
        url: fc.constantFrom(...ADDRESSES),
        isConditional: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(request, { minLength: 4, maxLength: 12 }), async (requests) => {
          const answers = await Promise.all(
            requests.map(({ caller, id, url, isConditional }) => {
              const { etag = '' } = expected.get(id + url)?.headers ?? {};
              return read(caller, id, url, isConditional && etag !== '' ? { 'if-none-match': etag } : {});
            }),
          );
          for (const [i, { caller, id, url }] of requests.entries()) {
            const answer = answers[i] as ServiceAnswer;
            if (caller !== id && !isBelow(id, caller)) mustBeRefused(answer);
            else if (answer.status === 304) {
              assert.equal(answer.headers['etag'], expected.get(id + url)?.headers['etag']);
            } else assert.deepEqual(plain(answer), expected.get(id + url), `${caller} reads ${url} of ${id}`);
          }
        }),
        { numRuns: Math.ceil((REQUESTS * kind.share) / 8) },
      );
    });

    test('a moved account is refused to its old parent and read by its new one', async () => {
      assert.equal((await read('rival', 'c 1')).status, 403);
      await move(service.operator, 'a1/b1', 'rival');
      await until('the old line is refused', async () => (await read('reseller', 'c 1')).status === 403);
      await until('the new line reads', async () => (await read('rival', 'c 1')).status === 200);
      assert.equal((await read('a1/b1', 'c 1')).status, 200);
      await move(service.operator, 'a1/b1', PARENTS['a1/b1'] ?? null);
      await until('the old line reads again', async () => (await read('reseller', 'c 1')).status === 200);
      await until('the other is refused', async () => (await read('rival', 'c 1')).status === 403);
    });

    test('a disabled account between two ends neither', async () => {
      await disableAccount(service.operator, 'a1/b1');
      await until('it is refused', async () => (await read('reseller', 'a1/b1')).status === 403);
      assert.equal((await read('reseller', 'c 1')).status, 200);
      assert.equal((await read('c 1', 'c 1')).status, 200);
      await enableAccount(service.operator, 'a1/b1');
      await until('it is read again', async () => (await read('reseller', 'a1/b1')).status === 200);
    });

    test('a request that waits ends with 403 when its account is moved away', async () => {
      const { headers } = await read('reseller', 'a2');
      const waiting = read('reseller', 'a2', undefined, {
        'if-none-match': String(headers['etag']),
        prefer: 'wait=50',
      });
      await move(service.operator, 'a2', 'rival');
      mustBeRefused(await waiting);
      await move(service.operator, 'a2', 'reseller');
      await until('it is read again', async () => (await read('reseller', 'a2')).status === 200);
    });

    test('pages of other origins may send the header and read it', async () => {
      const preflight = { origin: 'https://one.example', 'access-control-request-method': 'GET' };
      const allowed = await service.send('OPTIONS', virtual_numbers.path, preflight);
      assert.match(String(allowed.headers['access-control-allow-headers']), /\bLinecard-Account\b/);
      const answer = await read('reseller', 'a2', undefined, { origin: 'https://one.example' });
      assert.match(String(answer.headers['access-control-expose-headers']), /\bLinecard-Account\b/i);
    });
  });
}
