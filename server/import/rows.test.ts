// What an import takes, refuses and fills in, value by value.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lists, MAX_NUMBER_CHARACTERS, MAX_TEXT_CHARACTERS } from '@linecard/client/contract';
import type { List } from '@linecard/client/contract/list';
import fc from 'fast-check';
import type { RowValues } from '../store/tables.ts';
import { importColumns } from './columns.ts';
import type { TargetName } from './job.ts';
import { RowReader } from './rows.ts';
import { targets } from './targets.ts';
import type { RawValue } from './values.ts';

const GOOD: Readonly<Record<string, Record<string, string>>> = {
  virtual_numbers: {
    account_id: 'C1',
    id: '7',
    did: '+442079460018',
    status: 'active',
    subscription_status: 'active',
    frequency: 'monthly',
    created_at: '2026-02-10T16:04:11.482913Z',
  },
  additional_services: {
    account_id: 'C1',
    id: '7',
    title: 'VPN access',
    subscription_status: 'active',
    frequency: 'monthly',
  },
};

/** Reads a good row in which some values are others; `undefined` leaves one out. */
function read(list: List, other: Record<string, RawValue> = {}, account_id?: string) {
  const reader = new RowReader(targets[list.name as TargetName], { account_id });
  const row: Record<string, RawValue> = { ...GOOD[list.name], ...other };
  const faults: string[] = [];
  const values: RowValues = reader.read(
    reader.columns.map(({ name }) => row[name]),
    (column, fault) => faults.push(`${column}: ${fault}`),
  );
  return { values, faults };
}

const numbers = lists.virtual_numbers;
const services = lists.additional_services;

describe('a value as databases and spreadsheets write it', () => {
  const taken: [column: string, raw: string, value: RowValues[string]][] = [
    ['created_at', '2026-02-10 16:04:11.482913+00', '2026-02-10T16:04:11.482913Z'],
    ['created_at', '2026-02-10 16:04:11+05:30', '2026-02-10T10:34:11.000000Z'],
    ['created_at', '2026-02-10T16:04:11-03', '2026-02-10T19:04:11.000000Z'],
    ['activated_at', '\\N', null],
    ['monthly', '\\N', 0],
    ['comment', '\\N', '\\N'],
    ['did', '(020) 7946-0018', '(020) 7946-0018'],
    ...(['true', 't', 'yes', '1', 'TRUE'].map((raw) => ['is_spammed', raw, true]) as [
      string,
      string,
      boolean,
    ][]),
    ...(['false', 'f', 'no', '0', 'FALSE'].map((raw) => ['is_spammed', raw, false]) as [
      string,
      string,
      boolean,
    ][]),
  ];
  for (const [column, raw, value] of taken) {
    test(`${column}: ${raw}`, () => {
      const { values, faults } = read(numbers, { [column]: raw });
      assert.deepEqual([values[column], faults], [value, []]);
    });
  }
});

describe('a value that is padded', () => {
  const blank = fc.string({
    unit: fc.constantFrom(' ', '\t', '\n', '\u00a0', '\u200b', '\ufeff', '\u2060', '\u3000'),
    maxLength: 4,
  });
  const VALUES: Readonly<Record<string, string>> = {
    ...GOOD['virtual_numbers'],
    ...GOOD['additional_services'],
    title: 'two  words\nand\u00a0more',
    comment: '\u0644 a\u200db \u0645',
    country: 'Deutschland',
    country_code: 'DE',
    provider: 'Zed,\u00a0Inc',
    category: 'core',
    service_name: 'vpn',
    activation: '-2.25',
    monthly: '0.0059',
    incoming: '\\N',
    activated_at: '2026-02-10 16:04:11+05:30',
    next_payment_at: '\\N',
    spam_checked_at: '2026-02-10T16:04:11Z',
    is_spammed: 't',
    is_active_spam_check: 'no',
    name: 'Kühn & Co',
    currency: 'EUR',
    parent_id: 'C 0',
    disabled: 'TRUE',
    removed: 'false',
  };

  for (const [name, target] of Object.entries(targets)) {
    const columns = target.columns();
    const reader = new RowReader(target);
    const readAll = (of: (column: string) => RawValue) => {
      const faults: string[] = [];
      const report = (column: string, fault: string) => void faults.push(`${column}: ${fault}`);
      return {
        values: reader.read(
          columns.map((one) => of(one.name)),
          report,
        ),
        faults,
      };
    };
    const padded = fc.array(fc.tuple(blank, blank), { minLength: columns.length, maxLength: columns.length });
    const position = (column: string) => columns.findIndex((one) => one.name === column);

    test(`is the same without its ends, in every column of ${name}`, () => {
      const expected = readAll((column) => VALUES[column]);
      assert.deepEqual(expected.faults, []);
      fc.assert(
        fc.property(padded, (blanks) => {
          const found = readAll((column) => {
            const [before = '', after = ''] = blanks[position(column)] ?? [];
            return before + String(VALUES[column]) + after;
          });
          assert.deepEqual(found, expected);
        }),
      );
      for (const { name: column, kind } of columns)
        if (kind === 'text') assert.equal(expected.values[column], VALUES[column], column);
    });

    test(`and of blanks alone is empty, in every column of ${name}`, () => {
      for (const { name: column } of columns) {
        const others = (value: string) => readAll((one) => (one === column ? value : VALUES[one]));
        fc.assert(
          fc.property(blank, (text) => assert.deepEqual(others(text), others(''))),
          { numRuns: 20 },
        );
      }
    });
  }

  test('removes its item all the same', () => {
    assert.deepEqual(read(numbers, { removed: ' true\u00a0' }).values, {
      account_id: 'C1',
      id: 7,
      removed: true,
    });
  });
});

