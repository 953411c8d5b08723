// Names that people try: what is suggested for them is there, and is what they mean.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { additional_services } from './additional-services.ts';
import { lists } from './contract.ts';
import type { List } from './list.ts';
import { rulesOf } from './rules.ts';
import { hintFor, namesMeant } from './tried-names.ts';
import { virtual_numbers } from './virtual-numbers.ts';

const knownTo = (list: List) => [...rulesOf(list, 1_000, 'page').keys()];
const numbers = knownTo(virtual_numbers);
const services = knownTo(additional_services);

const TRIED: readonly [name: string, known: readonly string[], meant: readonly string[]][] = [
  ['limit', numbers, ['page_size']],
  ['per_page', numbers, ['page_size']],
  ['perPage', numbers, ['page_size']],
  ['Page-Size', numbers, ['page_size']],
  ['offset', services, ['page']],
  ['search', services, ['q']],
  ['sort', services, ['sort_by']],
  ['order', services, ['sort_order']],
  ['country', numbers, ['country_codes']],
  ['country', services, []],
  ['type', numbers, ['statuses', 'subscription_statuses']],
  ['type', services, ['subscription_statuses']],
  ['from', numbers, ['activated_from', 'next_payment_from', 'created_from']],
  ['to', services, ['activated_to', 'next_payment_to']],
  ['phone_number', numbers, ['dids']],
  ['columns', numbers, ['fields']],
  ['providr', numbers, ['providers']],
  ['__proto__', numbers, []],
  ['constructor', numbers, []],
  ['x'.repeat(100_000), numbers, []],
];

describe('a name that other APIs have', () => {
  for (const [name, known, meant] of TRIED) {
    test(`${name.slice(0, 20)} means ${meant.join(' or ') || 'nothing here'}`, () => {
      assert.deepEqual(namesMeant(name, known), meant);
    });
  }

  for (const list of Object.values<List>(lists)) {
    test(`leads to what to do instead, where no parameter of ${list.name} does it`, () => {
      const known = knownTo(list);
      assert.ok(hintFor(list, 'format', known)?.includes(`${list.path}.csv`));
      assert.match(String(hintFor(list, 'api_key', known)), /Authorization/);
      assert.match(String(hintFor(list, 'account_id', known)), /API token/);
      for (const price of [
        'price',
        'Max-Price',
        'monthly',
        'monthly_from',
        'amount_one_time',
        'activation',
        'cost_gte',
      ])
        assert.match(String(hintFor(list, price, known)), /^There is no filter by price: sort by it/, price);
      assert.equal(hintFor(list, 'activation_from', known), 'Did you mean `activated_from`?');
      assert.equal(hintFor(list, 'zzzzzzzz', known), undefined);
      assert.equal(hintFor(list, 'limit', known), 'Did you mean `page_size`?');
    });
  }

  const NEGATIONS = [
    'X!',
    'not_X',
    'X_not',
    'X__not',
    'X__n',
    'X_ne',
    'X[ne]',
    'X.not',
    'X<>',
    '-X',
    'X-',
    'no_X',
    'notX',
    'Xnot',
    'nonX',
    'without_X',
    'exclude_X',
    'X_exclude',
    'XExclude',
    'all_but_X',
    'filter[X][neq]',
    'X_null',
    'X_is_null',
    'no_X_at',
    'X_like',
  ];
  const SUBJECTS = ['status', 'country', 'spammed', 'spam', 'frequency', 'did', 'provider', 'activated'];
  for (const [list, known] of [
    [virtual_numbers, numbers],
    [additional_services, services],
  ] as const) {
    test(`leads never to the opposite: ${list.name}`, () => {
      for (const form of NEGATIONS)
        for (const name of [...Object.keys(list.filters), 'fields', 'sort_by', ...SUBJECTS]) {
          const negated = form.replace('X', name);
          assert.equal(hintFor(list, negated, known), undefined, negated);
        }
    });
  }

  const BOUNDS: readonly [name: string, meant: string | undefined][] = [
    ['activated_befor', 'activated_before'],
    ['activated_form', 'activated_from'],
    ['activated_until', 'activated_to'],
    ['activated_since', 'activated_from'],
    ['activated_at_gt', 'activated_after'],
    ['activated_at[lte]', 'activated_to'],
    ['activated>', 'activated_from'],
    ['activated<', 'activated_to'],
    ['min_activated', 'activated_from'],
    ['due_before', 'next_payment_before'],
    ['next_payment_at', undefined],
    ['next_payment', undefined],
    ['activated_at', undefined],
    ['activated_on', undefined],
    ['payment', undefined],
    ['due', undefined],
    ['ids_gt', undefined],
    ['provider_contains', undefined],
    ['deactivated_from', undefined],
    ['is_inactive_spam_check', undefined],
    ['is_active', undefined],
    ['filter', undefined],
  ];
  for (const [name, meant] of BOUNDS) {
    test(`of a time means the same bound, or nothing: ${name}`, () => {
      const hint = meant && `Did you mean \`${meant}\`?`;
      assert.equal(hintFor(virtual_numbers, name, numbers), hint);
    });
  }

  for (const [name, meant] of [
    ['filter[status]', 'statuses'],
    ['status__in', 'statuses'],
    ['page[size]', 'page_size'],
  ] as const) {
    test(`with brackets or a word that changes nothing is read without: ${name}`, () =>
      assert.deepEqual(namesMeant(name, numbers), [meant]));
  }

  test('is never a parameter itself, so that nothing is suggested for what is right', () => {
    for (const [name] of TRIED) assert.ok(!numbers.includes(name), name);
  });
});
