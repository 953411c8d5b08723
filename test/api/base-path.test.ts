// A deployment behind a path: every address that it writes begins with that path, and it answers there,
// whether the proxy in front of it takes the path off or not.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { virtual_numbers } from '../kit/model.ts';
import { openService, type Service, stores } from '../kit/service.ts';

const BASE = '/numbers';

const [kind] = stores;
assert.ok(kind);

describe(`a deployment behind ${BASE}`, () => {
  let service: Service;
  before(async () => {
    service = await openService(kind, { rows: hardRows, basePath: BASE });
  });
  after(async () => service.close());

  test('a walk along the links stays behind it', async () => {
    let url: string | undefined = `${BASE}${virtual_numbers.path}?page_size=50&sort_by=did`;
    let items = 0;
    while (url !== undefined) {
      const answer: Awaited<ReturnType<Service['ask']>> = await service.ask(LARGE_ACCOUNT, url);
      assert.equal(answer.status, 200, answer.body);
      for (const [, target] of answer.links) assert.ok(target.startsWith(`${BASE}/api/v1/`), target);
      items += JSON.parse(answer.body).data.length;
      url = answer.links.get('next');
    }
    const { body } = await service.ask(LARGE_ACCOUNT, `${BASE}/api/v1/account`);
    assert.equal(items, JSON.parse(body).virtual_numbers);
  });

  test('everything else is there too', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs']) {
      assert.equal((await service.send('GET', BASE + path)).status, 200, path);
    }
    for (const path of ['.csv?ids=1', '/facets']) {
      const { status } = await service.ask(LARGE_ACCOUNT, BASE + virtual_numbers.path + path);
      assert.equal(status, 200, path);
    }
    const { body } = await service.send('GET', `${BASE}/openapi.json`);
    assert.equal(JSON.parse(body).servers[0].url, BASE);
  });

  test('its root is the console, or leads to the reference where there is none', async () => {
    for (const url of [BASE, `${BASE}/`, `${BASE}?x=1`, '/']) {
      const { status, headers } = await service.send('GET', url);
      if (status === 200) assert.match(String(headers['content-type']), /^text\/html/, url);
      else assert.deepEqual([status, headers['location']], [302, `${BASE}/docs`], url);
    }
  });

  test('a path that only begins like it is not found, and the answer says where the reference is', async () => {
    for (const url of [`${BASE}s/api/v1/did/me`, `${BASE}${BASE}/docs`, `${BASE}/nowhere`, `${BASE}/%zz`]) {
      const { status, body } = await service.send('GET', url);
      assert.equal(status, 404, url);
      assert.ok(JSON.parse(body).detail.includes(`${BASE}/docs`), body);
    }
  });

  test('a page is found with a slash too many, and a path of the API says which it is', async () => {
    for (const url of ['/docs/', '//docs', '/docs///', `${BASE}/docs/`, `${BASE}//docs`]) {
      for (const method of ['GET', 'HEAD'] as const) {
        const { status, headers } = await service.send(method, `${url}?x=1`);
        assert.deepEqual([status, headers['location']], [308, `${BASE}/docs?x=1`], url);
      }
    }
    const { path } = virtual_numbers;
    for (const [url, meant] of [
      [`${path}/`, path],
      [`${path}//`, path],
      [`/${path}`, path],
      [`${BASE}/api/v1//did/me?page=1`, path],
      [`${BASE}${path}/7/`, `${path}/7`],
      [`${path}/changes/`, `${path}/changes`],
      ['/healthz/', '/healthz'],
    ] as const) {
      const { status, body } = await service.send('GET', url);
      const { detail } = JSON.parse(body);
      assert.deepEqual([status, detail], [404, `The path has a slash too many: use ${BASE}${meant}.`], url);
    }
  });

  test('behind a proxy that takes the path off, the addresses have it all the same', async () => {
    const { status, links } = await service.ask(LARGE_ACCOUNT, `${virtual_numbers.path}?page_size=1`);
    assert.equal(status, 200);
    assert.ok(links.get('next')?.startsWith(BASE + virtual_numbers.path));
  });

  test('a method that is not there is refused there too', async () => {
    const { status, headers } = await service.send('POST', BASE + virtual_numbers.path);
    assert.deepEqual([status, headers['allow']], [405, 'GET, HEAD, QUERY']);
  });
});

describe('a deployment whose public URL is known', () => {
  const PUBLIC_URL = 'https://numbers.example.com/tel';
  const settings = { basePath: BASE, publicUrl: PUBLIC_URL };
  let service: Service;
  before(async () => {
    service = await openService(kind, { rows: hardRows, ...settings });
  });
  after(async () => service.close());

  test('is at that address in all that it says of itself, whatever Host says', async () => {
    const headers = { host: 'elsewhere.example.org', 'x-forwarded-proto': 'http' };
    for (const path of ['/docs', '/docs.md', '/llms.txt', '/openapi.json', '/.well-known/api-catalog']) {
      const { body, headers: answered } = await service.send('GET', BASE + path, headers);
      assert.ok(body.includes(PUBLIC_URL), path);
      assert.equal(/elsewhere|linecard\.example\.com/.test(body), false, path);
      assert.doesNotMatch(String(answered['vary']), /Forwarded/, path);
    }
    const document = JSON.parse((await service.send('GET', `${BASE}/openapi.json`, headers)).body);
    assert.equal(document.servers[0].url, PUBLIC_URL);
    for (const [path, hint] of [
      ['/nowhere', `The reference is at ${PUBLIC_URL}/docs.`],
      [`${virtual_numbers.path}/`, `use ${PUBLIC_URL}${virtual_numbers.path}.`],
    ] as const) {
      const { status, body } = await service.send('GET', BASE + path, headers);
      assert.equal(status, 404);
      assert.ok(JSON.parse(body).detail.endsWith(hint), body);
    }
  });

  test('leads to it in every Link, which may be followed as it is', async () => {
    const { path } = virtual_numbers;
    for (const [address, status, relations] of [
      [`${path}?page_size=1`, 200, ['first', 'next', 'last', 'monitor']],
      [`${path}.csv`, 200, ['monitor']],
      [`${path}?page_size=0`, 400, ['help']],
    ] as const) {
      const answer = await service.ask(LARGE_ACCOUNT, BASE + address);
      assert.equal(answer.status, status);
      const links = [...(answer.headers['link'] ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)];
      assert.deepEqual(
        links.map(([, , relation]) => relation),
        relations,
      );
      for (const [, target = ''] of links) assert.ok(target.startsWith(`${PUBLIC_URL}/`), target);
    }
  });
});
