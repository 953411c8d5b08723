// The client among servers and networks that misbehave: it goes on, or fails with a problem that says why. What it gives
// is never a part that looks like the whole, and no error shows the token.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, mock, test } from 'node:test';
import { inspect } from 'node:util';
import { Client, type ClientOptions, Problem } from '@linecard/client';

const TOKEN = 'lc_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ';
const PATIENT_MS = 10_000;
const IMPATIENT_MS = 200;
/** Much less than the patience, much more than a busy machine needs. */
const AT_ONCE_MS = 5_000;

type Handler = (response: ServerResponse, request: IncomingMessage, nth: number) => unknown;

const item = (id: number) => ({ id, did: `+44${id}`, monthly: 1 });
const items = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => item(from + i));

function envelope(page: number, total: number, page_size = 2, data?: unknown[]): string {
  const first = (page - 1) * page_size + 1;
  return JSON.stringify({
    data: data ?? items(first, Math.min(total, page * page_size)),
    page,
    page_size,
    total,
    total_pages: Math.ceil(total / page_size),
  });
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };
const next = (cursor: number | string) => `</api/v1/did/me?cursor=${cursor}&page_size=2>; rel="next"`;

/** A list of five in pages of two, as Linecard would give it. */
const good: Handler = (response, request) => {
  const asked = new URL(String(request.url), 'http://localhost').searchParams;
  const page = Number(asked.get('cursor') ?? asked.get('page') ?? 1);
  const link = ['</api/v1/did/me?page=1>; rel="first"', ...(page < 3 ? [next(page + 1)] : [])].join(', ');
  response.writeHead(200, { ...JSON_HEADERS, etag: '"1"', link }).end(envelope(page, 5));
};

const status =
  (code: number, headers: Record<string, string> = {}, body = 'no'): Handler =>
  (response) =>
    response.writeHead(code, headers).end(body);

const drop: Handler = (response) => response.destroy();
const hang: Handler = () => {};

const halfBody: Handler = (response) => {
  const text = envelope(1, 5);
  response.writeHead(200, { ...JSON_HEADERS, 'content-length': String(text.length) });
  response.write(text.slice(0, 40), () => response.destroy());
};

const cutChunks: Handler = (response) => {
  response.writeHead(200, JSON_HEADERS);
  response.write(envelope(1, 5).slice(0, 40), () => response.destroy());
};

const cutJson: Handler = (response) => response.writeHead(200, JSON_HEADERS).end(envelope(1, 5).slice(0, 40));

const stall: Handler = (response) => {
  response.writeHead(200, JSON_HEADERS);
  response.write('{"data":[');
};

function problemBody(code: string, detail: string): string {
  return JSON.stringify({
    type: `urn:linecard:problem:${code}`,
    title: code,
    status: 0,
    detail,
    request_id: 'r-1',
  });
}

const problem = (
  code: number,
  name: string,
  headers: Record<string, string> = {},
  detail = 'Said by the server.',
) => status(code, { 'content-type': 'application/problem+json', ...headers }, problemBody(name, detail));

/** An export of `total` rows of which some come; `end` says how. */
const rows =
  (total: number, text: string, end: 'end' | 'destroy' | 'hang', type = 'application/x-ndjson'): Handler =>
  (response) => {
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'x-total-count': String(total) });
    response.write(text, () => end !== 'hang' && response[end]());
  };

const lines = (count: number) =>
  items(1, count)
    .map((one) => `${JSON.stringify(one)}\n`)
    .join('');

let server: Server;
let url: string;
let asked: string[];
let handlers: Handler[];
let handler: Handler;

/** The answers to come, one after the other; the last one stays. */
function answers(...all: Handler[]): void {
  handlers = all;
}

function clientOf(options: Partial<ClientOptions> = {}): Client {
  return new Client({ url, token: TOKEN, timeout_ms: PATIENT_MS, ...options });
}

