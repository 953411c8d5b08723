// Pages of other origins: those that the operator allows read answers as any caller does, all others do not.

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { lists } from '../../api/contract/contract.ts';
import { facetsPath } from '../../api/contract/facets.ts';
import { WrongUsage } from '../../server/errors.ts';
import { readSettings } from '../../server/settings/config.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { sharedBrowser } from '../kit/console-visits.ts';
import { listen } from '../kit/free-port.ts';
import { numberRow } from '../kit/rows.ts';
import { openService, type Service, stores } from '../kit/service.ts';

const { path } = lists.virtual_numbers;
const ACCOUNT = 'acme';
const ALLOWED = 'https://app.example.com';
const STRANGER = 'https://stranger.example.com';
/** What a caller cannot do without. */
const NEEDED = [
  'Link',
  'ETag',
  'X-Request-Id',
  'X-Total-Count',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Content-Disposition',
  'Accept-Query',
];

const open = (corsOrigins: readonly string[]) =>
  openService(stores[0] as (typeof stores)[number], {
    rows: { virtual_numbers: [1, 2].map((id) => numberRow(ACCOUNT, id)) },
    rateLimit: 600,
    corsOrigins,
  });

const preflight = {
  'access-control-request-method': 'QUERY',
  'access-control-request-headers': 'authorization',
};
const listOf = (header = '') => header.split(', ');

describe('answers for an origin that is allowed', () => {
  let service: Service;
  before(async () => {
    service = await open([ALLOWED, 'http://localhost:5173']);
  });
  after(() => service.close());

  test('a preflight is answered without a token, for every method and header that there is', async () => {
    for (const url of [path, facetsPath(lists.virtual_numbers), `${path}?q=1`, '/no/such/path']) {
      const answer = await service.send('OPTIONS', url, { origin: ALLOWED, ...preflight });
      assert.deepEqual([answer.status, answer.body], [204, '']);
      assert.equal(answer.headers['access-control-allow-origin'], ALLOWED);
      assert.equal(answer.headers['vary'], 'Origin');
      assert.deepEqual(listOf(answer.headers['access-control-allow-methods']), [
        'GET',
        'HEAD',
        'QUERY',
        'POST',
      ]);
      const taken = listOf(answer.headers['access-control-allow-headers']?.toLowerCase());
      for (const name of ['authorization', 'content-type', 'if-none-match', 'prefer', 'x-request-id'])
        assert.ok(taken.includes(name), name);
      assert.equal(answer.headers['access-control-allow-credentials'], undefined);
    }
  });

  test('pages, files, facets, 304 and every error may be read, with their headers', async () => {
    const origin = { origin: ALLOWED };
    const { headers } = await service.ask(ACCOUNT, path);
    const answers = [
      [200, await service.ask(ACCOUNT, path, origin)],
      [200, await service.ask(ACCOUNT, path, { ...origin, accept: 'text/csv' })],
      [200, await service.ask(ACCOUNT, facetsPath(lists.virtual_numbers), origin)],
      [200, await service.send('GET', '/docs', origin)],
      [304, await service.ask(ACCOUNT, path, { ...origin, 'if-none-match': headers['etag'] ?? '' })],
      [400, await service.ask(ACCOUNT, `${path}?no_such=1`, origin)],
      [401, await service.send('GET', path, origin)],
      [404, await service.send('GET', '/no/such/path', origin)],
      [404, await service.send('GET', '/%zz', origin)],
      [405, await service.send('POST', path, origin)],
      [406, await service.ask(ACCOUNT, path, { ...origin, accept: 'image/png' })],
      [414, await service.ask(ACCOUNT, `${path}?q=${'1'.repeat(66_000)}`, origin)],
    ] as const;
    for (const [status, answer] of answers) {
      assert.equal(answer.status, status, answer.body);
      assert.equal(answer.headers['access-control-allow-origin'], ALLOWED, String(status));
      assert.ok(listOf(answer.headers['vary']).includes('Origin'), String(status));
      const exposed = listOf(answer.headers['access-control-expose-headers']);
      assert.deepEqual(
        NEEDED.filter((name) => !exposed.includes(name)),
        [],
      );
    }
    assert.deepEqual(listOf(answers[1][1].headers['vary']).toSorted(), [
      'Accept',
      'Accept-Encoding',
      'Authorization',
      'Linecard-Account',
      'Origin',
    ]);
  });

  test('another origin, one that only looks like it, and none get what they get without', async () => {
    for (const origin of [STRANGER, `${ALLOWED}.evil.example`, 'http://app.example.com', 'null', undefined]) {
      const headers = origin === undefined ? {} : { origin };
      const page = await service.ask(ACCOUNT, path, headers);
      assert.equal(page.status, 200);
      assert.ok(listOf(page.headers['vary']).includes('Origin'));
      const refused = await service.send('OPTIONS', path, { ...headers, ...preflight });
      assert.equal(refused.status, 405);
      for (const answer of [page, refused]) {
        const given = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
        assert.deepEqual(given, []);
      }
    }
  });

  test('OPTIONS that is no preflight is not allowed, and says so to the page', async () => {
    const answer = await service.send('OPTIONS', path, { origin: ALLOWED });
    assert.deepEqual([answer.status, answer.headers['access-control-allow-origin']], [405, ALLOWED]);
  });
});

