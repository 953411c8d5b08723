// The HTTP routes, whatever the store: which callers are accepted, what an error looks like from every route,
// and the headers that answers carry.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answered } from '../../server/log.ts';
import {
  createOperatorToken,
  createToken,
  revokeToken,
  succeedToken,
} from '../../server/store/access/tokens.ts';
import { sql } from '../../server/store/sql.ts';
import { StoreUnavailable } from '../../server/store/store-errors.ts';
import { EMPTY_ACCOUNT, hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { modelLists, virtual_numbers } from '../kit/model.ts';
import { load, type Method, openService, type Service, type ServiceAnswer, stores } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const OTHER = 'customer-3';
/** A revoked token may be good for so long, where many processes share a database. */
const REVOKED_WITHIN_MS = 5_000;
const LISTS = modelLists.map(({ path }) => path);
/** Routes that ask for no token, and what they send. */
const OPEN_ROUTES = ['/healthz', '/readyz', '/openapi.json', '/docs', '/'];
/** Routes that ask for a token. */
const ACCOUNT_ROUTES = [
  ...LISTS.flatMap((path) => [
    path,
    ...['csv', 'ndjson', 'xlsx'].map((format) => `${path}.${format}`),
    `${path}/facets`,
    `${path}/1`,
  ]),
  '/api/v1/account',
];
const ROUTES = [...ACCOUNT_ROUTES, ...OPEN_ROUTES];

const TITLES: Readonly<Record<string, [status: number, title?: string]>> = {
  'invalid-parameter': [400, 'Invalid query parameter'],
  'invalid-cursor': [400],
  'bad-request': [400],
  unauthenticated: [401],
  'not-found': [404],
  'method-not-allowed': [405],
  'not-acceptable': [406],
  'content-too-large': [413],
  'uri-too-long': [414],
  'unsupported-media-type': [415],
  'rate-limited': [429],
  'headers-too-large': [431],
  internal: [500],
  unavailable: [503],
};

/** The problem of an error answer, which has exactly the fields of the contract, in any case. */
function problemIn(answer: ServiceAnswer, type: keyof typeof TITLES): { detail: string; request_id: string } {
  const [status, title] = TITLES[type] ?? [];
  assert.equal(answer.status, status, answer.body);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  const problem = JSON.parse(answer.body);
  const names = ['type', 'title', 'status', 'detail', 'request_id'];
  assert.deepEqual(Object.keys(problem), type === 'invalid-parameter' ? [...names, 'errors'] : names);
  assert.equal(problem.type, `urn:linecard:problem:${type}`);
  assert.equal(problem.status, status);
  assert.equal(problem.title, title ?? problem.title);
  assert.ok(problem.title.length > 0 && problem.detail.length > 0);
  assert.equal(problem.request_id, answer.headers['x-request-id']);
  assert.match(problem.request_id, /^\S{8,}$/);
  for (const fault of problem.errors ?? []) {
    const { parameter, detail, value = '', ...more } = fault;
    assert.deepEqual(
      [typeof parameter, typeof detail, typeof value, more],
      ['string', 'string', 'string', {}],
    );
  }
  return problem;
}

const flip = (text: string, place: number) =>
  text.slice(0, place) + (text[place] === 'x' ? 'y' : 'x') + text.slice(place + 1);

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

for (const kind of stores) {
  describe(`the routes on ${kind.name}`, () => {
    let service: Service;
    let token: string;
    before(async () => {
      service = await openService(kind, { accounts: [EMPTY_ACCOUNT], rows: hardRows });
      ({ token } = service.tokenOf(LARGE_ACCOUNT));
    });
    after(async () => service.close());

    const as = (authorization: string): Record<string, string> => ({ authorization });
    const ask = async (url: string, headers: Record<string, string> = {}) =>
      service.ask(LARGE_ACCOUNT, url, headers);

    describe('a token is accepted', () => {
      for (const write of [
        (text: string) => text,
        (text: string) => `Bearer ${text}`,
        (text: string) => `bearer ${text}`,
        (text: string) => `BEARER ${text}`,
        (text: string) => `Bearer   ${text}`,
        (text: string) => basic(`${text}:`),
        (text: string) => basic(`token:${text}`),
      ]) {
        test(`written as "${write('lc_…')}"`, async () => {
          for (const path of LISTS)
            assert.equal((await service.send('GET', path, as(write(token)))).status, 200);
        });
      }

      const refused: readonly [
        what: string,
        word: RegExp,
        authorization: () => Promise<Record<string, string>> | Record<string, string>,
      ][] = [
        ['no header at all', /missing/, () => ({})],
        ['an empty one', /missing/, () => as('')],
        ['white space', /missing/, () => as('   ')],
        ['a scheme alone', /missing/, () => as('Bearer')],
        ['a scheme and white space', /missing/, () => as('bearer   ')],
        ['another user and password', /malformed.*user name alone/, () => as(basic('user:pass'))],
        ['a token and a password', /malformed.*user name alone/, () => as(basic(`${token}:pass`))],
        ['no user and no password', /missing/, () => as(basic(':'))],
        ['another scheme before a token', /malformed/, () => as(`Token ${token}`)],
        ['something else', /malformed/, () => as('hello')],
        ['a prefix alone', /malformed/, () => as('lc_')],
        [
          'a token with a mistyped character',
          /malformed: a character of it is wrong/,
          () => as(`Bearer ${flip(token, 12)}`),
        ],
        [
          'a token with a mistyped checksum',
          /malformed/,
          () => as(`Bearer ${flip(token, token.length - 1)}`),
        ],
        ['a token with a character too many', /malformed: it must be .+, or more/, () => as(`${token}x`)],
        [
          'a token with a character too few',
          /malformed: it is cut off, with 44 of its 45 characters/,
          () => as(token.slice(0, -1)),
        ],
        ['a token in capitals', /malformed/, () => as(token.toUpperCase())],
        ['a token twice', /malformed/, () => as(`Bearer ${token} ${token}`)],
        ['a token with a NUL-like tail', /malformed/, () => as(`${token}%00`)],
        ['a very long text', /malformed/, () => as('lc_'.padEnd(8_000, 'a'))],
        [
          'a token that nobody made',
          /not valid/,
          async () => {
            const made = await createToken(service.operator, OTHER, '');
            await service.operator.write(sql`delete from tokens where id = ${made?.id ?? ''}`);
            return as(`Bearer ${made?.token}`);
          },
        ],
        [
          'a token that has expired',
          /not valid/,
          async () => as(`Bearer ${(await createToken(service.operator, OTHER, '', Date.now() - 1))?.token}`),
        ],
        [
          'a token that was revoked',
          /not valid/,
          async () => {
            const made = await createToken(service.operator, OTHER, '');
            const sent = as(`Bearer ${made?.token}`);
            const status = async () => (await service.send('GET', virtual_numbers.path, sent)).status;
            assert.equal(await status(), 200);
            await revokeToken(service.operator, made?.id ?? '');
            const revokedAt = performance.now();
            // An answer that was begun later than this must be a refusal, however long the answers before it
            // took.
            for (let begunAt = revokedAt; begunAt <= revokedAt + REVOKED_WITHIN_MS; ) {
              begunAt = performance.now();
              if ((await status()) !== 200) break;
              await sleep(50);
            }
            return sent;
          },
        ],
      ];
      for (const [what, word, headers] of refused) {
        test(`${what} is refused: the answer says ${word.source}`, async () => {
          const sent = await headers();
          for (const path of LISTS) {
            // An unknown caller learns nothing else: neither what is wrong with the query nor what could be
            // had.
            for (const url of [path, `${path}?page=0`]) {
              const answer = await service.send('GET', url, { ...sent, accept: '*/*' });
              const { detail } = problemIn(answer, 'unauthenticated');
              assert.match(detail, word);
              assert.equal(answer.headers['www-authenticate'], 'Bearer');
              assert.equal(answer.body.includes(token.slice(4)), false);
            }
          }
        });
      }

      test('one that expires between two requests is refused the second time', async () => {
        const expires_at = Date.now() + 1_500;
        const made = await createToken(service.operator, OTHER, '', expires_at);
        const ask = async () => service.send('GET', virtual_numbers.path, as(made?.token ?? ''));
        const { status } = await ask();
        assert.ok(status === 200 || Date.now() >= expires_at);
        while (Date.now() <= expires_at) await sleep(10);
        problemIn(await ask(), 'unauthenticated');
      });

      test('one that expires later is accepted until then', async () => {
        const made = await createToken(service.operator, OTHER, '', Date.now() + 60_000);
        assert.equal((await service.send('GET', virtual_numbers.path, as(made?.token ?? ''))).status, 200);
      });

      test('in the query string it is no token but an unknown parameter, and is not repeated', async () => {
        assert.equal((await service.send('GET', `${virtual_numbers.path}?token=${token}`)).status, 401);
        const answer = await ask(`${virtual_numbers.path}?access_token=${token}`);
        problemIn(answer, 'invalid-parameter');
        assert.equal(answer.body.includes(token), false);
      });
    });

    describe('what is not there', () => {
      for (const url of [
        '/api',
        '/api/v1',
        '/api/v1/did',
        '/api/v1/did/me/1/2',
        '/api/v1/did/me.pdf',
        '/api/v1/account/1',
        '/API/v1/did/me',
        '/api/v2/did/me',
        '/api/v1//did/me',
        '/api/v1/did/me%2F',
        '/api/v1/did/me%00',
        '/api/%zz',
        '/api/%',
        '/%ED%A0%80',
        '/__proto__',
        '/constructor',
        '/toString',
        '/.env',
        '/..%2f..%2fetc/passwd',
        '/healthz/',
        '/docs/x',
        `/${'a'.repeat(5_000)}`,
        '/api/v1/did/me;a=b',
        '/favicon.ico?x=1',
      ]) {
        test(`${url.slice(0, 40)} is not found, with a token and without one`, async () => {
          for (const headers of [{}, as(token)]) {
            for (const method of ['GET', 'POST'] as const)
              problemIn(await service.send(method, url, headers), 'not-found');
            assert.equal((await service.send('HEAD', url, headers)).status, 404);
          }
        });
      }
    });

    describe('a method that is not there', () => {
      const methods: readonly Method[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
      for (const path of ROUTES) {
        test(`${methods.join(', ')} ${path}: Allow names those that are`, async () => {
          for (const method of methods) {
            const answer = await service.send(method, `${path}?page=0`, as(token));
            problemIn(answer, 'method-not-allowed');
            const allowed = String(answer.headers['allow']).split(', ');
            assert.ok(
              allowed.includes('GET') && allowed.includes('HEAD') && !allowed.includes(method),
              allowed.join(),
            );
            assert.equal(allowed.length, new Set(allowed).size);
          }
        });
      }
    });

    describe('Accept', () => {
      const cases: readonly [accept: string, status: number][] = [
        ['*/*', 200],
        ['', 200],
        ['application/json', 200],
        ['application/*', 200],
        ['APPLICATION/JSON', 200],
        ['application/json; charset=utf-8', 200],
        ['text/html, application/xhtml+xml, */*;q=0.1', 200],
        ['text/html, application/json;q=0.001', 200],
        ['text/html;q=0.9 , application/json ; q=0.5', 200],
        ['application/json;q=0.0, text/csv;q=0, application/x-ndjson;q=0, */*;q=0', 406],
        ['application/json;q=0.000', 406],
        ['*/*;q=0', 406],
        ['text/html', 406],
        ['image/*', 406],
        ['application/xml', 406],
        ['application/problem+json', 406],
        ['json', 406],
        ['garbage;;;,,,', 406],
      ];
      for (const [accept, status] of cases) {
        test(`"${accept}" gets ${status}`, async () => {
          for (const path of LISTS) {
            const answer = await ask(path, { accept });
            if (status === 406) problemIn(answer, 'not-acceptable');
            else {
              assert.equal(answer.status, 200);
              assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
            }
          }
        });
      }

      test('an error is a problem, whatever the request accepts', async () => {
        problemIn(
          await service.send('GET', virtual_numbers.path, { accept: 'text/html' }),
          'unauthenticated',
        );
        problemIn(await service.send('GET', '/api/nowhere', { accept: 'text/html' }), 'not-found');
      });
    });

    describe('what is too large', () => {
      test('a URL of more than 64 KiB', async () => {
        problemIn(await ask(`${virtual_numbers.path}?q=${'x'.repeat(66_000)}`), 'uri-too-long');
        problemIn(await ask(`/${'x'.repeat(66_000)}`), 'uri-too-long');
      });

      test('a thousand of the longest ids are not', async () => {
        const ids = Array.from({ length: 1_000 }, (_, i) => `ids[]=${Number.MAX_SAFE_INTEGER - i}`);
        assert.equal((await ask(`${virtual_numbers.path}?${ids.join('&')}`)).status, 200);
      });
    });

    describe('the request id', () => {
      const urls = [
        virtual_numbers.path,
        `${virtual_numbers.path}?page=0`,
        '/nowhere',
        '/healthz',
        '/docs',
        '/api/%zz',
      ];
      for (const id of [
        'a',
        'abc-123',
        '0198d1f0-6f5b-7c3e-9a51-3b7e2f0c8d44',
        'x'.repeat(64),
        'trace:1.2/3+4=',
      ]) {
        test(`"${id.slice(0, 40)}" is used`, async () => {
          for (const url of urls) {
            assert.equal((await ask(url, { 'x-request-id': id })).headers['x-request-id'], id, url);
          }
        });
      }
      for (const id of ['', ' ', 'a b', 'x'.repeat(1_000), 'ä', '"', '<script>', 'a,b', '%0d%0a', '{}']) {
        test(`"${id.slice(0, 40)}" is replaced`, async () => {
          for (const url of urls) {
            const { headers } = await ask(url, { 'x-request-id': id });
            assert.match(String(headers['x-request-id']), /^[\w-]{16,64}$/, url);
          }
        });
      }

      test('no two requests without one share one', async () => {
        const ids = await Promise.all(
          Array.from({ length: 50 }, async () => (await ask('/healthz')).headers['x-request-id']),
        );
        assert.equal(new Set(ids).size, 50);
      });
    });

    describe('HEAD is GET without its body', () => {
      for (const path of [
        ...ACCOUNT_ROUTES,
        ...LISTS.flatMap((list) => [`${list}?page_size=1&sort_by=monthly`, `${list}?page=0`]),
        ...OPEN_ROUTES,
        '/nowhere',
      ]) {
        test(path, async () => {
          const sent = { ...as(token), 'x-request-id': 'the-same' };
          const [got, head] = [await service.send('GET', path, sent), await service.send('HEAD', path, sent)];
          assert.equal(head.status, got.status);
          assert.equal(head.body, '');
          assert.equal(head.headers['x-content-type-options'], 'nosniff');
          // How a body travels is nothing that must be said where there is none (RFC 9110, section 9.3.2).
          const { date: _then, 'transfer-encoding': _chunked, ...expected } = got.headers;
          const { date: _now, ...headers } = head.headers;
          assert.deepEqual(headers, expected);
        });
      }
    });

    describe('ETag', () => {
      const url = `${virtual_numbers.path}?page_size=2`;
      let etag: string;
      before(async () => {
        etag = String((await ask(url)).headers['etag']);
      });

      test('every list has one, a quoted text, and only the caller may cache it', async () => {
        for (const path of LISTS) {
          const { headers } = await ask(path);
          assert.match(String(headers['etag']), /^(?:W\/)?"[\x21\x23-\x7e]+"$/);
          assert.equal(headers['cache-control'], 'private, no-cache');
          assert.match(String(headers['vary']), /^Authorization, Linecard-Account, Accept\b/);
        }
      });

      const spelled: Readonly<Record<string, (tag: string) => string>> = {
        'as it came': (tag) => tag,
        weak: (tag) => `W/${tag}`,
        'in a list': (tag) => `"other", ${tag}, "another"`,
        'in a list, weak and without spaces': (tag) => `W/"other",W/${tag}`,
        'as *': () => '*',
      };
      for (const [how, write] of Object.entries(spelled)) {
        test(`sent back ${how} it gets 304 without a body`, async () => {
          for (const target of [url, virtual_numbers.path, `${virtual_numbers.path}?page=99`]) {
            const answer = await ask(target, { 'if-none-match': write(etag) });
            assert.equal(answer.status, 304);
            assert.equal(answer.body, '');
            assert.equal(answer.headers['etag'], etag);
            assert.equal(answer.headers['cache-control'], 'private, no-cache');
            assert.match(String(answer.headers['vary']), /^Authorization, Linecard-Account, Accept\b/);
            assert.ok(answer.headers['x-request-id']);
            assert.equal(answer.headers['content-type'], undefined);
            const sent = { ...as(token), 'if-none-match': write(etag) };
            const head = await service.send('HEAD', target, sent);
            assert.deepEqual([head.status, head.headers['etag']], [304, etag]);
            for (const { headers } of [answer, head]) assert.equal(headers['content-length'], undefined);
          }
        });
      }

      test('a 304 has the headers of the answer that it stands for (RFC 9110, section 15.4.5)', async () => {
        const formats = ['.csv', '.ndjson', '.xlsx'].map((format) => `${virtual_numbers.path}${format}`);
        const lists = [...LISTS, `${virtual_numbers.path}/facets`, `${virtual_numbers.path}/changes`];
        for (const path of [...lists, ...formats, '/api/v1/account']) {
          for (const accept of ['application/json', 'application/x-ndjson']) {
            for (const coding of ['identity', 'gzip']) {
              const sent = { accept, 'accept-encoding': coding };
              const { status, headers } = await ask(path, sent);
              if (status === 406) continue;
              const tag = String(headers['etag']);
              const again = await ask(path, { ...sent, 'if-none-match': tag });
              assert.deepEqual([status, again.status], [200, 304], path);
              for (const name of ['etag', 'vary', 'cache-control']) {
                assert.equal(again.headers[name], headers[name], `${path} ${accept} ${coding} ${name}`);
              }
            }
          }
        }
      });

      test('a list in a header that is longer than any client sends counts as absent', async () => {
        const path = `${virtual_numbers.path}?page_size=2`;
        const file = `${virtual_numbers.path}.csv`;
        const many = (count: number, last: string) => [...Array(count - 1).fill('"a"'), last].join(',');
        const tooLong = (last: string) => [many(65, last), `${' '.repeat(1_100)},${last}`];
        const codingOf = async (value: string) =>
          (await ask(file, { 'accept-encoding': value })).headers['content-encoding'];
        assert.equal((await ask(path, { 'if-none-match': many(64, etag) })).status, 304);
        for (const tags of tooLong(etag))
          assert.equal((await ask(path, { 'if-none-match': tags })).status, 200);
        assert.equal(await codingOf(many(64, 'gzip')), 'gzip');
        for (const codings of tooLong('gzip')) assert.equal(await codingOf(codings), undefined);
        for (const prefer of tooLong('wait=55')) {
          const { headers } = await ask(path, { prefer, 'if-none-match': etag });
          assert.equal(headers['preference-applied'], undefined);
        }
        assert.equal((await ask(path, { accept: many(64, 'application/json') })).status, 200);
        for (const accept of [...tooLong('application/json'), ','.repeat(15_800)])
          assert.match(
            problemIn(await ask(path, { accept }), 'not-acceptable').detail,
            /1,024 characters or 64/,
          );
        // Its address says what it is.
        assert.equal((await ask(file, { accept: ','.repeat(15_800) })).status, 200);
      });

      for (const other of ['"other"', 'W/"other"', '', '""', 'garbage', '"*"']) {
        test(`${other || 'an empty one'} gets the list`, async () => {
          assert.equal((await ask(url, { 'if-none-match': other })).status, 200);
        });
      }

      test('a wrong query stays wrong, and a missing token missing', async () => {
        const sent = { 'if-none-match': '*' };
        problemIn(await ask(`${virtual_numbers.path}?page=0`, sent), 'invalid-parameter');
        const next = /cursor=([\w-]+)/.exec(String((await ask(url)).headers['link']))?.[1];
        const walked = `${url}&cursor=${next}`;
        assert.equal((await ask(walked, sent)).status, 304);
        problemIn(await ask(`${url}&cursor=AAAA`, sent), 'invalid-cursor');
        problemIn(await ask(`${walked}&sort_by=did`, sent), 'invalid-cursor');
        problemIn(await service.send('GET', url, sent), 'unauthenticated');
        problemIn(await ask(url, { ...sent, accept: 'text/html' }), 'not-acceptable');
      });

      test('it changes when the account changes, and only then', async (t) => {
        const account_id = 'mover';
        const row = { ...hardRows.virtual_numbers[0], id: 5_000_000, account_id };
        const moving = await openService(kind, { rows: { virtual_numbers: [row] } });
        t.after(async () => moving.close());
        const tag = async (list = url) => (await moving.ask(account_id, list)).headers['etag'];
        const put = async (fields: object) =>
          load(moving.operator, 'virtual_numbers', [{ ...row, ...fields }]);
        const first = await tag();
        await put({});
        assert.equal(await tag(), first, 'the same rows again');
        await put({ account_id: 'somebody else', id: 5_000_001 });
        assert.equal(await tag(), first, 'rows of another account');
        await put({ comment: 'changed' });
        const second = await tag();
        assert.notEqual(second, first, 'a changed row');
        await put({ id: 5_000_002 });
        const third = await tag();
        assert.notEqual(third, second, 'one row more');
        await put({ id: 5_000_002, account_id: 'somebody else' });
        const fourth = await tag();
        assert.notEqual(fourth, third, 'a row that went to another account');
        await load(moving.operator, 'virtual_numbers', [], [account_id]);
        assert.notEqual(await tag(), fourth, 'no row left');
        assert.equal((await moving.ask(account_id, url, { 'if-none-match': String(fourth) })).status, 200);
      });
    });
  });

  describe(`a rate limit on ${kind.name}`, () => {
    test('each token has its requests a minute, and the answer says how many are left', async (t) => {
      const service = await openService(kind, { accounts: ['a', 'b'], rateLimit: 3 });
      t.after(async () => service.close());
      for (const left of [2, 1, 0]) {
        const { status, headers } = await service.ask('a', virtual_numbers.path);
        assert.equal(status, 200);
        assert.equal(headers['ratelimit-policy'], '"default";q=3;w=60');
        assert.match(String(headers['ratelimit']), new RegExp(`^"default";r=${left};t=([1-9]|[1-5]\\d|60)$`));
      }
      for (const forged of [
        {},
        { 'x-forwarded-for': '10.1.2.3' },
        { forwarded: 'for=10.1.2.3' },
        { 'x-real-ip': '10.1.2.3' },
      ]) {
        for (const path of LISTS) {
          const answer = await service.ask('a', path, forged);
          problemIn(answer, 'rate-limited');
          assert.equal(answer.headers['ratelimit-policy'], '"default";q=3;w=60');
          const [, left, seconds] =
            /^"default";r=(\d+);t=(\d+)$/.exec(String(answer.headers['ratelimit'])) ?? [];
          assert.equal(left, '0');
          assert.equal(answer.headers['retry-after'], seconds);
          assert.ok(Number(seconds) >= 1 && Number(seconds) <= 60);
        }
      }
      assert.equal((await service.ask('b', virtual_numbers.path)).status, 200);
      assert.equal((await service.send('GET', virtual_numbers.path)).status, 401);
      const second = await createToken(service.operator, 'a', '');
      const sent = { authorization: String(second?.token) };
      assert.equal((await service.send('GET', virtual_numbers.path, sent)).status, 200);
      assert.equal((await service.send('GET', '/healthz')).status, 200);
    });

    for (const rateLimit of [0, 1]) {
      test(`a token keeps to its own where that of the process is ${rateLimit}, and so does its successor`, async (t) => {
        const lines: Answered[] = [];
        const onAnswered = (line: Answered) => lines.push(line);
        const service = await openService(kind, { accounts: ['a'], rateLimit, onAnswered });
        t.after(async () => service.close());
        const { operator } = service;
        const own = (await createToken(operator, 'a', '', undefined, { rate_limit: 2 })) ?? assert.fail();
        const reads = { may: ['read'], limits: { rate_limit: 2 } } as const;
        const readers = await createOperatorToken(operator, { name: '', ...reads });
        for (const { token } of [own, (await succeedToken(operator, own.id)) ?? assert.fail(), readers]) {
          const sent = { authorization: token, 'linecard-account': 'a' };
          for (const left of [1, 0]) {
            const { status, headers, body } = await service.send('GET', virtual_numbers.path, sent);
            assert.equal(status, 200, body);
            assert.equal(headers['ratelimit-policy'], '"token";q=2;w=60');
            assert.match(String(headers['ratelimit']), new RegExp(`^"token";r=${left};t=\\d+$`));
          }
          const refused = await service.send('GET', virtual_numbers.path, sent);
          problemIn(refused, 'rate-limited');
          assert.match(JSON.parse(refused.body).detail, /^This token has a limit of its own: 2 requests per/);
          await until('the line is there', () => lines.at(-1)?.status === 429);
          assert.equal(lines.at(-1)?.reason, 'limit_token_requests');
        }
        const { headers } = await service.ask('a', virtual_numbers.path);
        assert.equal(headers['ratelimit-policy'], rateLimit === 0 ? undefined : '"default";q=1;w=60');
        const second = await service.ask('a', virtual_numbers.path);
        assert.equal(second.status, rateLimit === 0 ? 200 : 429);
      });
    }

    test('without one, no answer mentions one', async (t) => {
      const service = await openService(kind, { accounts: ['a'], rateLimit: 0 });
      t.after(async () => service.close());
      const { status, headers } = await service.ask('a', virtual_numbers.path);
      assert.equal(status, 200);
      assert.equal(headers['ratelimit'] ?? headers['ratelimit-policy'], undefined);
    });
  });

  describe(`trouble with ${kind.name}`, () => {
    const secret = 'select +442079460018 from /var/lib/linecard at 10.0.0.7';
    let trouble: Error | undefined;
    /** Statements that fail: those that look up a token, or all others. */
    let failing: 'token' | 'page' | undefined;
    let service: Service;
    before(async () => {
      service = await openService(kind, {
        rows: hardRows,
        cacheBytes: 0,
        beforeReading(text) {
          if (trouble !== undefined && failing === (/\btokens\b/.test(text) ? 'token' : 'page'))
            throw trouble;
        },
      });
    });
    after(async () => service.close());

    /** Sends a request with a token that was never used before. */
    async function askIn(error: Error, reading: 'token' | 'page', path: string): Promise<ServiceAnswer> {
      const made = await createToken(service.operator, LARGE_ACCOUNT, '');
      [trouble, failing] = [error, reading];
      const answer = await service.send('GET', path, { authorization: String(made?.token) });
      trouble = undefined;
      return answer;
    }

    for (const reading of ['token', 'page'] as const) {
      test(`a fault of the service while the ${reading} is read is a 500 that says nothing, and stands in the log`, async () => {
        for (const path of LISTS) {
          const answer = await askIn(new TypeError(secret), reading, path);
          const { detail, request_id } = problemIn(answer, 'internal');
          const said = answer.body.replace(request_id, '');
          for (const word of ['select', '4420', '/var', '10.0.0.7', 'TypeError', '.ts:']) {
            assert.equal(said.includes(word), false, answer.body);
          }
          assert.ok(detail.includes('request_id'));
          assert.ok(service.log.some((line) => line.includes('TypeError') && line.startsWith('error')));
        }
        assert.equal((await service.ask(LARGE_ACCOUNT, virtual_numbers.path)).status, 200);
      });

      test(`a database that cannot be reached while the ${reading} is read is a 503 that says when to try again`, async () => {
        for (const path of LISTS) {
          const answer = await askIn(new StoreUnavailable(secret), reading, path);
          const { detail } = problemIn(answer, 'unavailable');
          assert.match(String(answer.headers['retry-after']), /^[1-9]\d?$/);
          assert.equal(detail.includes('select'), false);
          assert.equal(answer.headers['www-authenticate'], undefined);
        }
        assert.equal((await service.ask(LARGE_ACCOUNT, virtual_numbers.path)).status, 200);
      });
    }

    test('the service is alive then, but not ready', async () => {
      [trouble, failing] = [new StoreUnavailable(secret), 'page'];
      assert.equal((await service.send('GET', '/healthz')).status, 200);
      problemIn(await service.send('GET', '/readyz'), 'unavailable');
      trouble = undefined;
      assert.equal((await service.send('GET', '/readyz')).status, 200);
    });
  });

  test(`no line of the log on ${kind.name} holds a token, a query, a number or a row`, async (t) => {
    const service = await openService(kind, { rows: hardRows, rateLimit: 40 });
    t.after(async () => service.close());
    const { token } = service.tokenOf(LARGE_ACCOUNT);
    const query = 'q=%2B442079460018&providers=SecretProvider&ids=4420794600313373';
    for (const path of [
      ...LISTS,
      ...LISTS.map((list) => `${list}/facets`),
      '/nowhere',
      `/${token}`,
      '/api/%zz',
      '/docs',
      '/readyz',
    ]) {
      for (const method of ['GET', 'HEAD', 'POST'] as const) {
        await service.send(method, `${path}?${query}`, { authorization: `Bearer ${token}` });
        await service.send(method, `${path}?${query}&access_token=${token}&page=0`, { authorization: token });
        await service.send(method, `${path}?${query}`, {
          authorization: `Basic ${token}x`,
          cookie: token,
          referer: `/?${query}`,
        });
      }
    }
    assert.ok(service.log.length > 50);
    for (const line of service.log) {
      for (const secret of [
        token,
        token.slice(3, 30),
        '442079460018',
        '%2B44',
        'SecretProvider',
        '4420794600313373',
        'access_token',
      ]) {
        assert.equal(line.includes(secret), false, line);
      }
    }
  });
}