async function idsOf(list: AsyncIterable<{ id: number }>, into: number[] = []): Promise<number[]> {
  for await (const { id } of list) into.push(id);
  return into;
}

/** Must fail with this code, in words that say something and without the token. */
async function mustFail(work: Promise<unknown>, code: string, words = /./): Promise<Problem> {
  const error: unknown = await work.then(
    (value) => assert.fail(`It did not fail: ${inspect(value)}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Problem, inspect(error));
  assert.equal(error.code, code, inspect(error));
  assert.match(error.message, words);
  const shown = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error) + String(error.stack);
  assert.ok(!shown.includes(TOKEN.slice(3)), shown);
  return error;
}

before(async () => {
  mock.method(Math, 'random', () => 0);
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume();
    handler = handlers.length > 1 ? (handlers.shift() as Handler) : (handlers[0] as Handler);
    handler(response, request, asked.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
  mock.restoreAll();
});
beforeEach(() => {
  asked = [];
});

/** What a client finds out only by waiting. */
const waits: readonly Handler[] = [hang, stall];

describe('what passes is asked again', () => {
  const passing: Record<string, Handler> = {
    'a connection that is dropped': drop,
    'a body shorter than announced': halfBody,
    'a body that is cut': cutChunks,
    'JSON that breaks off': cutJson,
    'an answer that does not come': hang,
    'a body that does not come to its end': stall,
    'a 503 of Linecard': problem(503, 'unavailable', { 'retry-after': '0' }),
    'a 429 with a date': status(429, {
      date: 'Fri, 20 Nov 2026 09:30:00 GMT',
      'retry-after': 'Fri, 20 Nov 2026 09:30:00 GMT',
    }),
    'a 502 of a proxy': status(502, { 'content-type': 'text/html' }, '<h1>Bad gateway</h1>'),
    'a 500': problem(500, 'internal'),
    'a 408': status(408),
    'a 504': status(504),
  };
  for (const [name, passes] of Object.entries(passing)) {
    test(`${name}, in the middle of a walk`, async () => {
      answers(passes, good, passes, passes, good, good);
      const client = clientOf(waits.includes(passes) ? { timeout_ms: IMPATIENT_MS } : {});
      assert.deepEqual(await idsOf(client.virtualNumbers.iterate({ page_size: 2 })), [1, 2, 3, 4, 5]);
      assert.equal(asked.length, 6);
    });
  }

  const codes: readonly (readonly [Handler, string, RegExp])[] = [
    [drop, 'network', /^No answer from http/],
    [halfBody, 'broken-off', /broke off/],
    [cutChunks, 'broken-off', /broke off/],
    [cutJson, 'broken-off', /not whole/],
    [hang, 'timeout', /0\.2 seconds/],
    [stall, 'timeout', /0\.2 seconds/],
    [problem(503, 'unavailable'), 'unavailable', /Said by the server/],
    [status(502), 'unavailable', /answered 502/],
    [status(429), 'rate-limited', /answered 429/],
    [status(599), 'unexpected-answer', /answered 599/],
  ];
  for (const [always, code, words] of codes) {
    test(`what stays ${code} is told after three more attempts (${words.source})`, async () => {
      answers(always);
      const problem = await mustFail(
        clientOf({ timeout_ms: IMPATIENT_MS }).virtualNumbers.list(),
        code,
        words,
      );
      assert.equal(asked.length, 4);
      assert.ok(problem.request_id !== undefined);
    });
  }

  test('`retries: 0` asks once', async () => {
    answers(drop);
    await mustFail(clientOf({ retries: 0 }).additionalServices.facets(), 'network');
    assert.equal(asked.length, 1);
  });

  test('an export is begun again until it begins', async () => {
    answers(drop, status(503), rows(3, lines(3), 'end'));
    assert.deepEqual(await idsOf(await clientOf().virtualNumbers.export()), [1, 2, 3]);
    assert.equal(asked.length, 3);
  });
});

describe('`Retry-After`', () => {
  test('is waited for, in seconds', async () => {
    answers(status(503, { 'retry-after': '1' }), good);
    const begun = performance.now();
    await clientOf().virtualNumbers.list();
    assert.ok(performance.now() - begun >= 990);
  });

  for (const [name, retry_after, seconds] of [
    ['seconds', '3600', 3_600],
    ['a date', 'Fri, 20 Nov 2026 10:30:00 GMT', 3_600],
  ] as const) {
    test(`longer than \`max_wait_ms\` is told at once, with the time (${name})`, async () => {
      answers(
        problem(429, 'rate-limited', { date: 'Fri, 20 Nov 2026 09:30:00 GMT', 'retry-after': retry_after }),
      );
      const told = await mustFail(
        clientOf().virtualNumbers.list(),
        'rate-limited',
        /3600 seconds.*allows 60/,
      );
      assert.equal(told.retry_after, seconds);
      assert.equal(told.request_id, 'r-1');
      assert.equal(asked.length, 1);
    });
  }

  test('that is nonsense is no reason to stop', async () => {
    answers(status(503, { 'retry-after': 'soon' }), good);
    assert.equal((await clientOf().virtualNumbers.list()).total, 5);
  });
});

