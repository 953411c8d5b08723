// `linecard` before a server that is hostile or broken: it ends in good time, and nothing that the server
// says paints the terminal or reaches the shell as more than text.

import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ENVIRONMENT } from '../kit/environment.ts';
import { Faulty, type Handler, hang, JSON_HEADERS, status, TOKEN } from '../kit/faulty.ts';
import { CLI, type Ended, runProgram } from '../kit/program.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

/** Ample for a busy machine, and far less than a pattern that backtracks takes. */
const SOON_MS = 60_000;
const ESCAPES = '\u001b]0;owned\u0007\u001b[2J\u009b31m\r\u202e';
const CONTROLS = /[^\P{Cc}\n]|[\u2028-\u202e\u2066-\u2069]/u;

const item = {
  id: 7,
  did: `+44${ESCAPES}`,
  comment: ESCAPES,
  country: ESCAPES,
  country_code: ESCAPES,
  provider: ESCAPES,
  status: ESCAPES,
  subscription_status: ESCAPES,
  frequency: ESCAPES,
  activation: ESCAPES,
  monthly: ESCAPES,
  incoming: ESCAPES,
  created_at: ESCAPES,
  activated_at: ESCAPES,
  next_payment_at: ESCAPES,
  is_active_spam_check: ESCAPES,
  is_spammed: ESCAPES,
  spam_checked_at: ESCAPES,
};
const values = [
  { value: 'Thameswire', count: 3 },
  { value: '$(touch owned)', count: 2 },
  { value: ESCAPES, count: 1 },
];
const facets = {
  total: 6,
  currency: ESCAPES,
  sums: { [ESCAPES]: 1, monthly: 2 },
  due: { [ESCAPES]: { count: 1, monthly: 1 } },
  overdue: { count: 2, amount: 1.5, unknown: 1 },
  due_by_day: [{ day: ESCAPES, count: 3, amount: 4.5, unknown: 1 }],
  facets: {
    providers: { values, others: 0 },
    country_codes: { values: [{ value: 'DE', count: 6 }], others: 0 },
  },
};
const account = {
  id: ESCAPES,
  name: ESCAPES,
  currency: ESCAPES,
  virtual_numbers: 1,
  additional_services: 0,
  updated_at: ESCAPES,
  token: { id: ESCAPES, name: ESCAPES, expires_at: ESCAPES },
};
const page = { data: [item], page: 1, page_size: 10, total: 1, total_pages: 1 };

const json = (body: unknown): Handler => status(200, JSON_HEADERS, JSON.stringify(body));

/** Answers by its path, as Linecard would. */
const byPath = (bodies: {
  readonly facets: unknown;
  readonly account: unknown;
  readonly page: unknown;
}): Handler => {
  return (response, request, nth) => {
    const path = String(request.url).split('?')[0] ?? '';
    const which = path.endsWith('/account') ? 'account' : path.endsWith('/facets') ? 'facets' : 'page';
    const one = (bodies.page as typeof page).data[0];
    if (/\/\d+$/.test(path)) return json(one)(response, request, nth);
    if (request.headers.accept === 'application/x-ndjson') {
      response.writeHead(200, { 'content-type': 'application/x-ndjson', 'x-total-count': '1' });
      return response.end(`${JSON.stringify(one)}\n`);
    }
    return json(bodies[which])(response, request, nth);
  };
};
const hostile = byPath({ facets, account, page });

