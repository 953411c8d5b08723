// What a program learns in addition to the data: the head of an answer, retries as they happen, how soon it
// knows that there is no network, and that what is not what it was promised never reaches it.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { answerOf, Client, type Retry } from '@linecard/client';
import {
  drop,
  envelope,
  Faulty,
  good,
  type Handler,
  idsOf,
  JSON_HEADERS,
  lines,
  mustFail,
  rows,
  status,
  TOKEN,
} from '../kit/faulty.ts';
import { freePort } from '../kit/free-port.ts';

/** What a client that reaches no server may wait in all. */
const MAX_WAITS_MS = 2_000;
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const faulty = new Faulty();
before(() => faulty.open());
after(() => faulty.close());

function withoutEnd(text: string): Readable {
  return new Readable({
    read() {
      this.push(text);
    },
  });
}

const json = (body: unknown, headers: Record<string, string> = {}): Handler =>
  status(200, { ...JSON_HEADERS, ...headers }, JSON.stringify(body));

const account = {
  id: 'harbour-dental',
  name: 'Harbour Dental',
  currency: 'EUR',
  virtual_numbers: 46,
  additional_services: 2,
  updated_at: '2026-11-20T09:30:00.000000Z',
  token: { id: 't1', name: 'phone book', expires_at: null },
};
const facets = { total: 1, currency: null, sums: { monthly: 1 }, due: {}, facets: {} };

describe('what an answer says in addition to its data', () => {
  const headers = {
    'x-request-id': 'r-7',
    etag: '"5"',
    ratelimit: '"default";r=598;t=41',
    'ratelimit-policy': '"default";q=600;w=60',
  };
  const head = {
    request_id: 'r-7',
    etag: '"5"',
    rate_limit: { limit: 600, remaining: 598, reset_seconds: 41 },
  };

  test('is at hand for a page, an item, facets, the account and an export, and not in their data', async () => {
    faulty.answers(json(JSON.parse(envelope(1, 2)), headers));
    const page = await faulty.client().virtualNumbers.list();
    assert.deepEqual(answerOf(page), head);
    assert.equal(JSON.stringify(page), envelope(1, 2));
    faulty.answers(json({ id: 7, did: '+447' }, headers));
    assert.deepEqual(answerOf(await faulty.client().virtualNumbers.get(7)), head);
    assert.deepEqual(faulty.requests, ['GET /api/v1/did/me/7']);
    faulty.answers(json(facets, headers));
    assert.deepEqual(answerOf(await faulty.client().virtualNumbers.facets()), head);
    faulty.answers(json(account, headers));
    const mine = await faulty.client().account();
    assert.deepEqual(mine, account);
    assert.deepEqual(answerOf(mine), head);
    assert.deepEqual(faulty.requests, ['GET /api/v1/account']);
    faulty.answers((response) => {
      response.writeHead(200, { ...headers, 'content-type': 'application/x-ndjson', 'x-total-count': '1' });
      response.end(lines(1));
    });
    assert.deepEqual(answerOf(await faulty.client().virtualNumbers.export()), head);
  });

  test('is that of the revalidation, where the data is cached', async () => {
    const client = faulty.client({ cache: true });
    faulty.answers(json(account, headers), (response) =>
      response.writeHead(304, { 'x-request-id': 'r-8' }).end(),
    );
    await client.account();
    const again = await client.account();
    assert.deepEqual(again, account);
    assert.deepEqual(answerOf(again), { request_id: 'r-8', etag: '"5"', rate_limit: undefined });
  });

  test('is for nothing else', () => {
    assert.throws(() => answerOf({}), { code: 'invalid-option' });
  });

  test('an item carries the fields that were chosen, and so does its type', async () => {
    faulty.answers(json({ did: '+447' }));
    const { did } = await faulty.client().virtualNumbers.get(7, { fields: ['did'] });
    assert.equal(did, '+447');
    assert.deepEqual(faulty.requests, ['GET /api/v1/did/me/7?fields=did']);
    faulty.answers(json(JSON.parse(envelope(1, 1, 2, [{ id: 1, did: '+441' }]))));
    const page = await faulty.client().virtualNumbers.list({ fields: ['did'], sort_by: 'did' });
    // @ts-expect-error: only the number was chosen
    assert.equal(page.data[0]?.monthly, undefined);
    assert.deepEqual(page.data, [{ did: '+441' }]);
    // A walk needs the ids in this order.
    assert.deepEqual(faulty.requests, ['GET /api/v1/did/me?fields=did&fields=id&sort_by=did']);
  });

  test('a walk by QUERY goes on by Next-Cursor', async () => {
    const page = (number: number, cursor?: string): Handler =>
      status(200, { ...JSON_HEADERS, ...(cursor && { 'next-cursor': cursor }) }, envelope(number, 5));
    faulty.answers(page(1, 'a'), page(2, 'b'), page(3));
    const ids = Array.from({ length: 1_001 }, (_, i) => i + 1);
    const seen = await idsOf(faulty.client().virtualNumbers.iterate({ ids, page_size: 2 }));
    assert.deepEqual(seen, [1, 2, 3, 4, 5]);
    assert.deepEqual(
      faulty.requests,
      Array.from({ length: 3 }, () => 'QUERY /api/v1/did/me'),
    );
    faulty.answers(json(facets));
    await faulty.client().virtualNumbers.facets({ ids });
    assert.deepEqual(faulty.requests, ['QUERY /api/v1/did/me/facets']);
  });
});