describe('what does not pass is told at once', () => {
  const told: readonly (readonly [string, Handler, string, RegExp])[] = [
    ['a problem', problem(400, 'invalid-cursor'), 'invalid-cursor', /Said by the server/],
    ['a problem that is not known yet', problem(402, 'unpaid'), 'unpaid', /Said by the server/],
    ['a path that is not Linecard’s', status(404), 'not-found', /perhaps `url` leads to something else/],
    ['a 501', status(501), 'unexpected-answer', /answered 501/],
    ['a 204', status(204, {}, ''), 'unexpected-answer', /answered 204/],
    ['a page of HTML', status(200, { 'content-type': 'text/html' }), 'unexpected-answer', /text\/html/],
    ['JSON that is no page', status(200, JSON_HEADERS, '{"data":[]}'), 'unexpected-answer', /not a page/],
    ['JSON null', status(200, JSON_HEADERS, 'null'), 'unexpected-answer', /not a page/],
    ['an answer to a question that was not asked', status(304, {}, ''), 'unexpected-answer', /answered 304/],
    [
      'a token in the words of the server',
      problem(400, 'bad-request', {}, `What is ${TOKEN}?`),
      'bad-request',
      /What is …\?/,
    ],
  ];
  for (const [name, always, code, words] of told) {
    test(name, async () => {
      answers(always);
      await mustFail(clientOf().virtualNumbers.list(), code, words);
      assert.equal(asked.length, 1);
    });
  }

  test('a redirect, wherever it leads, takes no token along', async () => {
    for (const code of [301, 302, 303, 307, 308]) {
      asked = [];
      answers(status(code, { location: 'https://elsewhere.example/api?q=1' }), good);
      await mustFail(clientOf().virtualNumbers.list(), 'redirected', /to https:\/\/elsewhere\.example\/api,/);
      assert.equal(asked.length, 1);
    }
    answers(status(302, { location: 'http://[' }));
    await mustFail(clientOf().virtualNumbers.export(), 'redirected', /elsewhere/);
  });
});