test('with * every page may, and no answer depends on the origin', async () => {
  const service = await open(['*']);
  for (const origin of [STRANGER, 'null']) {
    const page = await service.ask(ACCOUNT, path, { origin });
    assert.equal(page.headers['access-control-allow-origin'], '*');
    assert.equal(page.headers['vary'], 'Authorization, Linecard-Account, Accept, Accept-Encoding');
    assert.equal((await service.send('OPTIONS', path, { origin, ...preflight })).status, 204);
  }
  await service.close();
});

test('without a setting no page of another origin may', async () => {
  const service = await open([]);
  const page = await service.ask(ACCOUNT, path, { origin: ALLOWED });
  assert.equal(page.headers['vary'], 'Authorization, Linecard-Account, Accept, Accept-Encoding');
  assert.equal(page.headers['access-control-allow-origin'], undefined);
  assert.equal((await service.send('OPTIONS', path, { origin: ALLOWED, ...preflight })).status, 405);
  await service.close();
});

test('the setting takes origins as browsers write them, and nothing that would never match', () => {
  const read = (text: string) => readSettings(['cors_origin'], { cors_origin: text }, {}).cors_origin;
  assert.deepEqual(readSettings(['cors_origin'], {}, {}).cors_origin, []);
  assert.deepEqual(read('*'), ['*']);
  assert.deepEqual(read(`${ALLOWED} http://localhost:5173`), [ALLOWED, 'http://localhost:5173']);
  assert.deepEqual(read('http://[::1]:8080,https://a.example'), ['http://[::1]:8080', 'https://a.example']);
  for (const text of [
    `${ALLOWED}/`,
    'app.example.com',
    'null',
    'https://*.example.com:443',
    'ftp://a',
    ' ',
    'https://A.example',
    'https://*.example.com',
    'https://a.example;https://b.example',
  ]) {
    assert.throws(() => read(text), WrongUsage, text);
  }
});

test('the setting of pages that may frame the console takes origins alone', () => {
  const read = (text: string) =>
    readSettings(['frame_ancestors'], { frame_ancestors: text }, {}).frame_ancestors;
  assert.deepEqual(read(`${ALLOWED},http://localhost:5173`), [ALLOWED, 'http://localhost:5173']);
  for (const text of ['*', "'self'", `${ALLOWED}/`, 'https:'])
    assert.throws(() => read(text), /--frame-ancestors must be origins such as https:\/\/app\.example\.com/);
});

describe('a page of another origin, in a browser', { skip: NO_BROWSER }, () => {
  let service: Service;
  let strange: Server;
  let browser: Browser;
  let page: Page;
  let api: string;
  const origins: string[] = [];

  before(async () => {
    strange = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<title>A page</title>'),
    );
    const port = await listen(strange);
    origins.push(`http://127.0.0.1:${port}`, `http://localhost:${port}`);
    service = await open(origins.slice(0, 1));
    api = `http://127.0.0.1:${await service.listen()}`;
    browser = await sharedBrowser();
    page = await browser.newPage();
  });

  after(async () => {
    await page?.close();
    strange.closeAllConnections();
    strange.close();
    await service.close();
  });

  /** What a script of a page at the origin reads of an answer. */
  async function ask(origin: string, url: string, init: object) {
    if (new URL(page.url()).origin !== origin) await page.goto(origin);
    return page.evaluate(
      async ([address, options]) => {
        try {
          const answer = await fetch(address, options);
          return { status: answer.status, headers: [...answer.headers.keys()], body: await answer.text() };
        } catch {
          return undefined;
        }
      },
      [api + url, init] as const,
    );
  }

  test('reads pages by GET and QUERY, files and errors, with their headers', async () => {
    const [allowed = ''] = origins;
    const authorization = `Bearer ${service.tokenOf(ACCOUNT).token}`;
    const headers = { authorization, 'x-request-id': 'from-a-page' };

    const first = await ask(allowed, `${path}?page_size=1`, { headers });
    assert.equal(first?.status, 200);
    assert.equal(JSON.parse(first.body).total, 2);
    for (const name of ['link', 'etag', 'x-request-id', 'ratelimit', 'ratelimit-policy', 'accept-query'])
      assert.ok(first.headers.includes(name), name);

    const json = { ...headers, 'content-type': 'application/json' };
    const query = await ask(allowed, path, { method: 'QUERY', headers: json, body: '{"ids":[2]}' });
    assert.equal(JSON.parse(query?.body ?? '{}').total, 1);

    const file = await ask(allowed, path, { headers: { authorization, accept: 'text/csv' } });
    assert.ok(file?.headers.includes('x-total-count') && file.headers.includes('content-disposition'));

    const refused = await ask(allowed, path, { headers: { authorization: 'Bearer lc_wrong' } });
    assert.equal(refused?.status, 401);
    assert.match(refused.body, /urn:linecard:problem:unauthenticated/);
  });

  test('reads nothing from an origin that is not allowed', async () => {
    const headers = { authorization: `Bearer ${service.tokenOf(ACCOUNT).token}` };
    assert.equal(await ask(origins[1] ?? '', path, { headers }), undefined);
  });
});