describe('a row with only what is required', () => {
  test('has no charge, no text, no flag and no other timestamp', () => {
    const { values, faults } = read(numbers);
    assert.deepEqual(faults, []);
    for (const name of ['activation', 'monthly', 'incoming']) assert.equal(values[name], 0, name);
    for (const name of ['comment', 'provider']) assert.equal(values[name], '', name);
    for (const name of ['is_spammed', 'is_active_spam_check']) assert.equal(values[name], false, name);
    for (const name of ['activated_at', 'next_payment_at', 'spam_checked_at'])
      assert.equal(values[name], null, name);
  });

  test('gets its country from an international number', () => {
    const { values } = read(numbers);
    assert.deepEqual([values['country_code'], values['country']], ['GB', 'United Kingdom']);
  });

  test('gets the name of its country from a code that it has', () => {
    const { values } = read(numbers, { country_code: 'DE' });
    assert.deepEqual([values['country_code'], values['country']], ['DE', 'Germany']);
  });

  test('keeps a country as it was named', () => {
    const { values } = read(numbers, { country: 'Great Britain' });
    assert.deepEqual([values['country_code'], values['country']], ['GB', 'Great Britain']);
  });

  test('has no country where its number says none', () => {
    const { values } = read(numbers, { did: 'sip:front-desk' });
    assert.deepEqual([values['country_code'], values['country']], ['', '']);
  });

  test('is an additional service, known in the catalogue by its title', () => {
    const { values } = read(services);
    assert.deepEqual([values['category'], values['service_name']], ['additional', 'VPN access']);
  });
});

describe('what is required', () => {
  for (const list of Object.values(lists)) {
    for (const { name, required } of importColumns(list)) {
      if (!required) continue;
      test(`${name} of ${list.title.toLowerCase()} can be neither left out nor empty`, () => {
        assert.deepEqual(read(list, { [name]: undefined }).faults, [`${name}: is required, but is missing.`]);
        assert.deepEqual(read(list, { [name]: '' }).faults, [`${name}: is required, but was empty.`]);
      });
    }
  }

  test('is not the account where the run has one', () => {
    const { values, faults } = read(numbers, { account_id: undefined }, 'C1');
    assert.deepEqual([values['account_id'], faults], ['C1', []]);
  });
});

describe('a value is taken', () => {
  const taken: [list: List, column: string, text: string, value: unknown][] = [
    [numbers, 'id', '1', 1],
    [numbers, 'id', '9007199254740991', Number.MAX_SAFE_INTEGER],
    [numbers, 'monthly', '0.0059', 5_900],
    [numbers, 'monthly', '-1000000000.000000', -1_000_000_000_000_000],
    [numbers, 'created_at', '2026-02-10T17:04:11.5+01:00', '2026-02-10T16:04:11.500000Z'],
    [numbers, 'is_spammed', 'true', true],
    [numbers, 'comment', 'two\nlines\tand a tab', 'two\nlines\tand a tab'],
    [numbers, 'comment', '🦊'.repeat(MAX_TEXT_CHARACTERS), '🦊'.repeat(MAX_TEXT_CHARACTERS)],
    [numbers, 'did', '+44 (0)20 7946 0018', '+44 (0)20 7946 0018'],
    [numbers, 'country_code', 'XK', 'XK'],
    [numbers, 'status', 'a_status_nobody_knows', 'a_status_nobody_knows'],
    [numbers, 'account_id', 'Ж-1 2', 'Ж-1 2'],
    [services, 'category', 'lead', 'lead'],
    [services, 'service_name', 'vpn-access', 'vpn-access'],
  ];
  for (const [list, column, text, value] of taken) {
    test(`${column}: ${text.slice(0, 40)}`, () => {
      const { values, faults } = read(list, { [column]: text });
      assert.deepEqual(faults, []);
      assert.equal(values[column], value);
    });
  }
});