describe('a list that does not come to its end as it should', () => {
  const page = (number: number, total: number, link: string, data?: unknown[]): Handler =>
    status(200, { ...JSON_HEADERS, ...(link !== '' && { link }) }, envelope(number, total, 2, data));

  const cases: readonly (readonly [string, readonly Handler[], string, RegExp])[] = [
    ['the same page again and again', [page(1, 50, next(2))], 'endless-list', /behind page 1 comes page 1/],
    [
      'two pages in a circle',
      [page(1, 50, next(2)), page(2, 50, next(1)), page(1, 50, next(2))],
      'endless-list',
      /behind page 2 comes page 1/,
    ],
    [
      'an empty page with another behind it',
      [page(1, 50, next(2)), page(2, 50, next(3), []), page(3, 50, next(4), [])],
      'endless-list',
      /behind page 2/,
    ],
    [
      'pages without end',
      [(response, _, nth) => page(nth, 6, next(nth + 1), items(nth, nth + 1))(response, _, nth)],
      'endless-list',
      /page 17 of 3/,
    ],
    ['no Link header where pages must follow', [page(1, 50, '')], 'unexpected-answer', /no Link header/],
    [
      'no Link header later on',
      [page(1, 50, next(2)), page(2, 50, '')],
      'unexpected-answer',
      /no Link header/,
    ],
    [
      'an end before the total, while nothing changed',
      [good, status(200, { ...JSON_HEADERS, etag: '"1"', link: '</>; rel="first"' }, envelope(2, 5))],
      'broken-off',
      /4 of 5 items/,
    ],
  ];
  for (const [name, all, code, words] of cases) {
    test(name, async () => {
      answers(...all);
      await mustFail(idsOf(clientOf().virtualNumbers.iterate({ page_size: 2 })), code, words);
      assert.ok(asked.length < 20);
    });
  }

  test('rows that come and go while it is walked over are no fault', async () => {
    const changed = (number: number, total: number, link: string, etag: string) =>
      status(200, { ...JSON_HEADERS, etag, link: `</>; rel="first", ${link}` }, envelope(number, total));
    answers(
      changed(1, 50, next(2), '"1"'),
      changed(2, 8, next(3), '"2"'),
      changed(3, 6, '</>; rel="last"', '"3"'),
    );
    assert.equal((await idsOf(clientOf().virtualNumbers.iterate({ page_size: 2 }))).length, 6);
  });

  test('a link to elsewhere is not followed there', async () => {
    answers(
      page(1, 4, '<https://elsewhere.example/x?cursor=2&page_size=2>; title="a, b"; rel="prefetch next"'),
      page(2, 4, '</>; rel=first'),
    );
    assert.deepEqual(
      await idsOf(clientOf().virtualNumbers.list({ q: 'x', page: 1, page_size: 2 })),
      [1, 2, 3, 4],
    );
    assert.deepEqual(asked, [
      'GET /api/v1/did/me?q=x&page=1&page_size=2',
      'GET /api/v1/did/me?q=x&page_size=2&cursor=2',
    ]);
  });
});

