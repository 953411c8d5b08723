// The client among servers and networks that misbehave: it goes on, or fails with a problem that says why.
// What it gives is never a part that looks like the whole, and no error shows the token.

import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import type { VirtualNumbersWalk } from '../../api/lists/virtual-numbers.ts';
import {
  cutChunks,
  cutJson,
  drop,
  envelope,
  Faulty,
  good,
  type Handler,
  halfBody,
  hang,
  IMPATIENT_MS,
  idsOf,
  items,
  JSON_HEADERS,
  lines,
  mustFail,
  next,
  problem,
  rows,
  stall,
  status,
  TOKEN,
  waits,
} from '../kit/faulty.ts';

const faulty = new Faulty();
before(() => faulty.open());
after(() => faulty.close());

describe('what passes is tried again', () => {
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
      faulty.answers(passes, good, passes, passes, good, good);
      const client = faulty.client(waits.includes(passes) ? { timeout_ms: IMPATIENT_MS } : {});
      assert.deepEqual(await idsOf(client.virtualNumbers.iterate({ page_size: 2 })), [1, 2, 3, 4, 5]);
      assert.equal(faulty.requests.length, 6);
    });
  }

  const codes: readonly (readonly [Handler, string, RegExp])[] = [
    [drop, 'network', /^No answer from http/],
    [halfBody, 'broken-off', /broke off/],
    [cutChunks, 'broken-off', /broke off/],
    [cutJson, 'broken-off', /incomplete/],
    [hang, 'timeout', /0\.2 seconds/],
    [stall, 'timeout', /0\.2 seconds/],
    [problem(503, 'unavailable'), 'unavailable', /Said by the server/],
    [status(502), 'unavailable', /answered 502/],
    [status(429), 'rate-limited', /answered 429/],
    [status(599), 'unexpected-answer', /answered 599/],
  ];
  for (const [always, code, words] of codes) {
    test(`what stays ${code} is reported after three more attempts (${words.source})`, async () => {
      faulty.answers(always);
      const problem = await mustFail(
        faulty.client(waits.includes(always) ? { timeout_ms: IMPATIENT_MS } : {}).virtualNumbers.list(),
        code,
        words,
      );
      assert.equal(faulty.requests.length, 4);
      assert.ok(problem.request_id !== undefined);
    });
  }

  test('a walk over everything that is to begin elsewhere is refused, and nothing is requested', async () => {
    faulty.answers(good);
    for (const elsewhere of [{ page: 2 }, { cursor: 'x' }]) {
      const walk = faulty.client().virtualNumbers.iterate(elsewhere as VirtualNumbersWalk);
      await mustFail(
        idsOf(walk),
        'invalid-option',
        /^`iterate` walks over everything: leave `(page|cursor)` out/,
      );
    }
    assert.deepEqual(faulty.requests, []);
    const nowhere = { page: undefined } as VirtualNumbersWalk;
    assert.equal((await idsOf(faulty.client().virtualNumbers.iterate(nowhere))).length, 5);
  });

  test('`retries: 0` tries once', async () => {
    faulty.answers(drop);
    await mustFail(faulty.client({ retries: 0 }).additionalServices.facets(), 'network');
    assert.equal(faulty.requests.length, 1);
  });

  test('an export is begun again until it begins', async () => {
    faulty.answers(drop, status(503), rows(3, lines(3), 'end'));
    assert.deepEqual(await idsOf(await faulty.client().virtualNumbers.export()), [1, 2, 3]);
    assert.equal(faulty.requests.length, 3);
  });
});

