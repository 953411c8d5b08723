// `linecard` as a customer meets it, with a real service: what it prints where, and its exit status.

import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readSpan } from '../../api/agent/times.ts';
import { allCommands } from '../../cli/commands.ts';
import { demoAccounts, resolveTime } from '../../server/demo/demo.ts';
import { newId } from '../../server/store/log/audit.ts';
import { recordAttempt } from '../../server/store/webhooks/webhook-records.ts';
import { type Customer, number, openCustomer, rows } from '../kit/customer.ts';
import type { Ended } from '../kit/program.ts';
import { load } from '../kit/service.ts';
import { Webhooks } from '../kit/webhooks.ts';
import { writtenForms } from '../kit/written-forms.ts';

const NOBODY = { LINECARD_URL: undefined, LINECARD_TOKEN: undefined };

/** Done, without a word on standard error unless it is given. */
function assertDone({ status, err }: Ended, said: RegExp | '' = ''): void {
  if (said === '') assert.equal(err, '');
  else assert.match(err, said);
  assert.equal(status, 0);
}

describe('linecard', () => {
  let customer: Customer;
  before(async () => {
    customer = await openCustomer();
  });
  after(() => customer.close());

  const linecard: Customer['linecard'] = (words, run) => customer.linecard(words, run);
  const ask = async (url: string, accept: string) =>
    (await customer.service.ask('harbour-dental', url, { accept })).body;

  test('says and returns the same in a process of its own as together with other runs', async () => {
    const runs = [
      ['virtual-numbers', 'list', '--output', 'csv'],
      ['virtual-numbers', 'list', '--ids', '501'],
      ['additional-services', 'facets'],
      ['virtual-numbers', 'get', '41007'],
      ['virtual-numbers', 'lsit'],
      ['whoami', '--help'],
    ];
    await Promise.all(
      runs.map(async (words) => {
        assert.deepEqual(await customer.alone(words), await linecard(words), words.join(' '));
      }),
    );
  });

  test('every command has help with examples, on standard output', async () => {
    const every = [[], ['virtual-numbers'], ...allCommands().map(({ words }) => [...words])];
    for (const words of every) {
      const { out, ...rest } = await linecard([...words, '--help'], { environment: NOBODY });
      assertDone({ out, ...rest });
      assert.match(out, /^Usage: linecard/);
      if (words.length !== 1 || words[0] !== 'virtual-numbers')
        assert.match(out, /\n {2}\$ linecard /, words.join(' '));
    }
  });

  test('the help alone finds the numbers in Germany that fall due this week', async () => {
    const { out: help } = await linecard(['virtual-numbers', 'list', '--help']);
    const [, words = ''] = /Germany that fall due this week\n {2}\$ linecard (.+)\n/.exec(help) ?? [];
    const today = new Date();
    today.setUTCHours(12, 0, 0, 0);
    const at = (days: number) =>
      `${new Date(today.getTime() + days * 86_400_000).toISOString().slice(0, 19)}.000000Z`;
    const weekday = (today.getUTCDay() + 6) % 7;
    const due = await openCustomer({
      virtual_numbers: [
        number(1, '+4930111', { next_payment_at: at(-weekday) }),
        number(2, '+4930222', { next_payment_at: at(6 - weekday) }),
        number(3, '+4930333', { next_payment_at: at(7 - weekday) }),
        number(4, '+4930444', { next_payment_at: at(-weekday - 1) }),
        number(5, '+4420555', { next_payment_at: at(0) }),
      ],
    });
    try {
      const typed = [...words.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
      const { out } = await due.linecard([...typed, '--output', 'csv', '--columns', 'did']);
      assert.equal(out, 'did\r\n+4930111\r\n+4930222\r\n');
    } finally {
      await due.close();
    }
  });

  test('the lead example of the help finds something in each account of the demo, whatever the day', async () => {
    const { out: help } = await linecard(['--help'], { environment: NOBODY });
    const [, code = '', span = ''] = /--country-codes ([A-Z]{2}) --next-payment "(.+)"\n/.exec(help) ?? [];
    const path = new URL('../../server/demo/virtual-numbers.ndjson', import.meta.url);
    const numbers = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const { id } of demoAccounts()) {
      const here = numbers.filter((row) => row.account_id === id && row.country_code === code);
      for (let today = Date.UTC(2026, 10, 16, 12); today < Date.UTC(2026, 10, 23); today += 86_400_000) {
        const { from = '9', to = '0' } = readSpan(span, today) ?? {};
        const due = here.flatMap(({ next_payment_at: at }) =>
          at === undefined ? [] : resolveTime(at, today),
        );
        assert.ok(
          due.some((day) => day.slice(0, 10) >= from && day.slice(0, 10) <= to),
          `${id} ${today}`,
        );
      }
    }
  });

  test('a page is never taken for the list', async () => {
    for (const output of ['table', 'json', 'ndjson', 'csv']) {
      const { err } = await linecard(['virtual-numbers', 'list', '--page-size', '2', '--output', output]);
      assert.match(err, /^2 of 7, --all for the rest\./, output);
    }
    const second = await linecard([
      'virtual-numbers',
      'list',
      '--page-size',
      '3',
      '--page',
      '2',
      '--output',
      'json',
    ]);
    assert.equal(second.err, '4 to 6 of 7, --all for the rest.\n');
    const past = await linecard(['virtual-numbers', 'list', '--page', '9']);
    assert.deepEqual([past.out, past.err, past.status], ['', 'Page 9 is empty: there are 7 on 1 page.\n', 0]);
    const none = await linecard(['virtual-numbers', 'list', '--q', 'nobody']);
    assert.deepEqual([none.out, none.err, none.status], ['', 'No virtual numbers match.\n', 0]);
  });

  test('results are the items and nothing else, in every form, as the API answers them', async () => {
    const page = JSON.parse(await ask('/api/v1/did/me', 'application/json'));
    const json = await linecard(['virtual-numbers', 'list', '--output', 'json']);
    assertDone(json);
    assert.deepEqual(JSON.parse(json.out), page.data);
    for (const all of [[], ['--all']]) {
      const ndjson = await linecard(['virtual-numbers', 'list', '--output', 'ndjson', ...all]);
      assert.equal(ndjson.out, await ask('/api/v1/did/me', 'application/x-ndjson'));
      const csv = await linecard(['virtual-numbers', 'list', '--output', 'csv', ...all]);
      assert.equal(csv.out, await ask('/api/v1/did/me', 'text/csv'));
    }
    const nothing = await linecard(['virtual-numbers', 'list', '--q', 'nobody', '--output', 'json', '--all']);
    assert.equal(nothing.out, '[]\n');
  });

  test('options become the query, as the help says', async () => {
    const words = [
      '--country-codes',
      'DE',
      '--country-codes',
      'GB,FR',
      '--no-is-spammed',
      '--statuses',
      'active',
    ];
    const more = [
      '--next-payment-before',
      '2026',
      '--sort-by',
      'monthly',
      '--sort-order',
      'desc',
      '--columns',
      'id',
    ];
    const { out } = await linecard(['virtual-numbers', 'list', ...words, ...more, '--output', 'csv']);
    assert.equal(out, 'id\r\n504\r\n505\r\n501\r\n');
    const spam = await linecard([
      'virtual-numbers',
      'list',
      '--is-spammed',
      '--columns',
      'id',
      '--output',
      'csv',
    ]);
    assert.equal(spam.out, 'id\r\n502\r\n');
    const said = await linecard([
      'virtual-numbers',
      'list',
      '--is-spammed',
      'true',
      '--columns',
      'id',
      '--output',
      'csv',
    ]);
    assert.equal(said.out, spam.out);
  });

  test('a table in a pipe shows everything, a table on a line what fits', async () => {
    const wide = await linecard(['virtual-numbers', 'list', '--ids', '501']);
    assertDone(wide, /^1 of 1\. Times are UTC\.\n$/);
    assert.match(wide.out, /^ ID {2}DID .+SPAM_CHECKED_AT\n501 .+2025-11-19 03:12\n$/);
    const narrow = await linecard(['virtual-numbers', 'list', '--ids', '501'], {
      environment: { COLUMNS: '44', TZ: 'Asia/Tokyo' },
    });
    assert.equal(
      narrow.out,
      'DID            COUNTRY_CODE  STATUS  MONTHLY\n+442079460018  GB            active     2.25\n',
    );
    assert.equal(narrow.err, '1 of 1. 14 more columns with --columns all.\n');
    const tokyo = await linecard(
      ['virtual-numbers', 'list', '--ids', '501', '--columns', 'next_payment_at'],
      {
        environment: { TZ: 'Asia/Tokyo' },
      },
    );
    assert.equal(tokyo.out, 'NEXT_PAYMENT_AT\n2025-12-01\n');
    assert.equal(tokyo.err, '1 of 1.\n');
  });

  test('a due date is that date in every zone, as in the CSV; a time is that of the machine', async () => {
    for (const TZ of ['America/Los_Angeles', 'Asia/Tokyo', 'UTC']) {
      const columns = ['--columns', 'next_payment_at,spam_checked_at'];
      const { out, err } = await linecard(['virtual-numbers', 'list', '--ids', '501', ...columns], {
        environment: { TZ },
      });
      assert.match(out, /\n2025-12-01 {7,}2025-11-1[89] \d\d:12\n$/, TZ);
      assert.equal(err, `1 of 1. Times are ${TZ}.\n`);
    }
  });

  test('facets are shown, or passed on as they are', async () => {
    const json = await linecard(['additional-services', 'facets', '--output', 'json']);
    assertDone(json);
    assert.deepEqual(
      JSON.parse(json.out),
      JSON.parse(await ask('/api/v1/services/additional/facets', 'application/json')),
    );
    const table = await linecard(['additional-services', 'facets']);
    assertDone(table);
    assert.match(
      table.out,
      /^2 additional services\nCharges of all 2, whatever their status: activation 14\.9, monthly 4\.5\n/,
    );
    assert.match(table.out, /\n--subscription-statuses {2}active +2\n$/);
    const active = await linecard(['additional-services', 'facets', '--subscription-statuses', 'active']);
    assert.match(active.out, /\nCharges of all 2: activation 14\.9, monthly 4\.5\n/);
  });

  test('faults are reported by the name of the option, all at once, with status 2', async () => {
    const { status, out, err } = await linecard([
      'virtual-numbers',
      'list',
      '--country-codes',
      'de',
      '--page-size',
      '0',
      '--sort-by',
      'prise',
    ]);
    assert.deepEqual([status, out], [2, '']);
    const lines = err.split('\n');
    assert.match(
      lines[0] ?? '',
      /^linecard: Each value of --country-codes must be .+ was "de"; did you mean `DE`\?$/,
    );
    assert.match(lines[1] ?? '', /^--sort-by must be one of _default, id, /);
    assert.match(lines[2] ?? '', /^--page-size must be an integer from 1 to 1000, but was "0"\.$/);
  });

  test('an option is searched for where that is said', async () => {
    const { status, err } = await customer.linecard(['virtual-numbers', 'list', '--q=--page-size']);
    assert.deepEqual([status, err], [0, 'No virtual numbers match.\n']);
  });

  const WRONG: [words: string[], said: RegExp][] = [
    [
      ['virtual-numbers', 'list', '--country-code', 'DE'],
      /^linecard: There is no option --country-code; did you mean --country-codes\?\nRun it with --help/,
    ],
    [
      ['virtual-numbers', 'list', '--q', '--page-size', '1'],
      /^linecard: --q needs a value, and --page-size follows, which is an option\. To give --q that value, write --q=--page-size\.\n$/,
    ],
    [
      ['additional-services', 'export', '--q', '--file=x.csv'],
      /^linecard: --q needs a value, and --file follows,/,
    ],
    ...[
      ['--not-statuses', '--statuses-exclude'],
      ['--no-statuses', '--statuses-exclude'],
      ['--exclude-country', '--country-codes-exclude'],
    ].map(([flag = '', meant]): [words: string[], said: RegExp] => [
      ['virtual-numbers', 'list', flag, 'active'],
      new RegExp(`^linecard: There is no option ${flag}; did you mean ${meant}\\?\n`),
    ]),
    [
      ['virtual-numbers', 'list', '--statuses!=active'],
      /^linecard: There is no option --statuses!=active; did you mean --statuses-exclude\?\n/,
    ],
    [
      ['virtual-numbers', 'list', '--no-spammed'],
      /^linecard: There is no option --no-spammed; did you mean --no-is-spammed\?\n/,
    ],
    [
      ['virtual-numbers', 'list', '--activated-until', '2026'],
      /^linecard: There is no option --activated-until; did you mean --activated-to\?\n/,
    ],
    [
      ['virtual-numbers', 'list', '--sort-by=-monthly'],
      /: the direction is in `sort_order`: `monthly` with `desc`\.$/m,
    ],
    [['virtual-numbers', 'lsit'], /^linecard: There is no command lsit; did you mean list\?\n/],
    [
      ['list', '--country-codes', 'DE'],
      /^linecard: There is no command list; did you mean virtual-numbers list, additional-services list or accounts list\?\n/,
    ],
    [
      ['help', 'facets'],
      /^linecard: There is no command facets; did you mean virtual-numbers facets or additional-services facets\?\n/,
    ],
    [
      ['virtual-numbers', 'export', 'out.csv'],
      /^linecard: too many arguments .+: out\.csv\.\nA value follows its option, such as --file virtual-numbers\.xlsx\.\nRun it with --help/,
    ],
    [['whoami', 'C7'], /\nA value follows its option, such as --output <format>\.\nRun it with --help/],
    [['logout', 'now'], /^linecard: too many arguments .+: now\.\nRun it with --help/],
    [
      ['virtual-number', 'list'],
      /^linecard: There is no command virtual-number; did you mean virtual-numbers\?\n/,
    ],
    [
      ['help', 'virtual-numbers', 'lsit'],
      /^linecard: There is no command virtual-numbers lsit; did you mean list\?\n/,
    ],
    [['virtual-numbers', 'get'], /^linecard: missing required argument 'id-or-number'\nRun it with --help/],
    [
      ['virtual-numbers', 'get', 'desk'],
      /^linecard: The id must be an integer from 1 to 9007199254740991, or a telephone number such as \+442079460018, but was "desk"\.\n/,
    ],
    [
      ['virtual-numbers', 'get', '442079460018.0'],
      /^linecard: The id must be .+, but was "442079460018\.0": it looks like a decimal\. Give the digits of the number alone/,
    ],
    [
      ['additional-services', 'get', '+44'],
      /^linecard: The id must be an integer from 1 to 9007199254740991, but was "\+44"\.\n/,
    ],
    [
      ['virtual-numbers', 'export', '--file', 'numbers.pdf'],
      /^linecard: --file "numbers\.pdf" does not say what to write/,
    ],
    [
      ['virtual-numbers', 'list', '--output', 'jsno'],
      /^linecard: --output must be one of .+; did you mean json\?/,
    ],
    [
      ['virtual-numbers', 'list', '--columns', 'ddi'],
      /there is no ddi; did you mean did\?\nThere are id, did, /,
    ],
    [
      ['virtual-numbers', 'list', '--all', '--page', '2'],
      /^linecard: --page cannot be combined with --all\.$/m,
    ],
    [['virtual-numbers', 'list', '--page', '1', '--page', '2'], /^linecard: --page must be given once/],
    [
      ['virtual-numbers', 'list', '--next-payment', 'soon'],
      /^linecard: --next-payment must be a day, .+ was "soon"\.$/m,
    ],
    [['virtual-numbers', 'export', '--output', 'json'], /^linecard: --output must be one of csv, ndjson/],
    [['completion', 'tcsh'], /^linecard: The shell must be one of bash, zsh, fish/],
    [[], /^Usage: linecard/],
  ];
  for (const [words, said] of WRONG) {
    test(`wrong usage: linecard ${words.join(' ')}`, async () => {
      const { status, out, err } = await linecard(words);
      assert.match(err, said);
      assert.deepEqual([status, out], [2, '']);
    });
  }

  const TRIED: Readonly<Record<string, string>> = {
    '--country': '--country-codes',
    '--limit': '--page-size',
    '--per-page': '--page-size',
    '--search': '--q',
    '--format': '--output',
    '--json': '--output json',
    '--order': '--sort-order',
    '--offset': '--page',
    '--fields': '--columns',
    '--spammed': '--is-spammed',
  };
  for (const [flag, meant] of Object.entries(TRIED)) {
    test(`${flag} suggests ${meant}`, async () => {
      const { status, out, err } = await linecard(['virtual-numbers', 'list', flag, '5'], {
        environment: NOBODY,
      });
      assert.deepEqual([status, out], [2, '']);
      assert.ok(err.startsWith(`linecard: There is no option ${flag}; did you mean ${meant}?\n`), err);
    });
  }

  test('`help` in front of a command, or behind its list, is its help', async () => {
    const commands = [[], ['virtual-numbers'], ['virtual-numbers', 'list'], ['whoami']];
    for (const words of commands) {
      const { out, status } = await linecard(['help', ...words], { environment: NOBODY });
      assert.equal(status, 0);
      assert.equal(out, (await linecard([...words, '--help'], { environment: NOBODY })).out);
    }
    const behind = await linecard(['virtual-numbers', 'help', 'list'], { environment: NOBODY });
    assert.match(behind.out, /^Usage: linecard virtual-numbers list/);
  });

  test('help breaks at words on a narrow line', async () => {
    const words = (text: string) => text.replaceAll(/ \\$/gm, '').match(/\S+/g)?.toSorted();
    const wide = await linecard(['virtual-numbers', 'list', '--help'], { environment: NOBODY });
    for (const COLUMNS of ['44', '60']) {
      const environment = { ...NOBODY, COLUMNS };
      const { out } = await linecard(['virtual-numbers', 'list', '--help'], { environment });
      for (const line of out.split('\n')) {
        const isOneWord = line.trim().split(/\s+/).length === 1;
        assert.ok(line.length <= Number(COLUMNS) || isOneWord, line);
      }
      assert.deepEqual(words(out), words(wide.out));
    }
  });

  test('facets show what falls due by day and the charges of each value', async () => {
    const { out } = await linecard(['virtual-numbers', 'facets', '--due-days', '60', '--charges']);
    assert.match(out, /^Overdue before today: \d+ for [\d.]+$/m);
    assert.match(out, /^OPTION +VALUE +COUNT +MONTHLY\n--frequencies +\S+ +\d+ +[\d.]+$/m);
    const { status, err } = await linecard(['virtual-numbers', 'facets', '--due-days', '367']);
    assert.equal(status, 2);
    assert.match(err, /--due-days must be an integer from 1 to 366/);
  });

  test('facets break at words on a narrow line', async () => {
    const wide = await linecard(['virtual-numbers', 'facets']);
    const { out } = await linecard(['virtual-numbers', 'facets'], { environment: { COLUMNS: '34' } });
    for (const line of out.split('\n')) assert.ok(line.length <= 34, line);
    const words = (text: string) => text.match(/[\w-]+/g)?.toSorted();
    assert.deepEqual(words(out), words(wide.out));
  });

  test('shows the webhooks of the account, and the last attempts of one', async (t) => {
    const own = await openCustomer({ virtual_numbers: [], additional_services: [] });
    t.after(() => own.close());
    const settings = { maxWebhooks: 5, allow: [], keys: () => [Buffer.alloc(32)] };
    const webhooks = new Webhooks(own.service.operator, settings, { origin: 'command', actor: 'me' });
    const { id, account_id } = await webhooks.create('harbour-dental', {
      url: 'https://crm.example.com/hook',
      name: 'CRM',
    });
    const empty = await own.linecard(['webhooks', id]);
    assert.deepEqual([empty.status, empty.out], [0, '']);
    assert.match(empty.err, /^0 attempts of CRM \(https:\/\/crm\.example\.com\), active: added/);
    for (let n = 1; n <= 5; n++) {
      const about = { id: newId(), webhook_id: id, account_id, message_id: `msg_${n}`, type: 'webhook.test' };
      const outcome = { at: '2026-11-21T03:12:47.190000Z', status: 204, fault: null, ms: n, next_at: null };
      await own.service.operator.write(...recordAttempt({ ...about, ...outcome }));
    }
    const list = await own.linecard(['webhooks']);
    assert.match(list.out, new RegExp(`^ID .*\n${id} +CRM`));
    assert.match(list.err, /The attempts of one: linecard webhooks ID\./);
    const listed = JSON.parse((await own.linecard(['webhooks', '--output', 'json'])).out);
    assert.equal(listed[0].attempts.length, 3);
    const one = await own.linecard(['webhooks', id]);
    assert.match(one.out, /^AT +TYPE +STATUS +FAULT +MS .*\n2026-11-21 03:12 +webhook\.test +204 /);
    assert.equal(one.out.trim().split('\n').length, 6);
    const whole = JSON.parse((await own.linecard(['webhooks', id, '--output', 'json'])).out);
    assert.deepEqual([whole.id, whole.attempts.length], [id, 5]);
    const none = await own.linecard(['webhooks', 'unknown']);
    assert.deepEqual([none.status, none.out], [1, '']);
    assert.match(none.err, /There is no such webhook on this account/);
  });

  describe('one item', () => {
    test('a line to each field, or the item as the API answers it', async () => {
      const { status, out, err } = await linecard(['virtual-numbers', 'get', '504']);
      assert.deepEqual([status, err], [0, 'Times are UTC.\n']);
      assert.match(out, /^ID {2,}504\nDID {2,}\+493023125010\nCOMMENT {2,}Praxis Müller, 2\. Stock\n/);
      assert.match(out, /\nNEXT_PAYMENT_AT {2,}2025-12-05\n/);
      const json = await linecard(['virtual-numbers', 'get', '504', '--output', 'json']);
      assertDone(json);
      assert.equal(json.out, `${await ask('/api/v1/did/me/504', 'application/json')}\n`);
      const few = await linecard(['additional-services', 'get', '71', '--columns', 'title,monthly']);
      assert.equal(few.out, 'TITLE    VPN access\nMONTHLY  4.5\n');
    });

    test('one that is not there is a failure in a sentence', async () => {
      const { status, out, err } = await linecard(['virtual-numbers', 'get', '41007']);
      assert.deepEqual([status, out], [1, '']);
      assert.match(
        err,
        /^linecard: No virtual number of this account has the id or the number 41007\. .+--q "41007"`\.\n$/,
      );
      const service = await linecard(['additional-services', 'get', '41007']);
      assert.match(service.err, /^linecard: There is no such additional service on this account\.\n$/);
    });

    test('is listed with all others of the same number', async (t) => {
      const spellings = ['+442079460018', '+44 (0)20 7946 0018'];
      const twice = await openCustomer({
        virtual_numbers: spellings.map((did, i) => number(i + 1, did)),
        additional_services: [],
      });
      t.after(() => twice.close());
      const words = ['virtual-numbers', 'get', '0044 20 7946 0018', '--columns', 'id,did'];
      const { out } = await twice.linecard(words);
      assert.equal(out, 'ID   1\nDID  +442079460018\n\nID   2\nDID  +44 (0)20 7946 0018\n');
      const json = await twice.linecard([...words, '--output', 'json']);
      assert.equal(json.out, spellings.map((did, i) => `${JSON.stringify({ id: i + 1, did })}\n`).join(''));
    });

    test('is found by its telephone number, however that is written', async () => {
      const body = `${await ask('/api/v1/did/me/504', 'application/json')}
`;
      for (const spelling of [
        ['+493023125010'],
        ['493023125010'],
        ['0049 30 23125010'],
        ['+49', '(0)30', '2312–5010'],
        ['tel:+49-30-23125010'],
      ]) {
        const found = await linecard(['virtual-numbers', 'get', ...spelling, '--output', 'json']);
        assert.deepEqual([found.status, found.out], [0, body], spelling.join(' '));
      }
      const none = await linecard(['virtual-numbers', 'get', '+49 30 2312501']);
      assert.deepEqual([none.status, none.out], [1, '']);
      assert.match(
        none.err,
        /^linecard: No virtual number of this account has the number "\+49 30 2312501"\. /,
      );
    });
  });

  test('activity shows what has happened since a time, as a table and as it is', async () => {
    const { status, out, err } = await linecard([
      'activity',
      '--since',
      'yesterday',
      '--lists',
      'virtual-numbers',
    ]);
    assert.equal(status, 0, err);
    assert.match(out, /^AT +LIST +EVENT +COUNT +IDS\n\S+ \S+ +virtual_numbers +replaced +7\n$/);
    assert.match(err, /^Complete since .+\./);
    const narrow = await linecard(['activity'], { environment: { COLUMNS: '30' } });
    // There is no --columns here.
    assert.match(narrow.err, / 3 more columns with --output json\.\n$/);
    const json = await linecard(['activity', '--output', 'json']);
    const { data } = JSON.parse(await ask('/api/v1/activity', 'application/json'));
    assert.deepEqual(JSON.parse(json.out), data);
    const ago = await linecard(['activity', '--since', '7d', '--output', 'json']);
    assert.equal(ago.out, json.out);
    const likeLists = await linecard(['activity', 'list', '--output', 'json']);
    assert.deepEqual([likeLists.out, likeLists.status], [json.out, 0]);
    const other = await linecard(['activity', 'get']);
    assert.equal(other.status, 2);
    assert.match(other.err, /There is no command activity get\. Write `linecard activity`/);
    const future = await linecard(['activity', '--since', 'tomorrow']);
    assert.equal(future.status, 2);
    assert.match(future.err, /--since must not be in the future, but was "tomorrow"\./);
  });

  test('activity shows what a charge and a status were and became', async () => {
    const other = await openCustomer();
    try {
      const changed = { monthly: '2.75', incoming: '0', subscription_status: 'disabled', is_spammed: true };
      await load(other.service.operator, 'virtual_numbers', [
        { ...rows.virtual_numbers[0], ...changed },
        { ...rows.virtual_numbers[2], status: '' },
      ]);
      const { out } = await other.linecard(['activity', '--lists', 'virtual-numbers'], {
        environment: { COLUMNS: '200' },
      });
      assert.match(out, /charges_changed +1 +501 \(monthly 2\.25 → 2\.75, incoming 0\.0059 → 0\)\n/);
      assert.match(out, /spam_flagged +1 +501\n/);
      assert.match(out, /status_changed +1 +503 \(status configuration_awaiting → -\)\n/);
      assert.match(out, /subscription_changed +1 +501 \(subscription_status active → disabled\)\n/);
    } finally {
      await other.close();
    }
  });

  test('whoami says whose token it is and what there is', async () => {
    const { status, out, err } = await linecard(['whoami']);
    assert.deepEqual([status, err], [0, '']);
    assert.match(
      out,
      /^Server {2,}http:\/\/127\.0\.0\.1:\d+\nAccount {2,}harbour-dental\nCurrency {2,}not set\n/,
    );
    assert.match(out, /\nVirtual numbers {2,}7\nAdditional services {2,}2\n/);
    assert.match(out, /\nToken {2,}test \(.+\)\nToken ends {2,}never\n$/);
    assert.ok(!out.includes(customer.token));
    const json = await linecard(['whoami', '--output', 'json']);
    assert.deepEqual(JSON.parse(json.out), JSON.parse(await ask('/api/v1/account', 'application/json')));
  });

  describe('signing in', () => {
    const config = () => join(customer.home, 'config', 'linecard', 'config.json');
    const login = (input: string, environment = {}) =>
      linecard(['login', '--url', customer.url], { environment: { ...NOBODY, ...environment }, input });

    test('without a sign-in, the message says how', async () => {
      const { status, err } = await linecard(['whoami'], {
        environment: { ...NOBODY, XDG_CONFIG_HOME: '/nowhere' },
      });
      assert.equal(status, 1);
      assert.equal(
        err,
        'linecard: You are not signed in. Sign in with `linecard login`, or set LINECARD_URL and LINECARD_TOKEN.\n',
      );
    });

    test('URL and token are stored for the user alone, and serve until the user signs out', async () => {
      const done = await login(`${customer.token}\n`);
      assertDone(
        done,
        /^Signed in at http:\/\/127\.0\.0\.1:\d+: harbour-dental, 7 virtual numbers, 2 additional services\. Stored in .+\n$/,
      );
      assert.equal(done.out, '');
      assert.ok(!done.err.includes(customer.token));
      assert.equal(statSync(config()).mode & 0o777, 0o600);
      assert.equal(statSync(join(config(), '..')).mode & 0o777, 0o700);
      assert.deepEqual(readdirSync(join(config(), '..')), ['config.json']);
      assertDone(await linecard(['whoami'], { environment: NOBODY }));

      const wins = await linecard(['whoami'], { environment: { ...NOBODY, LINECARD_TOKEN: 'lc_mistyped' } });
      assert.match(wins.err, /^linecard: The API token is malformed/);
      const elsewhere = await linecard(['whoami'], {
        environment: { ...NOBODY, LINECARD_URL: 'https://other.example' },
      });
      assert.match(
        elsewhere.err,
        /^linecard: LINECARD_URL is https:\/\/other\.example, but the stored token belongs to/,
      );
      assert.equal(elsewhere.status, 1);

      assertDone(await linecard(['logout'], { environment: NOBODY }), /^Signed out: /);
      assert.equal((await linecard(['whoami'], { environment: NOBODY })).status, 1);
      assertDone(await linecard(['logout'], { environment: NOBODY }), /^You were not signed in\.\n$/);
    });

    test('takes the address of any page of Linecard for where it is', async () => {
      const pages = [
        '/docs',
        '/docs.md',
        '/',
        '/api/v1/did/me',
        '/virtual-numbers?statuses=active',
        '/virtual-numbers/7',
      ];
      for (const page of pages) {
        const done = await linecard(['login', '--url', `${customer.url}${page}`], {
          environment: { ...NOBODY, XDG_CONFIG_HOME: join(customer.home, 'pages') },
          input: customer.token,
        });
        assert.equal(done.status, 0, done.err);
        assert.ok(done.err.includes(`Signed in at ${customer.url}:`), done.err);
      }
    });

    test('a token that the server does not take is not stored', async () => {
      const home = { XDG_CONFIG_HOME: join(customer.home, 'refused') };
      const { status, err } = await login('lc_mistyped', home);
      assert.equal(status, 1);
      assert.match(err, /^linecard: The API token is malformed/);
      assert.throws(() => statSync(home.XDG_CONFIG_HOME));
      assert.equal((await login('', home)).status, 2);
      assert.equal((await login(`${customer.token} ${customer.token}`, home)).status, 2);
      assert.equal((await linecard(['login'], { environment: NOBODY, input: customer.token })).status, 2);
    });

    test('the stored file, and the token that is piped in, may be in UTF-16', async () => {
      const home = join(customer.home, 'written');
      mkdirSync(join(home, 'linecard'), { recursive: true });
      for (const [form, bytes] of writtenForms(
        JSON.stringify({ url: customer.url, token: customer.token }),
      )) {
        writeFileSync(join(home, 'linecard', 'config.json'), bytes);
        const { status, err } = await linecard(['whoami'], {
          environment: { ...NOBODY, XDG_CONFIG_HOME: home },
        });
        assert.equal(status, 0, `${form}: ${err}`);
      }
      for (const [form, bytes] of writtenForms(`${customer.token}\r\n`)) {
        const { child, ended } = customer.start(['login', '--url', customer.url], {
          environment: { ...NOBODY, XDG_CONFIG_HOME: home },
        });
        child.stdin.end(bytes);
        const { status, err } = await ended;
        assert.equal(status, 0, `${form}: ${err}`);
      }
    });

    test('a file that is damaged is reported as such, without what is in it', async () => {
      const home = join(customer.home, 'damaged');
      mkdirSync(join(home, 'linecard'), { recursive: true });
      writeFileSync(join(home, 'linecard', 'config.json'), `{"token": "${customer.token}"`);
      const { err } = await linecard(['whoami'], { environment: { ...NOBODY, XDG_CONFIG_HOME: home } });
      assert.match(err, /config\.json is damaged\. Run `linecard login` to write it again\.\n$/);
      assert.ok(!err.includes(customer.token));
    });
  });

  describe('export', () => {
    test('writes what the server makes, byte by byte, to standard output or into a file', async () => {
      const csv = await ask('/api/v1/did/me?sort_by=comment', 'text/csv');
      const piped = await linecard(['virtual-numbers', 'export', '--sort-by', 'comment']);
      assertDone(piped);
      assert.equal(piped.out, csv);
      assertDone(
        await linecard(['virtual-numbers', 'export', '--sort-by', 'comment', '--file', 'n.csv']),
        /^7 virtual numbers in n\.csv\.\n$/,
      );
      assert.equal(readFileSync(join(customer.home, 'n.csv'), 'utf8'), csv);
      assertDone(await linecard(['virtual-numbers', 'export', '--file', 'n.ndjson']), /^7 /);
      assert.equal(
        readFileSync(join(customer.home, 'n.ndjson'), 'utf8'),
        await ask('/api/v1/did/me', 'application/x-ndjson'),
      );
    });

    test('the name of the file decides: a spreadsheet, compressed text, or nothing at all', async () => {
      assertDone(
        await linecard(['virtual-numbers', 'export', '--file', 'n.xlsx']),
        /^7 virtual numbers in n\.xlsx\.\n$/,
      );
      const sheet = readFileSync(join(customer.home, 'n.xlsx'));
      assert.equal(sheet.subarray(0, 4).toString('latin1'), 'PK\u0003\u0004');
      assertDone(await linecard(['virtual-numbers', 'export', '--file', 'n.csv.gz']), /^7 /);
      const text = gunzipSync(readFileSync(join(customer.home, 'n.csv.gz'))).toString();
      assert.equal(text, await ask('/api/v1/did/me', 'text/csv'));
      const refused = await linecard(['virtual-numbers', 'export', '--file', 'n.pdf']);
      assert.equal(refused.status, 2);
      assert.ok(!readdirSync(customer.home).includes('n.pdf'));
    });

    test('removes what killed runs have left of the same file', async () => {
      const folder = join(customer.home, 'left');
      mkdirSync(folder);
      const left = (name: string) =>
        join(folder, `.${name}.${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}.part`);
      for (const name of ['n.csv', 'other.csv']) {
        writeFileSync(left(name), 'id,d');
        utimesSync(left(name), 0, 0);
      }
      assertDone(await linecard(['virtual-numbers', 'export', '--file', join(folder, 'n.csv')]), /^7 /);
      assert.deepEqual(
        readdirSync(folder).map((name) => join(folder, name)),
        [left('other.csv'), join(folder, 'n.csv')],
      );
    });

    test('a spreadsheet has the columns that were chosen', async () => {
      const words = ['virtual-numbers', 'export', '--file', 'few.xlsx', '--columns', 'did,monthly'];
      assertDone(await linecard(words), /^7 /);
      const few = readFileSync(join(customer.home, 'few.xlsx'));
      assertDone(await linecard(['virtual-numbers', 'export', '--file', 'all.xlsx']), /^7 /);
      assert.ok(few.length < readFileSync(join(customer.home, 'all.xlsx')).length);
    });

    test('a spreadsheet may be for people, and no other file', async () => {
      const words = ['virtual-numbers', 'export', '--headings', 'fr', '--file'];
      assertDone(await linecard([...words, 'people.xlsx']), /^7 /);
      const { status, err } = await linecard([...words, 'people.csv']);
      assert.equal(status, 2);
      assert.match(err, /headings is for \.xlsx/);
    });

    test('writes only some columns, a formula still disarmed', async () => {
      const { out } = await linecard([
        'virtual-numbers',
        'export',
        '--ids',
        '506',
        '--columns',
        'did,comment',
      ]);
      assert.equal(out, "did,comment\r\n+493023125012,'=SUM(A1:A9)\r\n");
    });

    test('replaces the file behind a link, and nothing that is no file', async () => {
      const target = join(customer.home, 'real.csv');
      writeFileSync(target, 'before', { mode: 0o600 });
      symlinkSync(target, join(customer.home, 'link.csv'));
      assertDone(await linecard(['virtual-numbers', 'export', '--file', 'link.csv']), /^7 /);
      assert.match(readFileSync(target, 'utf8'), /^id,did/);
      assert.equal(statSync(target).mode & 0o777, 0o600);
      mkdirSync(join(customer.home, 'folder.csv'));
      const folder = await linecard(['virtual-numbers', 'export', '--file', 'folder.csv']);
      assert.deepEqual(
        [folder.status, folder.err],
        [1, 'linecard: folder.csv is not a file. Name another, or write to standard output.\n'],
      );
      const nowhere = await linecard(['virtual-numbers', 'export', '--file', 'no/n.csv']);
      assert.deepEqual(
        [nowhere.status, nowhere.err],
        [1, 'linecard: no/n.csv cannot be written: there is no such folder.\n'],
      );
    });

    test('leaves a file to those who may read and write it', async () => {
      const shared = join(customer.home, 'shared.csv');
      writeFileSync(shared, 'before');
      // Only the superuser may choose any group.
      const groups = process.getuid?.() === 0 ? [1] : (process.getgroups?.() ?? []);
      const group = groups.find((one) => one !== statSync(shared).gid) ?? statSync(shared).gid;
      chownSync(shared, statSync(shared).uid, group);
      chmodSync(shared, 0o666);
      assertDone(await linecard(['virtual-numbers', 'export', '--file', 'shared.csv']), /^7 /);
      assert.equal(statSync(shared).mode & 0o777, 0o666);
      assert.equal(statSync(shared).gid, group);
    });

    test('follows a link to a file that is not there yet, also by way of another link', async () => {
      mkdirSync(join(customer.home, 'shelf'));
      symlinkSync('shelf', join(customer.home, 'here'));
      symlinkSync('../new.csv', join(customer.home, 'shelf', 'first.csv'));
      symlinkSync('here/first.csv', join(customer.home, 'second.csv'));
      assertDone(await linecard(['virtual-numbers', 'export', '--file', 'second.csv']), /^7 /);
      assert.match(readFileSync(join(customer.home, 'new.csv'), 'utf8'), /^id,did/);
      assert.ok(lstatSync(join(customer.home, 'second.csv')).isSymbolicLink());
      symlinkSync('no/n.csv', join(customer.home, 'third.csv'));
      const { status, err } = await linecard(['virtual-numbers', 'export', '--file', 'third.csv']);
      assert.equal(status, 1);
      assert.match(err, /^linecard: .+ cannot be written: there is no such folder\.\n$/);
    });

    test('never replaces a link to a pipe, as /dev/stdout is in one', async () => {
      const link = join(customer.home, 'stdout.csv');
      symlinkSync('/dev/fd/1', link);
      const { status, err } = await customer.alone(['virtual-numbers', 'export', '--file', 'stdout.csv']);
      assert.ok(lstatSync(link).isSymbolicLink());
      assert.deepEqual(
        [status, err],
        [1, 'linecard: stdout.csv is not a file. Name another, or write to standard output.\n'],
      );
    });
  });
});