describe('an export that is not whole is an error', () => {
  const csv = (count: number) => `id,did\r\n${'1,"two\r\nlines, ""quoted"""\r\n'.repeat(count)}`;
  const cases: readonly (readonly [string, Handler, 'ndjson' | 'csv', string, RegExp])[] = [
    ['cut', rows(5, lines(3), 'destroy'), 'ndjson', 'broken-off', /broke off/],
    ['ended early', rows(5, lines(3), 'end'), 'ndjson', 'broken-off', /3 of 5 rows/],
    ['ended in a row', rows(5, lines(5).slice(0, -3), 'end'), 'ndjson', 'broken-off', /4 of 5 rows/],
    [
      'ended before the last line end',
      rows(5, lines(5).slice(0, -1), 'end'),
      'ndjson',
      'broken-off',
      /4 of 5 rows/,
    ],
    ['with more rows than announced', rows(2, lines(3), 'end'), 'ndjson', 'broken-off', /3 of 2 rows/],
    ['stalled', rows(5, lines(3), 'hang'), 'ndjson', 'timeout', /0\.2 seconds/],
    ['CSV ended early', rows(5, csv(4), 'end', 'text/csv'), 'csv', 'broken-off', /4 of 5 rows/],
    ['CSV without its header', rows(0, '', 'end', 'text/csv'), 'csv', 'broken-off', /0 of 0 rows/],
    ['CSV cut', rows(5, csv(4), 'destroy', 'text/csv'), 'csv', 'broken-off', /broke off/],
  ];
  for (const [name, always, format, code, words] of cases) {
    test(name, async () => {
      answers(always);
      const { virtualNumbers } = clientOf({ timeout_ms: IMPATIENT_MS });
      const file = await virtualNumbers.export({}, { format });
      await mustFail(new Response(file.bytes()).text(), code, words);
      if (format === 'ndjson') await mustFail(idsOf(await virtualNumbers.export()), code, words);
    });
  }

  test('a whole one is none, quotes and line ends in its texts included', async () => {
    answers(rows(5, csv(5), 'end', 'text/csv'));
    const file = await clientOf().virtualNumbers.export({}, { format: 'csv' });
    assert.equal(await new Response(file.bytes()).text(), csv(5));
  });

  test('a row that is none is told', async () => {
    answers(rows(2, '{"id":1}\n<p>\n', 'end'));
    await mustFail(idsOf(await clientOf().virtualNumbers.export()), 'unexpected-answer', /not JSON/);
  });

  test('one that says not how many rows there are is refused', async () => {
    answers(status(200, { 'content-type': 'application/x-ndjson' }, lines(1)));
    await mustFail(clientOf().virtualNumbers.export(), 'unexpected-answer', /X-Total-Count/);
  });

  test('the time runs only while it is waited for', async () => {
    const many = 20_000;
    answers(rows(many, lines(many), 'end'));
    const export_ = await clientOf({ timeout_ms: IMPATIENT_MS }).virtualNumbers.export();
    await new Promise((resolve) => setTimeout(resolve, 2 * IMPATIENT_MS));
    let count = 0;
    for await (const _ of export_) {
      if (count++ === 10) await new Promise((resolve) => setTimeout(resolve, 2 * IMPATIENT_MS));
    }
    assert.equal(count, many);
  });
});

describe('an AbortSignal ends', () => {
  const reason = new Error('The user has left.');
  const abortIn = (ms: number) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), ms);
    return controller.signal;
  };
  const aborted = async (work: Promise<unknown>) => {
    const begun = performance.now();
    const { cause } = await mustFail(work, 'aborted');
    assert.equal(cause, reason);
    assert.ok(performance.now() - begun < AT_ONCE_MS);
  };

  test('what has not begun, without asking', async () => {
    answers(good);
    await aborted(clientOf().virtualNumbers.list({}, { signal: AbortSignal.abort(reason) }));
    assert.equal(asked.length, 0);
  });

  test('waiting for an answer', async () => {
    answers(hang);
    await aborted(clientOf().virtualNumbers.facets({}, { signal: abortIn(30) }));
    assert.equal(asked.length, 1);
  });

  test('waiting for the rest of a body', async () => {
    answers(stall);
    await aborted(clientOf().virtualNumbers.list({}, { signal: abortIn(30) }));
  });

  test('waiting to ask again', async () => {
    answers(status(503, { 'retry-after': '30' }));
    await aborted(clientOf().virtualNumbers.list({}, { signal: abortIn(30) }));
    assert.equal(asked.length, 1);
  });

  test('a walk, between two items', async () => {
    answers(good);
    const controller = new AbortController();
    const seen: number[] = [];
    const walk = async () => {
      for await (const { id } of clientOf().virtualNumbers.list({}, { signal: controller.signal })) {
        seen.push(id);
        if (id === 3) controller.abort(reason);
      }
    };
    await aborted(walk());
    assert.deepEqual(seen, [1, 2, 3]);
  });

  test('a walk, with a signal of the next page', async () => {
    answers(good, hang);
    const page = await clientOf().virtualNumbers.list();
    await aborted(page.nextPage({ signal: abortIn(30) }));
  });

  test('an export, in the middle of it', async () => {
    answers(rows(5, lines(3), 'hang'));
    const seen: number[] = [];
    await aborted(idsOf(await clientOf().virtualNumbers.export({}, { signal: abortIn(60) }), seen));
    assert.deepEqual(seen, [1, 2, 3]);
    const file = await clientOf().virtualNumbers.export({}, { signal: abortIn(60) });
    await aborted(new Response(file.bytes()).text());
  });

  test('even a `fetch` that does not heed it', async () => {
    const deaf = clientOf({ fetch: () => new Promise(() => {}) });
    await aborted(deaf.virtualNumbers.list({}, { signal: abortIn(30) }));
    const late = clientOf({ fetch: () => new Promise(() => {}), timeout_ms: 30, retries: 1 });
    await mustFail(late.virtualNumbers.list(), 'timeout');
  });

  test('many calls at once, and stays without listeners', async () => {
    answers(good);
    const warned: Error[] = [];
    const onWarning = (warning: Error) => warned.push(warning);
    process.on('warning', onWarning);
    const { signal } = new AbortController();
    const { virtualNumbers } = clientOf();
    await Promise.all(Array.from({ length: 40 }, () => virtualNumbers.list({}, { signal })));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    assert.deepEqual(warned, []);
  });
});