describe('`Retry-After`', () => {
  test('is waited for, in seconds', async () => {
    faulty.answers(status(503, { 'retry-after': '1' }), good);
    const begun = performance.now();
    await faulty.client().virtualNumbers.list();
    assert.ok(performance.now() - begun >= 990);
  });

  for (const [name, retry_after, seconds] of [
    ['seconds', '3600', 3_600],
    ['a date', 'Fri, 20 Nov 2026 10:30:00 GMT', 3_600],
  ] as const) {
    test(`longer than \`max_wait_ms\` is reported at once, with the time (${name})`, async () => {
      faulty.answers(
        problem(429, 'rate-limited', { date: 'Fri, 20 Nov 2026 09:30:00 GMT', 'retry-after': retry_after }),
      );
      const error = await mustFail(
        faulty.client().virtualNumbers.list(),
        'rate-limited',
        /3600 seconds.*allows 60/,
      );
      assert.equal(error.retry_after, seconds);
      assert.equal(error.request_id, 'r-1');
      assert.equal(faulty.requests.length, 1);
    });
  }

  test('that is nonsense is no reason to stop, and is not reported', async () => {
    for (const nonsense of ['soon', '-5', '2.5']) {
      faulty.answers(status(503, { 'retry-after': nonsense }));
      const error = await mustFail(faulty.client({ retries: 0 }).virtualNumbers.list(), 'unavailable', /./);
      assert.equal(error.retry_after, undefined, nonsense);
    }
    faulty.answers(status(503, { 'retry-after': '-5' }), good);
    assert.equal((await faulty.client().virtualNumbers.list()).total, 5);
  });
});

describe('what does not pass is reported at once', () => {
  const lasting: readonly (readonly [string, Handler, string, RegExp])[] = [
    ['a problem', problem(400, 'invalid-cursor'), 'invalid-cursor', /Said by the server/],
    ['a problem that is not known yet', problem(402, 'unpaid'), 'unpaid', /Said by the server/],
    ['a path that is not Linecard’s', status(404), 'not-found', /perhaps `url` leads to something else/],
    ['a 501', status(501), 'unexpected-answer', /answered 501/],
    ['a 204', status(204, {}, ''), 'unexpected-answer', /answered 204/],
    ['a page of HTML', status(200, { 'content-type': 'text/html' }), 'unexpected-answer', /text\/html/],
    ['JSON that is no page', status(200, JSON_HEADERS, '{"data":[]}'), 'unexpected-answer', /not a page/],
    ['JSON null', status(200, JSON_HEADERS, 'null'), 'unexpected-answer', /not a page/],
    ['an answer to a condition that was not sent', status(304, {}, ''), 'unexpected-answer', /answered 304/],
    [
      'a token in the words of the server',
      problem(400, 'bad-request', {}, `What is ${TOKEN}?`),
      'bad-request',
      /What is …\?/,
    ],
  ];
  for (const [name, always, code, words] of lasting) {
    test(name, async () => {
      faulty.answers(always);
      await mustFail(faulty.client().virtualNumbers.list(), code, words);
      assert.equal(faulty.requests.length, 1);
    });
  }

  test('a redirect, wherever it leads, takes no token along', async () => {
    for (const code of [301, 302, 303, 307, 308]) {
      faulty.answers(status(code, { location: 'https://elsewhere.example/api?q=1' }), good);
      await mustFail(
        faulty.client().virtualNumbers.list(),
        'redirected',
        /to https:\/\/elsewhere\.example\/api,/,
      );
      assert.equal(faulty.requests.length, 1);
    }
    faulty.answers(status(302, { location: 'http://[' }));
    await mustFail(faulty.client().virtualNumbers.export(), 'redirected', /elsewhere/);
  });
});