describe('without a network', () => {
  async function refusedUrl(): Promise<string> {
    return `http://127.0.0.1:${await freePort()}`;
  }

  const failing = (code: string) => async () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  };

  const waitsOf = (retries: readonly Retry[]) => retries.reduce((sum, { wait_ms }) => sum + wait_ms, 0);

  // They wait, and need not wait for each other.
  describe('it is soon known,', { concurrency: true }, () => {
    test('it waits for less than two seconds and fails in one sentence that says why, and the retries are reported', async () => {
      const retries: Retry[] = [];
      const client = new Client({
        url: await refusedUrl(),
        token: TOKEN,
        onRetry: (retry) => retries.push(retry),
      });
      const error = await mustFail(
        client.account(),
        'network',
        /^No answer from .+: nothing listens there \(ECONN/,
      );
      assert.ok(waitsOf(retries) < MAX_WAITS_MS);
      assert.doesNotMatch(error.message, /\n/);
      assert.deepEqual(
        retries.map(({ attempt, retries: most, problem }) => [attempt, most, problem.code]),
        [1, 2, 3].map((attempt) => [attempt, 3, 'network']),
      );
    });

    const SENTENCES: Readonly<Record<string, RegExp>> = {
      ENOTFOUND: /no host of that name is known, or there is no network \(ENOTFOUND\)\.$/,
      EAI_AGAIN: /perhaps there is no network/,
      ENETUNREACH: /there is no network that leads there/,
    };
    for (const [code, sentence] of Object.entries(SENTENCES)) {
      test(`${code} has its own words, however many retries there are`, async () => {
        const retries: Retry[] = [];
        const onRetry = (retry: Retry) => retries.push(retry);
        const client = faulty.client({ fetch: failing(code), retries: 1_000, onRetry });
        await mustFail(client.virtualNumbers.list(), 'network', sentence);
        assert.ok(waitsOf(retries) < MAX_WAITS_MS);
      });
    }
  });

  test('where the address must be wrong, it fails at the first attempt, and says why', async () => {
    const { port } = new URL(faulty.url);
    const sentences: readonly (readonly [client: Client, sentence: RegExp])[] = [
      [
        new Client({ url: 'http://127.0.0.1:9', token: TOKEN, retries: 1_000 }),
        /that is a port to which fetch never connects \(bad port\)\.$/,
      ],
      [
        new Client({ url: `https://127.0.0.1:${port}`, token: TOKEN, retries: 1_000 }),
        /what listens there does not speak TLS: perhaps the address begins with http:\/\/ \(ERR_SSL_\w+\)\.$/,
      ],
      [
        faulty.client({ fetch: failing('CERT_HAS_EXPIRED'), retries: 1_000 }),
        /its certificate has expired \(CERT_HAS_EXPIRED\)\.$/,
      ],
    ];
    for (const [client, sentence] of sentences) await mustFail(client.account(), 'network', sentence);
  });

  test('a deployment that answered before is waited for with all the patience', async () => {
    let calls = 0;
    faulty.answers(good);
    const fetchOnce: NonNullable<ConstructorParameters<typeof Client>[0]['fetch']> = (url, init) =>
      calls++ === 0 ? fetch(url, init) : failing('ECONNREFUSED')();
    const waits: number[] = [];
    const client = faulty.client({
      fetch: fetchOnce,
      retries: 20,
      onRetry: ({ wait_ms }) => waits.push(wait_ms),
    });
    await client.virtualNumbers.list();
    await mustFail(client.virtualNumbers.list(), 'network');
    assert.equal(waits.length, 20);
  });

  test('what passes is reported as it happens', async () => {
    const retries: Retry[] = [];
    faulty.answers(drop, status(503, { 'retry-after': '0' }), good);
    await faulty.client({ onRetry: (retry) => retries.push(retry) }).virtualNumbers.list();
    assert.deepEqual(
      retries.map(({ attempt, problem }) => [attempt, problem.code]),
      [
        [1, 'network'],
        [2, 'unavailable'],
      ],
    );
  });
});