describe('the options', () => {
  const bad: readonly (readonly [string, Partial<ClientOptions>, RegExp])[] = [
    ['a url that is none', { url: 'linecard' }, /`url` must be an address/],
    ['a url of another kind', { url: 'ftp://linecard.example' }, /https:/],
    ['a url with a password', { url: 'https://me:secret@linecard.example' }, /must not hold a user name/],
    ['a url with a query', { url: 'https://linecard.example/?a=b' }, /query/],
    ['an empty token', { token: '' }, /`token`/],
    ['a token with its line end', { token: `${TOKEN}\n` }, /line end/],
    ['a token with its scheme', { token: `Bearer ${TOKEN}` }, /without `Bearer`/],
    ['no time', { timeout_ms: 0 }, /timeout_ms/],
    ['no number', { timeout_ms: Number.NaN }, /timeout_ms/],
    ['half a retry', { retries: 0.5 }, /retries/],
    ['a negative wait', { max_wait_ms: -1 }, /max_wait_ms/],
    ['a header that ends the line', { headers: { 'x-one': `a\r\nx-two: ${TOKEN}` } }, /HTTP does not allow/],
    ['a header that is the client’s', { headers: { Authorization: TOKEN } }, /authorization/],
  ];
  for (const [name, options, words] of bad) {
    test(`${name} is refused`, async () => {
      const { message } = await mustFail((async () => clientOf(options))(), 'invalid-option', words);
      assert.ok(!message.includes('secret'));
    });
  }

  test('what `fetch` throws is told without the token that it may repeat', async () => {
    const cause = Object.assign(new Error(`bad header: Bearer ${TOKEN}`), { code: 'ERR_BAD' });
    const failing = async () => {
      throw new TypeError(`fetch failed with ${TOKEN}`, { cause });
    };
    const told = await mustFail(clientOf({ fetch: failing }).virtualNumbers.list(), 'network', /ERR_BAD/);
    assert.match(inspect(told), /fetch failed with …/);
  });

  test('extra headers are sent along, and an id of one’s own for the request is kept', async () => {
    let sent: IncomingMessage['headers'] = {};
    answers((response, request, nth) => {
      sent = request.headers;
      status(500)(response, request, nth);
    });
    const headers = { 'X-Request-Id': 'mine', 'CF-Access-Client-Id': 'a' };
    const { request_id } = await mustFail(
      clientOf({ headers, retries: 0 }).virtualNumbers.list(),
      'internal',
    );
    assert.equal(request_id, 'mine');
    assert.equal(sent['cf-access-client-id'], 'a');
    assert.equal(sent['authorization'], `Bearer ${TOKEN}`);
  });
});