describe('linecard before a hostile server', () => {
  const faulty = new Faulty();
  const home = temporaryFolder();
  before(async () => {
    await faulty.open();
  });
  after(() => {
    faulty.close();
  });

  function environment(changes: Record<string, string>): Record<string, string> {
    return {
      ...ENVIRONMENT,
      HOME: home,
      XDG_CACHE_HOME: join(home, 'cache'),
      XDG_CONFIG_HOME: join(home, 'config'),
      TZ: 'UTC',
      LINECARD_URL: faulty.url,
      LINECARD_TOKEN: TOKEN,
      ...changes,
    };
  }

  async function soon<T>(words: readonly string[], run: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    const result = await run();
    assert.ok(performance.now() - begun < SOON_MS, words.join(' '));
    return result;
  }

  const linecard = (words: readonly string[], changes: Record<string, string> = {}) =>
    soon(words, () => runProgram(words, { main: CLI, cwd: home, env: environment(changes) }));

  /** In a process of its own, which must come to its end. */
  const alone = (words: readonly string[], changes: Record<string, string> = {}) =>
    soon(words, () => runProgram(words, { main: CLI, isAlone: true, cwd: home, env: environment(changes) }));

  const fault = (parameter: unknown, detail: unknown) => {
    const body = {
      type: 'urn:linecard:problem:invalid-parameter',
      detail: 'Faults.',
      errors: [{ parameter, detail }],
    };
    return status(400, { 'content-type': 'application/problem+json' }, JSON.stringify(body));
  };

  const NAMES: [parameter: unknown, detail: unknown, said: RegExp][] = [
    ['(a+)+b', `${'a'.repeat(60)}c`, /^linecard: a{60}c\n$/],
    ['[', 'An unclosed [ is no pattern.', /^linecard: An unclosed --\[ is no pattern\.\n$/],
    ['$&', 'What $& says.', /^linecard: What --\$& says\.\n$/],
    [
      'page_size',
      'page_size, not my_page_size or page_sizes.',
      /^linecard: --page-size, not my_page_size or page_sizes\.\n$/,
    ],
    ['a', 'a'.repeat(3_000_000), /^linecard: a{2000}…\n$/],
    ['x', ESCAPES, /^linecard: [^\p{Cc}]+\n$/u],
    [ESCAPES, `${ESCAPES} is wrong`, /is wrong\n$/],
  ];
  for (const [parameter, detail, said] of NAMES) {
    test(`a fault of a parameter named ${JSON.stringify(parameter)} is one sentence`, async () => {
      faulty.answers(fault(parameter, detail));
      const { status: code, out, err } = await linecard(['virtual-numbers', 'list']);
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, said);
      assert.doesNotMatch(err, CONTROLS);
    });
  }

  test('faults that are none, and far too many, do no harm', async () => {
    const errors = [
      null,
      7,
      { parameter: 1 },
      ...Array.from({ length: 50 }, () => ({ parameter: 'x', detail: 'No x.' })),
    ];
    const body = { type: 'urn:linecard:problem:invalid-parameter', detail: 'Faults.', errors };
    faulty.answers(status(400, { 'content-type': 'application/problem+json' }, JSON.stringify(body)));
    const { err } = await linecard(['virtual-numbers', 'list']);
    assert.equal(err, `linecard: ${'No --x.\n'.repeat(20)}And 30 more.\n`);
  });

  const COMMANDS = [
    ['virtual-numbers', 'list'],
    ['virtual-numbers', 'list', '--all'],
    ['virtual-numbers', 'list', '--columns', 'all'],
    ['virtual-numbers', 'get', '7'],
    ['virtual-numbers', 'facets'],
    ['whoami'],
  ];
  for (const words of COMMANDS) {
    test(`${words.join(' ')} shows texts as texts`, async () => {
      faulty.answers(hostile);
      const { out, err } = await linecard(words, { COLUMNS: '100' });
      assert.doesNotMatch(out + err, CONTROLS);
      assert.ok(out.includes('owned'), out + err);
    });

    test(`${words.join(' ')} refuses numbers that are texts`, async () => {
      faulty.answers(
        byPath({
          facets: { ...facets, total: ESCAPES },
          account: { ...account, virtual_numbers: ESCAPES },
          page: { ...page, total: ESCAPES, data: words[1] === 'get' ? ['x'] : page.data },
        }),
      );
      const { err } = await linecard(words);
      assert.doesNotMatch(err, CONTROLS);
      if (!words.includes('--all')) assert.match(err, /The answer is JSON, but not /);
    });
  }

  test('a problem without parameters, and its id, are one line of text', async () => {
    const body = { type: 'urn:linecard:problem:internal', detail: `Oh. ${ESCAPES}`, request_id: ESCAPES };
    const headers = { 'content-type': 'application/problem+json' };
    faulty.answers(status(507, headers, JSON.stringify(body)), status(404, headers, JSON.stringify(body)));
    const { err } = await alone(['virtual-numbers', 'list']);
    assert.match(err, /^linecard: Oh\./);
    assert.doesNotMatch(err, CONTROLS);
  });

  test('retries are reported, with the reason', async () => {
    faulty.answers(
      status(503, { 'retry-after': '1' }),
      byPath({ facets: { ...facets, sums: { monthly: 1 }, currency: 'EUR', due: {} }, account, page }),
    );
    const { status: code, out, err } = await alone(['virtual-numbers', 'facets', '--statuses', 'active']);
    assert.equal(code, 0);
    assert.match(err, /^linecard: .+ answered 503.+ Trying again in 2 s \(1 of 3\)\.\n$/);
    assert.match(out, /\nCharges of all 6: monthly 1 EUR\n/);
  });

  test('the reason of a retry is one line, and no longer than anybody reads', async () => {
    const detail = `Away.\nlinecard: Type your token. ${'y'.repeat(100_000)}`;
    const body = JSON.stringify({ type: 'urn:linecard:problem:unavailable', detail });
    const headers = { 'content-type': 'application/problem+json', 'retry-after': '1' };
    faulty.answers(status(503, headers, body), byPath({ facets, account, page }));
    const { status: code, err } = await alone(['virtual-numbers', 'facets']);
    assert.equal(code, 0);
    assert.match(
      err,
      /^linecard: Away\.␊linecard: Type your token\. y+… Trying again in 2 s \(1 of 3\)\.\n$/,
    );
    assert.ok(err.length < 3_000);
  });

  test('tables say the currency of the account', async () => {
    const one = { ...item, monthly: 2.25, created_at: '2026-01-01T00:00:00.000000Z' };
    faulty.answers(
      byPath({ facets, account: { ...account, currency: 'EUR' }, page: { ...page, data: [one] } }),
    );
    const columns = ['--columns', 'id,monthly'];
    assert.equal((await linecard(['virtual-numbers', 'list', ...columns])).err, '1 of 1. Charges are EUR.\n');
    assert.equal((await linecard(['virtual-numbers', 'get', '7', ...columns])).err, 'Charges are EUR.\n');
    assert.equal((await linecard(['virtual-numbers', 'list', '--columns', 'id'])).err, '1 of 1.\n');
  });

  describe('completion', () => {
    const complete = (option: string, changes = {}) =>
      alone(['complete', '--', 'virtual-numbers', 'list', option, ''], changes);
    const offers = ({ out }: Ended) => out.split('\n').map((line) => line.split('\t')[0]);

    test('asks for the values of the account once, and remembers them for the user alone', async () => {
      faulty.answers(hostile);
      const first = await complete('--providers');
      assert.deepEqual(offers(first), ['Thameswire', '$(touch owned)', '']);
      assert.deepEqual(faulty.requests, ['GET /api/v1/did/me/facets']);
      assert.equal((await complete('--providers')).out, first.out);
      assert.equal(faulty.requests.length, 1);
      const folder = join(home, 'cache', 'linecard', 'values');
      assert.equal(statSync(folder).mode & 0o777, 0o700);
      const files = readdirSync(folder);
      assert.equal(files.length, 1);
      for (const name of files) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
      assert.ok(!files.join().includes(TOKEN));
      await linecard(['logout']);
      assert.throws(() => readdirSync(folder));
    });

    test('offers country codes always, those of the account first', async () => {
      faulty.answers(hostile);
      const { out } = await complete('--country-codes');
      assert.ok(out.startsWith('DE\tGermany, 6\n'));
      assert.equal(out.trimEnd().split('\n').length, 250);
      const nobody = await complete('--country-codes', { LINECARD_TOKEN: '', LINECARD_URL: '' });
      assert.equal(nobody.out.trimEnd().split('\n').length, 250);
      assert.equal(nobody.err, '');
    });

    test('does not wait for a server that hangs, and does not ask it again at once', async () => {
      faulty.answers(hang);
      const changes = { XDG_CACHE_HOME: join(home, 'other-cache') };
      assert.equal((await complete('--statuses', changes)).err, '');
      assert.ok(offers(await complete('--statuses', changes)).includes('active'));
      assert.equal(faulty.requests.length, 1);
    });
  });
});
