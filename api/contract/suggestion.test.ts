// "Did you mean …?" corrects a slip, and suggests nothing for a name that means something else.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lists } from './contract.ts';
import { nearest, valueAdvice } from './suggestion.ts';

const KNOWN = [
  ...Object.keys(lists.virtual_numbers.filters),
  'q',
  'sort_by',
  'sort_order',
  'page',
  'page_size',
  'cursor',
];
const SORTS = Object.keys(lists.virtual_numbers.sorts);

const MEANT: readonly [name: string, meant: string, known?: readonly string[]][] = [
  ['id', 'ids'],
  ['page', 'page'],
  ['pages', 'page'],
  ['Page', 'page'],
  ['PAGE_SIZE', 'page_size'],
  ['pagesize', 'page_size'],
  ['page-size', 'page_size'],
  ['pageSize', 'page_size'],
  ['status', 'statuses'],
  ['country', 'country_codes'],
  ['country_code', 'country_codes'],
  ['provider', 'providers'],
  ['povider', 'providers'],
  ['frequency', 'frequencies'],
  ['is_spam', 'is_spammed'],
  ['spammed', 'is_spammed'],
  ['sort', 'sort_by'],
  ['sortBy', 'sort_by'],
  ['sort_oder', 'sort_order'],
  ['order', 'sort_order'],
  ['activated_befor', 'activated_before'],
  ['next_payment', 'next_payment_at', SORTS],
  ['nextpaymentat', 'next_payment_at', SORTS],
  ['DESC', 'desc', ['asc', 'desc']],
  ['descending', 'desc', ['asc', 'desc']],
  ['ascending', 'asc', ['asc', 'desc']],
  ['True', 'true', ['true', 'false']],
  // Two neighbours swapped: the commonest slip of all.
  ['paeg', 'page'],
  ['prot', 'port', ['host', 'port']],
  ['crusor', 'cursor'],
  ['pgae', 'page'],
];

/** Values that say the opposite of each other. */
const OPPOSED: readonly [name: string, meant: string | undefined, known: readonly string[]][] = [
  ['dsc', 'desc', ['asc', 'desc']],
  ['acs', 'asc', ['asc', 'desc']],
  ['esc', undefined, ['asc', 'desc']],
  ['inactive', undefined, ['active', 'suspended']],
  ['inactiv', 'inactive', ['active', 'inactive']],
  ['!active', undefined, ['active']],
  ['not active', undefined, ['active']],
  ['untrue', undefined, ['true', 'false']],
  ['-monthly', undefined, SORTS],
  ['monthly_desc', undefined, SORTS],
  ['-comment', undefined, ['comment']],
];

const NOT_MEANT = [
  '',
  ' ',
  'x',
  'limit',
  'offset',
  'zzzzzzzz',
  '__proto__',
  'constructor',
  'account_id',
  'foo',
  'ab',
  '🙂',
  'x'.repeat(1_000),
];

describe('the name that was meant', () => {
  for (const [name, meant, known] of OPPOSED) {
    test(`${name}: ${meant ?? 'none'}`, () => assert.equal(nearest(name, known), meant));
  }

  for (const [name, meant, known = KNOWN] of MEANT) {
    test(`${name}: ${meant}`, () => assert.equal(nearest(name, known), meant));
  }

  for (const name of NOT_MEANT) {
    test(`${JSON.stringify(name.slice(0, 20))}: none`, () => assert.equal(nearest(name, KNOWN), undefined));
  }

  test('among no names is none', () => assert.equal(nearest('page', []), undefined));

  test('is always one of the known', () => {
    for (const name of [...KNOWN, ...SORTS, ...NOT_MEANT]) {
      const meant = nearest(name, KNOWN);
      assert.ok(meant === undefined || KNOWN.includes(meant));
    }
  });
});

test('a value without an option shows the first that an example gives one, else the first option', () => {
  const options = ['--list <name>', '--file <path>'];
  const advice = (...examples: string[]) => valueAdvice(examples, options);
  assert.equal(
    advice('export --all --file "my numbers.csv"'),
    'A value follows its option, such as --file "my numbers.csv".',
  );
  assert.equal(advice('export --all numbers'), 'A value follows its option, such as --list <name>.');
  assert.equal(advice('export --file --list x'), 'A value follows its option, such as --list x.');
  assert.equal(valueAdvice(['export --all numbers'], []), undefined);
});
