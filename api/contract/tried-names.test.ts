// Names that people try: what is suggested for them is there, and is what they mean.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { additional_services } from './additional-services.ts';
import { lists } from './contract.ts';
import type { List } from './list.ts';
import { rulesOf } from './rules.ts';
import { hintFor, meantBy } from './tried-names.ts';
import { virtual_numbers } from './virtual-numbers.ts';

const namesMeant = (name: string, known: readonly string[]) => meantBy(name, known).map((one) => one.name);
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

const PRICES: readonly [name: string, meant: string][] = [
  ['price', '`monthly_min` or `monthly_max`'],
  ['monthly', '`monthly_min` or `monthly_max`'],
  ['Max-Price', '`monthly_max`'],
  ['min_price', '`monthly_min`'],
  ['min_monthly', '`monthly_min`'],
  ['price_gte', '`monthly_min`'],
  ['monthly_gte', '`monthly_min`'],
  ['monthly.lte', '`monthly_max`'],
  ['monthly[gte]', '`monthly_min`'],
  ['monthly_from', '`monthly_min`'],
  ['monthly_to', '`monthly_max`'],
  ['monthly>', '`monthly_min`'],
  ['monthly<', '`monthly_max`'],
  ['cost_gte', '`monthly_min`'],
  ['amount_one_time', '`activation_min` or `activation_max`'],
  ['activation', '`activation_min` or `activation_max`'],
  ['activation_lte', '`activation_max`'],
  ['montly_max', '`monthly_max`'],
];
const INSTEAD: readonly [name: string, instead: RegExp][] = [
  ['filter', /^Each filter is a parameter of its own/],
  ['$filter', /^Each filter is a parameter of its own/],
  ['where', /^Each filter is a parameter of its own/],
  ['as_of', /\/changes says what has changed/],
  ['group_by', /\/facets\.$/],
  ['tags', /`q` finds a text/],
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
      for (const [price, meant] of PRICES)
        assert.equal(hintFor(list, price, known), `Did you mean ${meant}?`, price);
      for (const [name, instead] of INSTEAD) assert.match(String(hintFor(list, name, known)), instead, name);
      assert.equal(hintFor(list, 'activation_from', known), 'Did you mean `activated_from`?');
      assert.equal(hintFor(list, 'zzzzzzzz', known), undefined);
      assert.equal(hintFor(list, 'limit', known), 'Did you mean `page_size`?');
    });
  }

  for (const [form, value, meant] of [
    ['X=', 'null', false],
    ['X=', '', false],
    ['no_X', 'true', false],
    ['no_X', 'false', true],
    ['X_is_null', '1', false],
    ['X_is_null', 'false', true],
    ['X_not_null', 'true', true],
    ['X_isnull', 'true', false],
    ['has_X_at', 'true', true],
    ['has_X_at', 'false', false],
    ['has_no_X', 'true', false],
    ['missing_X', 'true', false],
    ['without_X', 'true', false],
    ['X_at_exists', 'true', true],
    ['X__isnull', 'false', true],
  ] as const) {
    test(`asks whether there is a time: ${form} ${value} is has_next_payment=${meant}`, () => {
      const name = form.replace('X=', 'next_payment_at').replace('X', 'next_payment');
      assert.equal(
        hintFor(virtual_numbers, name, numbers, value),
        `Did you mean \`has_next_payment=${meant}\`?`,
      );
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
      // Nobody excludes a value twice.
      const positive = Object.keys(list.filters).filter((name) => !name.endsWith('_exclude'));
      for (const form of NEGATIONS)
        for (const name of [...positive, 'fields', 'sort_by', ...SUBJECTS]) {
          const negated = form.replace('X', name);
          const hint = hintFor(list, negated, known, 'x');
          const [meant = ''] = /(?<=`).*(?=`)/.exec(hint ?? '') ?? [];
          // The same values excluded, or those without such a time.
          const excluded = namesMeant(name, known)[0] ?? name;
          const may = [`${excluded}_exclude`, `${name}_exclude`];
          if (hint !== undefined)
            assert.ok(may.includes(meant) || /^has_\w+=false$/.test(meant), `${negated}: ${hint}`);
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

  for (const form of [
    'not_X',
    'X_not',
    'X!',
    'X__n',
    'X_ne',
    'X__not',
    '-X',
    'without_X',
    'exclude_X',
    'no_X',
  ])
    test(`that excludes values is X_exclude: ${form}`, () => {
      for (const [subject, meant] of [
        ['statuses', 'statuses'],
        ['status', 'statuses'],
        ['country', 'country_codes'],
        ['country_code', 'country_codes'],
        ['provider', 'providers'],
        ['carrier', 'providers'],
        ['did', 'dids'],
        ['phone_number', 'dids'],
        ['ids', 'ids'],
        ['frequency', 'frequencies'],
      ] as const)
        assert.deepEqual(namesMeant(form.replace('X', subject), numbers), [`${meant}_exclude`], subject);
    });

  test('is never a parameter itself, so that nothing is suggested for what is right', () => {
    for (const [name] of TRIED) assert.ok(!numbers.includes(name), name);
  });
});