describe('a list that does not come to its end as it should', () => {
  const page = (number: number, total: number, link: string, data?: unknown[]): Handler =>
    status(200, { ...JSON_HEADERS, ...(link !== '' && { link }) }, envelope(number, total, 2, data));

  const cases: readonly (readonly [string, readonly Handler[], string, RegExp])[] = [
    ['the same page again and again', [page(1, 50, next(2))], 'endless-list', /after page 1 comes page 1/],
    [
      'two pages in a circle',
      [page(1, 50, next(2)), page(2, 50, next(1)), page(1, 50, next(2))],
      'endless-list',
      /after page 2 comes page 1/,
    ],
    [
      'an empty page with another behind it',
      [page(1, 50, next(2)), page(2, 50, next(3), []), page(3, 50, next(4), [])],
      'endless-list',
      /after page 2/,
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
    [
      'an end before the total, where one page came compressed and one did not',
      [
        status(200, { ...JSON_HEADERS, etag: '"1-gzip"', link: next(2) }, envelope(1, 5)),
        status(200, { ...JSON_HEADERS, etag: 'W/"1"', link: '</>; rel="first"' }, envelope(2, 5)),
      ],
      'broken-off',
      /4 of 5 items/,
    ],
  ];
  for (const [name, all, code, words] of cases) {
    test(name, async () => {
      faulty.answers(...all);
      await mustFail(idsOf(faulty.client().virtualNumbers.iterate({ page_size: 2 })), code, words);
      assert.ok(faulty.requests.length < 20);
    });
  }

  test('rows that come and go while it is walked over are no fault', async () => {
    const changed = (number: number, total: number, link: string, etag: string) =>
      status(200, { ...JSON_HEADERS, etag, link: `</>; rel="first", ${link}` }, envelope(number, total));
    faulty.answers(
      changed(1, 50, next(2), '"1"'),
      changed(2, 8, next(3), '"2"'),
      changed(3, 6, '</>; rel="last"', '"3"'),
    );
    assert.equal((await idsOf(faulty.client().virtualNumbers.iterate({ page_size: 2 }))).length, 6);
  });

  test('a link to elsewhere is not followed there', async () => {
    faulty.answers(
      page(1, 4, '<https://elsewhere.example/x?cursor=2&page_size=2>; title="a, b"; rel="prefetch next"'),
      page(2, 4, '</>; rel=first'),
    );
    assert.deepEqual(
      await idsOf(faulty.client().virtualNumbers.list({ q: 'x', page: 1, page_size: 2 })),
      [1, 2, 3, 4],
    );
    assert.deepEqual(faulty.requests, [
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
      faulty.answers(always);
      const { virtualNumbers } = faulty.client(code === 'timeout' ? { timeout_ms: IMPATIENT_MS } : {});
      const file = await virtualNumbers.export({}, { format });
      await mustFail(new Response(file.bytes()).text(), code, words);
      if (format === 'ndjson') await mustFail(idsOf(await virtualNumbers.export()), code, words);
    });
  }

  test('a whole one is none, quotes and line ends in its texts included', async () => {
    faulty.answers(rows(5, csv(5), 'end', 'text/csv'));
    const file = await faulty.client().virtualNumbers.export({}, { format: 'csv' });
    assert.equal(await new Response(file.bytes()).text(), csv(5));
  });

  test('a row that is none is reported', async () => {
    faulty.answers(rows(2, '{"id":1}\n<p>\n', 'end'));
    await mustFail(idsOf(await faulty.client().virtualNumbers.export()), 'unexpected-answer', /not JSON/);
  });

  test('one that says not how many rows there are is refused', async () => {
    faulty.answers(status(200, { 'content-type': 'application/x-ndjson' }, lines(1)));
    await mustFail(faulty.client().virtualNumbers.export(), 'unexpected-answer', /X-Total-Count/);
  });

  test('the time runs only while it is waited for', async () => {
    const many = 20_000;
    // On a connection of its own: the timer of one that was idle cannot be cleared while others are in place.
    const own = new Faulty();
    await own.open();
    own.answers(rows(many, lines(many), 'end'));
    // Only the time of these timers passes, and only here: a busy machine takes none of it.
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const export_ = await own.client({ timeout_ms: IMPATIENT_MS }).virtualNumbers.export();
      mock.timers.tick(2 * IMPATIENT_MS);
      let count = 0;
      for await (const _ of export_) if (count++ % 1_000 === 10) mock.timers.tick(2 * IMPATIENT_MS);
      assert.equal(count, many);
    } finally {
      mock.timers.reset();
      own.close();
    }
  });
});
