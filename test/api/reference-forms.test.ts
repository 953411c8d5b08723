// The reference as it is sent: a page, Markdown and a text for language models, each with the address at
// which it was requested, and nothing that a caller could put in.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { lists } from '../../api/contract/contract.ts';
import { problems } from '../../api/contract/problems.ts';
import { openService, type Service, stores } from '../kit/service.ts';

const CATALOG = '/.well-known/api-catalog';
const FORMS = {
  '/docs': 'text/html',
  '/docs.md': 'text/markdown',
  '/llms.txt': 'text/plain',
  [CATALOG]: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
};
const EXAMPLE = 'https://linecard.example.com';

describe('the forms of the reference', () => {
  let service: Service;
  before(async () => {
    service = await openService(stores[0] as (typeof stores)[number]);
  });
  after(() => service.close());

  for (const [path, type] of Object.entries(FORMS)) {
    test(`${path} is ${type}, without a token, with a validator`, async () => {
      const { status, headers, body } = await service.send('GET', path, { host: 'numbers.example.net:8443' });
      assert.deepEqual([status, headers['content-type']], [200, `${type}; charset=utf-8`]);
      assert.equal(headers['cache-control'], 'no-cache');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      const etag = headers['etag'] ?? '';
      assert.match(etag, /^"\S+"$/);
      const again = { host: 'numbers.example.net:8443', 'if-none-match': etag };
      const same = await service.send('GET', path, again);
      assert.deepEqual([same.status, same.body, same.headers['etag']], [304, '', etag]);
      const elsewhere = await service.send('GET', path, { ...again, host: 'elsewhere.example.net' });
      assert.deepEqual([elsewhere.status, elsewhere.body === body], [200, false]);
      assert.equal((await service.send('HEAD', path)).status, 200);
      assert.equal((await service.send('POST', path)).status, 405);
    });

    test(`${path} shows the address at which it was requested`, async () => {
      const shown: readonly (readonly [headers: Record<string, string>, url: string])[] = [
        [{ host: 'numbers.example.net:8443' }, 'http://numbers.example.net:8443'],
        [{ host: 'Numbers.Example.NET', 'x-forwarded-proto': 'https' }, 'https://numbers.example.net'],
        [{ host: '[2001:db8::1]:8080' }, 'http://[2001:db8::1]:8080'],
        [{ host: '127.0.0.1:8080', 'x-forwarded-proto': 'https, http' }, 'https://127.0.0.1:8080'],
        [{ host: '127.0.0.1:8080', 'x-forwarded-proto': 'javascript' }, 'http://127.0.0.1:8080'],
      ];
      for (const [headers, url] of shown) {
        const { body } = await service.send('GET', path, headers);
        assert.ok(body.includes(`${url}/api/v1`), url);
        assert.ok(!body.includes(EXAMPLE), url);
      }
    });

    test(`${path} repeats nothing of a Host that a page or a shell would run`, async () => {
      const hostile = [
        'a"><script>alert(1)</script>',
        'a.example$(id)',
        'a.example`id`',
        "a.example'; id; '",
        'a.example/path',
        'a.example:99999999',
        'a.example b.example',
        'user@a.example',
        `${'a'.repeat(300)}.example`,
        '-a.example',
      ];
      const { body: plain } = await service.send('GET', path, { host: 'a b' });
      assert.ok(plain.includes(EXAMPLE));
      for (const host of hostile) {
        const { status, body } = await service.send('GET', path, { host });
        assert.equal(status, 200);
        assert.equal(body, plain, host);
      }
    });
  }

  test('each form, and the OpenAPI document, is compressed for those who accept that, with a validator of its own', async () => {
    const gzip = { 'accept-encoding': 'br, gzip' };
    for (const path of [...Object.keys(FORMS), '/openapi.json']) {
      const plain = await service.send('GET', path);
      const packed = await service.send('GET', path, gzip);
      assert.equal(packed.headers['content-encoding'], 'gzip');
      assert.equal(gunzipSync(packed.bytes).toString(), plain.body);
      assert.ok(packed.bytes.length < plain.bytes.length / 1.5);
      assert.match(String(packed.headers['vary']), /\bAccept-Encoding\b/);
      const etag = String(packed.headers['etag']);
      assert.notEqual(etag, plain.headers['etag']);
      const same = await service.send('GET', path, { ...gzip, 'if-none-match': etag });
      assert.deepEqual([same.status, same.headers['content-encoding']], [304, undefined]);
    }
  });

  test('an address may ask for it 120 times a minute, and another meanwhile', async () => {
    const limited = await openService(stores[0] as (typeof stores)[number], { trustProxy: ['127.0.0.1'] });
    const from = (address: string) =>
      limited.send('GET', '/docs.md', { 'x-forwarded-for': address }).then(({ status }) => status);
    const statuses = await Promise.all(Array.from({ length: 130 }, () => from('192.0.2.7')));
    assert.equal(statuses.filter((status) => status === 200).length, 120);
    const { status, headers, body } = await limited.send('GET', '/docs', { 'x-forwarded-for': '192.0.2.7' });
    assert.deepEqual([status, JSON.parse(body).type], [429, 'urn:linecard:problem:rate-limited']);
    assert.ok(Number(headers['retry-after']) > 0);
    assert.equal(await from('192.0.2.8'), 200);
    await limited.close();
  });

  test('the page leads to the others, and they to what there is', async () => {
    const page = await service.send('GET', '/docs');
    // Back to the console, under whatever path a proxy has put both.
    assert.match(page.body, /<header><a class="name" href="\.\/">/);
    assert.match(page.headers['link'] ?? '', /<docs\.md>; rel="alternate"; type="text\/markdown"/);
    for (const name of ['docs.md', 'llms.txt', 'openapi.json'])
      assert.ok(page.body.includes(`href="${name}"`), name);
    const { body } = await service.send('GET', '/llms.txt', { host: 'here.example' });
    const links = [...body.matchAll(/\]\(http:\/\/here\.example(\/[^)]*)\)/g)].map(([, path = '']) => path);
    assert.ok(links.length >= 3);
    for (const path of links) assert.equal((await service.send('GET', path)).status, 200, path);
  });

  test('every problem leads to its own place in the page', async () => {
    const { body } = await service.send('GET', '/docs');
    const failing: readonly (readonly [path: string, headers: Record<string, string>, code: string])[] = [
      ['/api/v1/did/me', {}, 'unauthenticated'],
      ['/api/v2', {}, 'not-found'],
      ['/api/v1/did/me', { host: 'a', 'content-length': '3' }, 'content-too-large'],
    ];
    for (const [path, headers, code] of failing) {
      const answer = await service.send('GET', path, headers);
      assert.equal(JSON.parse(answer.body).type, `urn:linecard:problem:${code}`);
      assert.equal(answer.headers['link'], `</docs#problem-${code}>; rel="help"`);
    }
    for (const code of Object.keys(problems)) assert.ok(body.includes(`id="problem-${code}"`), code);
  });

  test('answers without a token say what describes the service, and the catalog where everything is', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs', CATALOG]) {
      const { link = '' } = (await service.send('GET', path)).headers;
      for (const wanted of [
        '</openapi.json>; rel="service-desc"',
        '</docs>; rel="service-doc"',
        `<${CATALOG}>; rel="api-catalog"`,
      ])
        assert.ok(link.includes(wanted), `${path}: ${link}`);
    }
    const { body } = await service.send('GET', CATALOG, { host: 'here.example' });
    const [catalog, api, agents] = JSON.parse(body).linkset;
    assert.deepEqual(
      catalog.item.map(({ href }: { href: string }) => href),
      [api.anchor, agents.anchor],
    );
    const links = [...body.matchAll(/"href": "http:\/\/here\.example(\/[^"]*)",\s*"type": "([^"]*)"/g)];
    assert.equal(links.length, 7);
    for (const [, path = '', type = ''] of links) {
      const answer = await service.send('GET', path);
      assert.deepEqual([answer.status, answer.headers['content-type']?.split(';')[0]], [200, type], path);
    }
  });

  test('as Markdown it is all there: filters, fields, problems, and no HTML', async () => {
    const { body } = await service.send('GET', '/docs.md');
    for (const list of Object.values(lists)) {
      const names = [list.filters, list.fields, list.sorts].flatMap((record) => Object.keys(record));
      for (const name of [list.path, ...names])
        assert.ok(body.includes(`\`${name}\``) || body.includes(name), name);
    }
    for (const code of Object.keys(problems)) assert.ok(body.includes(`\`${code}\``), code);
    assert.doesNotMatch(body, /<\/?(?:p|div|b|code|a)\b/);
    const rows = body.split('\n').filter((line) => line.startsWith('| '));
    assert.ok(rows.length > 60);
  });
});