describe('a value is refused with what is wrong, what is allowed and what to do', () => {
  const integer = 'must be an integer from 1 to 9007199254740991, but was';
  const charge =
    'must be a decimal with at most six fractional digits, at most 1,000,000,000 either side of zero, such as 2.25, but was';
  const timestamp =
    'must be an RFC 3339 timestamp such as 2026-11-20T09:30:00Z or 2026-11-20T09:30:00.123456+01:00, but was';
  const country = 'must be an ISO 3166-1 alpha-2 code in upper case, such as GB, but was';
  const refused: [list: List, column: string, raw: RawValue, sentence: string][] = [
    [numbers, 'id', '0', `${integer} "0".`],
    [numbers, 'id', '-1', `${integer} "-1".`],
    [numbers, 'id', '007', `${integer} "007"; did you mean 7?`],
    [numbers, 'id', '1.0', `${integer} "1.0"; did you mean 1?`],
    [numbers, 'id', '01', `${integer} "01"; did you mean 1?`],
    [numbers, 'id', '1e3', `${integer} "1e3".`],
    [numbers, 'id', '９', `${integer} "９".`],
    [numbers, 'id', '9007199254740992', `${integer} "9007199254740992".`],
    [numbers, 'monthly', '1,50', `${charge} "1,50"; did you mean 1.50?`],
    [numbers, 'monthly', '007.50', `${charge} "007.50"; did you mean 7.50?`],
    [numbers, 'monthly', '+5', `${charge} "+5"; did you mean 5?`],
    [numbers, 'monthly', '-.5', `${charge} "-.5"; did you mean -0.5?`],
    [numbers, 'monthly', '0.0000001', `${charge} "0.0000001".`],
    [numbers, 'monthly', '1000000000.000001', `${charge} "1000000000.000001".`],
    [numbers, 'monthly', 'NaN', `${charge} "NaN".`],
    [numbers, 'created_at', '2026-02-10', `${timestamp} "2026-02-10"; did you mean 2026-02-10T00:00:00Z?`],
    [
      numbers,
      'created_at',
      '2026-02-10 16:04:11',
      `${timestamp} "2026-02-10 16:04:11"; did you mean 2026-02-10T16:04:11Z?`,
    ],
    ...['10.01.2026', '1/31/26', '2026/01/10 16:04'].map((text): [List, string, RawValue, string] => [
      numbers,
      'created_at',
      text,
      `${timestamp} "${text}": a date of this form needs a mapping.`,
    ]),
    [numbers, 'created_at', '2026-02-30T00:00:00Z', `${timestamp} "2026-02-30T00:00:00Z".`],
    [
      numbers,
      'created_at',
      '2026-02-10 16:04:11.1234567+01',
      `${timestamp} "2026-02-10 16:04:11.1234567+01": it has more than six fractional digits.`,
    ],
    [
      numbers,
      'created_at',
      '9999-12-31T23:59:59-01:00',
      `${timestamp} "9999-12-31T23:59:59-01:00": in UTC it is outside the years 0000 to 9999.`,
    ],
    [numbers, 'is_spammed', 'True', 'must be true or false, but was "True"; did you mean true?'],
    [numbers, 'is_spammed', 'off', 'must be true or false, but was "off"; did you mean false?'],
    [numbers, 'is_spammed', 'constructor', 'must be true or false, but was "constructor".'],
    [numbers, 'country_code', 'UK', `${country} "UK"; did you mean GB?`],
    [numbers, 'country_code', 'de', `${country} "de"; did you mean DE?`],
    [numbers, 'country_code', 'ZZ', `${country} "ZZ".`],
    [numbers, 'country_code', 'GBR', `${country} "GBR".`],
    [numbers, 'comment', 'x'.repeat(1_001), 'must have at most 1000 characters, but has 1001; shorten it.'],
    [
      numbers,
      'did',
      '1'.repeat(MAX_NUMBER_CHARACTERS + 1),
      `must be a phone number of at most 100 characters: 3 to 15 digits, spaces and + - ( ) . /, but was "${'1'.repeat(100)}…".`,
    ],
    ...['4.42079E+11', '4,42079e11', '4E+11'].map((did): [List, string, RawValue, string] => [
      numbers,
      'did',
      did,
      `was "${did}": a spreadsheet has shortened the number, and its digits are lost. Export it again, with the column formatted as text.`,
    ]),
    ...(
      [
        ['442079460022.0', 'a decimal'],
        ['20.11.2026', 'a date'],
        ['2026-11-20T09:30:00Z', 'a date'],
        ['12.50 EUR', 'an amount'],
        ['192.168.0.1', 'an IPv4 address'],
      ] as const
    ).map(([did, what]): [List, string, RawValue, string] => [
      numbers,
      'did',
      did,
      what === 'a decimal'
        ? `was "${did}": it looks like a decimal. Give the digits of the number alone: export it with the column formatted as text.`
        : `was "${did}": it looks like ${what}, so check which column it is from.`,
    ]),
    [
      numbers,
      'did',
      '442079460018-442079460027',
      'was "442079460018-442079460027": it looks like a range; give each of its numbers by itself.',
    ],
    [
      numbers,
      'did',
      '442079460018 / 442079460019',
      'was "442079460018 / 442079460019": it looks like more than one number; give each of them by itself.',
    ],
    [
      numbers,
      'did',
      '12345678901234567890',
      'was "12345678901234567890": it has 20 digits, and a telephone number has at most 15.',
    ],
    ...['12', 'sip:123@example', '+44 x 123', '４４２'].map((did): [List, string, RawValue, string] => [
      numbers,
      'did',
      did,
      `must be a phone number of at most 100 characters: 3 to 15 digits, spaces and + - ( ) . /, but was "${did}".`,
    ]),
    [
      numbers,
      'comment',
      'a\0b',
      'must not contain control characters other than tab and line breaks, but contains U+0000; remove it.',
    ],
    [
      numbers,
      'comment',
      'a\u0085b',
      'must not contain control characters other than tab and line breaks, but contains U+0085; remove it.',
    ],
    [
      numbers,
      'comment',
      'a\ud83d',
      'is not well-formed Unicode: it holds broken UTF-8 or half of a surrogate pair. If all such letters of the file are, say what it is, such as --encoding windows-1252; otherwise correct this one.',
    ],
    [numbers, 'account_id', 'C\n1', 'must not contain control characters.'],
    [numbers, 'account_id', 'C'.repeat(101), 'must have 1 to 100 characters, but has 101.'],
    [
      services,
      'category',
      'reputations',
      'must be one of additional, reputation, lead or core, but was "reputations"; did you mean reputation?',
    ],
    [numbers, 'monthly', { fault: 'must be something else.' }, 'must be something else.'],
  ];
  for (const [list, column, raw, sentence] of refused) {
    test(`${column}: ${JSON.stringify(raw).slice(0, 40)}`, () => {
      assert.deepEqual(read(list, { [column]: raw }).faults, [`${column}: ${sentence}`]);
    });
  }

  test('account_id: another than that of the run', () => {
    assert.deepEqual(read(numbers, { account_id: 'C2' }, 'C1').faults, [
      'account_id: must be "C1", the account of the run, but was "C2"; leave one of them out.',
    ]);
  });

  test('all values of a row together', () => {
    const { faults } = read(numbers, { id: 'x', monthly: 'x', created_at: 'x', did: '' });
    assert.deepEqual(
      faults.map((fault) => fault.split(':')[0]),
      ['id', 'did', 'monthly', 'created_at'],
    );
  });

  test('and nothing that a terminal would obey', () => {
    const [fault] = read(numbers, { id: '\x1b[2J\x9b2J' }).faults;
    assert.match(fault ?? '', /"\\u001b\[2J\\u009b2J"/);
  });

  test('and what nobody sees is spelt out: a byte order mark, a mark of direction, a hard blank', () => {
    const [fault] = read(numbers, { id: '1\ufeff\u202e\u00a0\u{e0001}' }).faults;
    assert.match(fault ?? '', /"1\\ufeff\\u202e\\u00a0\\udb40\\udc01"/);
  });
});
