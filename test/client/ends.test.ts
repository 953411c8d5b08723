// What ends a call of the client before its time: the AbortSignal of the caller, and options that are not
// usable.

import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import type { ClientOptions } from '@linecard/client';
import {
  Faulty,
  good,
  type Handler,
  hang,
  idsOf,
  lines,
  mustFail,
  rows,
  stall,
  status,
  TOKEN,
} from '../kit/faulty.ts';

/** Long enough for what was sent to arrive on a busy machine. */
const ABORT_AFTER_MS = 200;

const faulty = new Faulty();
before(() => faulty.open());
after(() => faulty.close());

test('an export whose bytes are given up before any was read ends its request', async () => {
  const closed = Promise.withResolvers<void>();
  faulty.answers((response, ...request) => {
    response.once('close', closed.resolve);
    return rows(5, lines(3), 'hang')(response, ...request);
  });
  const file = await faulty.client().virtualNumbers.export();
  await file.bytes().cancel();
  await closed.promise;
});

describe('an AbortSignal ends', () => {
  const reason = new Error('The user has left.');
  /** A signal that ends the call shortly after the server has answered as it does. */
  const leavingAt = (handler: Handler, ...beforeIt: Handler[]) => {
    const controller = new AbortController();
    faulty.answers(...beforeIt, (...request) => {
      handler(...request);
      setTimeout(() => controller.abort(reason), ABORT_AFTER_MS);
    });
    return controller.signal;
  };
  const aborted = async (work: Promise<unknown>) => {
    const { cause } = await mustFail(work, 'aborted');
    assert.equal(cause, reason);
  };

  test('what has not begun, without a request', async () => {
    faulty.answers(good);
    await aborted(faulty.client().virtualNumbers.list({}, { signal: AbortSignal.abort(reason) }));
    assert.equal(faulty.requests.length, 0);
  });

  test('waiting for an answer', async () => {
    const signal = leavingAt(hang);
    await aborted(faulty.client().virtualNumbers.facets({}, { signal }));
    assert.equal(faulty.requests.length, 1);
  });

  test('waiting for the rest of a body', async () => {
    const signal = leavingAt(stall);
    await aborted(faulty.client().virtualNumbers.list({}, { signal }));
  });

  test('waiting for the next attempt', async () => {
    const signal = leavingAt(status(503, { 'retry-after': '30' }));
    await aborted(faulty.client().virtualNumbers.list({}, { signal }));
    assert.equal(faulty.requests.length, 1);
  });

  test('a walk, between two items', async () => {
    faulty.answers(good);
    const controller = new AbortController();
    const seen: number[] = [];
    const walk = async () => {
      for await (const { id } of faulty.client().virtualNumbers.list({}, { signal: controller.signal })) {
        seen.push(id);
        if (id === 3) controller.abort(reason);
      }
    };
    await aborted(walk());
    assert.deepEqual(seen, [1, 2, 3]);
  });

  test('a walk, with a signal of the next page', async () => {
    const signal = leavingAt(hang, good);
    const page = await faulty.client().virtualNumbers.list();
    await aborted(page.nextPage({ signal }));
  });

  test('an export, in the middle of it', async () => {
    let signal = leavingAt(rows(5, lines(3), 'hang'));
    const seen: number[] = [];
    await aborted(idsOf(await faulty.client().virtualNumbers.export({}, { signal }), seen));
    assert.deepEqual(seen, [1, 2, 3]);
    signal = leavingAt(rows(5, lines(3), 'hang'));
    const file = await faulty.client().virtualNumbers.export({}, { signal });
    await aborted(new Response(file.bytes()).text());
  });

  test('even a `fetch` that ignores it', async () => {
    const signal = AbortSignal.timeout(ABORT_AFTER_MS);
    const deaf = faulty.client({ fetch: () => new Promise(() => {}) });
    await mustFail(deaf.virtualNumbers.list({}, { signal }), 'aborted');
    const late = faulty.client({ fetch: () => new Promise(() => {}), timeout_ms: 30, retries: 1 });
    await mustFail(late.virtualNumbers.list(), 'timeout');
  });

  test('many calls at once, and stays without listeners', async () => {
    faulty.answers(good);
    const warned: Error[] = [];
    const onWarning = (warning: Error) => warned.push(warning);
    process.on('warning', onWarning);
    const { signal } = new AbortController();
    const { virtualNumbers } = faulty.client();
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
      const { message } = await mustFail((async () => faulty.client(options))(), 'invalid-option', words);
      assert.ok(!message.includes('secret'));
    });
  }

  test('what `fetch` throws is reported without the token and the search that it may repeat', async () => {
    const cause = Object.assign(new Error(`bad header: Bearer ${TOKEN}`), { code: 'ERR_BAD' });
    const failing = async (address: string) => {
      throw new TypeError(`fetch of ${address} failed with ${TOKEN}`, { cause });
    };
    const { virtualNumbers } = faulty.client({ fetch: failing });
    const error = await mustFail(virtualNumbers.list({ q: 'secret' }), 'network', /ERR_BAD/);
    assert.match(inspect(error), /fetch of http:[^?]*\/me failed with …/);
  });

  test('extra headers are sent along, and an id of the caller’s own for the request stays', async () => {
    let sent: IncomingMessage['headers'] = {};
    faulty.answers((response, request, nth) => {
      sent = request.headers;
      status(500)(response, request, nth);
    });
    const headers = { 'X-Request-Id': 'mine', 'CF-Access-Client-Id': 'a' };
    const { request_id } = await mustFail(
      faulty.client({ headers, retries: 0 }).virtualNumbers.list(),
      'internal',
    );
    assert.equal(request_id, 'mine');
    assert.equal(sent['cf-access-client-id'], 'a');
    assert.equal(sent['authorization'], `Bearer ${TOKEN}`);
  });
});
