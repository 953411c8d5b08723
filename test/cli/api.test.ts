// `linecard api PATH` prints any answer as it is, with `--paginate` all items of a list. The token goes to
// the server of the sign-in alone.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pathIn } from '../../cli/api.ts';
import { type Customer, openCustomer } from '../kit/customer.ts';
import { cutJson, Faulty, good, items, next, status } from '../kit/faulty.ts';

describe('linecard api', () => {
  let customer: Customer;
  const server = new Faulty();

  before(async () => {
    customer = await openCustomer();
    await server.open();
  });
  after(async () => {
    server.close();
    await customer.close();
  });
  beforeEach(() => server.answers(good));

  const ask = async (url: string) => (await customer.service.ask('harbour-dental', url)).body;
  const api = (...words: string[]) => customer.linecard(['api', ...words]);
  const elsewhere = (...words: string[]) =>
    customer.linecard(['api', ...words], { environment: { LINECARD_URL: server.url } });

  test('prints an answer byte for byte, whatever it is', async () => {
    for (const [path, ...spellings] of [
      ['/api/v1/account', 'api/v1/account', `${customer.url}/api/v1/account`],
      ['/api/v1/did/me?page_size=2&country_codes=GB,DE'],
      ['/api/v1/did/me/facets'],
      ['/api/v1/services/additional.csv'],
      ['/docs.md'],
    ] as const) {
      const wanted = path === '/docs.md' ? undefined : await ask(path);
      for (const given of [path, ...spellings]) {
        const { status, out, err } = await api(given);
        assert.deepEqual([status, err], [0, ''], given);
        if (wanted !== undefined) assert.equal(out, wanted);
        else assert.match(out, /^# /);
      }
    }
  });

  test('prints an error as well, with its sentence on standard error', async () => {
    for (const [path, says] of [
      ['/api/v1/did/me?page=0', /^linecard: page must be an integer from 1 to \d+, but was "0"\.\n$/],
      ['/api/v1/did/me/41007', /^linecard: There is no such virtual number on this account\. Look one up/],
      ['/api/v1/nothing', /^linecard: There is no such path\. The reference is at \/docs\.\n$/],
    ] as const) {
      const { status, out, err } = await api(path);
      const { request_id: _, ...problem } = JSON.parse(await ask(path)) as Record<string, unknown>;
      const { request_id: __, ...printed } = JSON.parse(out) as Record<string, unknown>;
      assert.equal(status, 1);
      assert.deepEqual(printed, problem);
      assert.match(err, says);
    }
    const slash = await api('/docs/');
    assert.deepEqual([slash.status, slash.out], [1, '']);
    assert.equal(slash.err, 'linecard: /docs/ leads to /docs. Give that path.\n');
  });

  test('prints a short error, however it is sent, and none that is long once unpacked', async () => {
    const type = { 'content-type': 'text/plain', 'content-encoding': 'gzip' };
    const packed = (text: string) => gzipSync(text);
    server.answers((response) => {
      response.writeHead(404, { 'content-type': 'text/plain' });
      // Without its length.
      response.write('nothing ');
      response.end('here');
    });
    assert.deepEqual(await elsewhere('/x').then(({ status, out }) => [status, out]), [1, 'nothing here']);
    server.answers((response) => response.writeHead(404, type).end(packed('nothing')));
    assert.equal((await elsewhere('/x')).out, 'nothing');
    const bomb = packed('0'.repeat(2_000_000));
    assert.ok(bomb.length < 10_000);
    server.answers((response) => response.writeHead(404, type).end(bomb));
    const { status: ended, out, err } = await elsewhere('/x');
    assert.deepEqual([ended, out], [1, '']);
    assert.match(err, /404/);
  });

  test('prints all items of a list, one a line', async () => {
    const { status, out, err } = await api('/api/v1/did/me?page_size=2&sort_by=did', '--paginate');
    assert.deepEqual([status, err], [0, '']);
    const all = JSON.parse(await ask('/api/v1/did/me?page_size=1000&sort_by=did')) as { data: unknown[] };
    assert.deepEqual(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
      all.data,
    );
    for (const path of ['/facets', '/changes', '.csv', '.ndjson'].map((end) => `/api/v1/did/me${end}`)) {
      const refused = await api(path, '--paginate');
      assert.deepEqual([refused.status, refused.out], [2, '']);
      assert.match(refused.err, / has no pages: leave --paginate out\.\n$/);
    }
  });

  test('walks on after 429, and ends where pages go in circles or a link is missing', async () => {
    server.answers(good, status(429, { 'retry-after': '0' }), good);
    const limited = await elsewhere('/api/v1/did/me?page_size=2', '--paginate');
    assert.equal(limited.status, 0, limited.err);
    assert.deepEqual(
      limited.out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
      items(1, 5),
    );
    for (const link of [next(2), undefined]) {
      server.answers((response) => {
        response.writeHead(200, { 'content-type': 'application/json', ...(link !== undefined && { link }) });
        response.end('{"data":[],"page":1,"total_pages":9}');
      });
      const { status, err } = await elsewhere('/api/v1/did/me', '--paginate');
      assert.equal(status, 1);
      assert.match(err, /no link to the next page/);
    }
  });

  test('ends with a sentence where a page is not whole', async () => {
    server.answers(good, cutJson);
    const { status, err } = await elsewhere('/api/v1/did/me?page_size=2', '--paginate');
    assert.deepEqual([status, err], [1, 'linecard: The answer is incomplete: it is not JSON.\n']);
  });

  test('sends the token to no other server', async () => {
    for (const given of [
      `${server.url}/api/v1/account`,
      'http://user:pass@127.0.0.1/api/v1/account',
      `${customer.url}.example.com/api/v1/account`,
      'file:///etc/passwd',
    ]) {
      const { status, out, err } = await api(given);
      assert.deepEqual([status, out], [2, ''], given);
      assert.match(err, /^linecard: The token belongs to .+ is not an address there\. Give a path such as/);
    }
    assert.equal((await api(`/${server.url.replace('http:', '')}/api/v1/account`)).status, 1);
    assert.deepEqual(server.requests, []);
    server.answers(status(302, { location: `${customer.url}/api/v1/account` }));
    const { status: redirected, out, err } = await elsewhere('/api/v1/account');
    assert.deepEqual([redirected, out], [1, '']);
    assert.match(err, /redirects to .*, which is not followed/);
    assert.equal(server.requests.length, 1);
  });

  test('knows a deployment that is behind a path', () => {
    const base = 'https://host/numbers';
    for (const given of [
      '/api/v1/account?x=1',
      'api/v1/account?x=1',
      '/numbers/api/v1/account?x=1',
      `${base}/api/v1/account?x=1#y`,
    ])
      assert.equal(pathIn(base, given), '/api/v1/account?x=1');
    for (const given of [
      'https://host/other',
      'https://host/numbersX',
      '/../other',
      '/%2e%2e/other',
      'http://host/numbers/x',
    ])
      assert.throws(() => pathIn(base, given), /is not an address there/, given);
  });
});