describe('what is not what was promised', () => {
  const page = JSON.parse(envelope(1, 5)) as object;
  const call = {
    list: () => faulty.client().virtualNumbers.list(),
    get: () => faulty.client().virtualNumbers.get(7),
    facets: () => faulty.client().virtualNumbers.facets(),
    account: () => faulty.client().account(),
    export: async () => idsOf(await faulty.client().virtualNumbers.export()),
  };
  const paint = '\u001b[31m46';
  const WRONG: readonly (readonly [keyof typeof call, string, unknown])[] = [
    ['list', 'a total that is a text', { ...page, total: paint }],
    ['list', 'a total below nothing', { ...page, total: -1 }],
    ['list', 'an item that is null', { ...page, data: [null] }],
    ['list', 'an item that is a list', { ...page, data: [[]] }],
    ['get', 'a list', []],
    ['get', 'another item', { id: 8 }],
    ['get', 'the id as a text', { id: '7' }],
    ['facets', 'a total that is a text', { ...facets, total: paint }],
    ['facets', 'a sum that is a text', { ...facets, sums: { monthly: paint } }],
    ['facets', 'a sum that is a list', { ...facets, sums: [1] }],
    ['facets', 'a due charge that is null', { ...facets, due: { 7: { count: 1, monthly: null } } }],
    [
      'facets',
      'a count that is a text',
      { ...facets, facets: { statuses: { others: 0, values: [{ value: 'a', count: '1' }] } } },
    ],
    [
      'facets',
      'a value that is an object',
      { ...facets, facets: { statuses: { others: 0, values: [{ value: {}, count: 1 }] } } },
    ],
    ['facets', 'a facet without values', { ...facets, facets: { statuses: { others: 0 } } }],
    ['facets', 'a currency that is a number', { ...facets, currency: 978 }],
    ['account', 'no token', { ...account, token: undefined }],
    ['account', 'a count that is a text', { ...account, virtual_numbers: paint }],
    ['account', 'a name that is an object', { ...account, name: {} }],
    ['account', 'no time of its last change', { ...account, updated_at: null }],
  ];
  for (const [name, what, body] of WRONG) {
    test(`${name}: ${what}`, async () => {
      faulty.answers(json(body));
      const { message } = await mustFail(call[name](), 'unexpected-answer', /^The answer is JSON, but not /);
      assert.doesNotMatch(message, /\p{Cc}/u);
    });
  }

  test('export: a row that is no item', async () => {
    faulty.answers(rows(1, '"text"\n', 'end'));
    await mustFail(call.export(), 'unexpected-answer', /not an item/);
  });

  test('export: a row without end, and rows without end', async () => {
    const endless =
      (text: string): Handler =>
      (response) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson', 'x-total-count': '3' });
        withoutEnd(text.repeat(65_536)).pipe(response);
      };
    faulty.answers(endless('x'));
    await mustFail(call.export(), 'unexpected-answer', /Row 1 of the export has no end/);
    faulty.answers(endless('{"id":1}\n'));
    await mustFail(call.export(), 'broken-off', / of 3 rows came/);
  });

  test('a body without end is given up, however fast it comes', async () => {
    faulty.answers((response) => {
      response.writeHead(200, JSON_HEADERS);
      withoutEnd(' '.repeat(1_048_576)).pipe(response);
    });
    await mustFail(call.list(), 'unexpected-answer', /is over 64 MB long/);
    assert.equal(faulty.requests.length, 1);
  });

  test('a spreadsheet that breaks off is an error, one that has its end is not', async () => {
    const archive = `PK\u0003\u0004${'x'.repeat(500)}PK\u0005\u0006${'\0'.repeat(18)}`;
    const read = async () => {
      const file = await faulty.client().virtualNumbers.export({}, { format: 'xlsx' });
      return new Response(file.bytes()).text();
    };
    faulty.answers(rows(2, archive, 'end', XLSX));
    assert.equal(await read(), archive);
    faulty.answers(rows(2, archive.slice(0, -1), 'end', XLSX));
    await mustFail(read(), 'broken-off', /has no end/);
    faulty.answers(rows(2, '', 'end', XLSX));
    await mustFail(read(), 'broken-off', /has no end/);
  });
});
