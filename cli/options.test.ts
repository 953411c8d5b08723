// Options follow from the contract: every filter, search, order and page has one, and what is given becomes
// what the API takes.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ListParams } from '@linecard/client/client/any-list';
import { lists } from '@linecard/client/contract';
import type { List } from '@linecard/client/contract/list';
import { virtual_numbers } from '@linecard/client/contract/virtual-numbers';
import { listOptions } from './list-options.ts';
import { type GivenOptions, paramsOf, valuesOf } from './options.ts';
import { WrongUsage } from './outcome.ts';

const options = listOptions(virtual_numbers, 'list');

function read(given: Record<string, string[]>): ListParams {
  return paramsOf(options, new Map(Object.entries(given)));
}

function refusal(given: Record<string, string[]>): string {
  try {
    read(given);
  } catch (error) {
    if (error instanceof WrongUsage) return error.message;
    throw error;
  }
  return assert.fail('was taken');
}

describe('options', () => {
  for (const list of Object.values<List>(lists)) {
    test(`${list.name}: each filter and each other parameter has its own`, () => {
      const names = listOptions(list, 'list').map(({ name }) => name);
      const dashed = Object.keys(list.filters).map((name) => name.replaceAll('_', '-'));
      for (const name of [...dashed, 'q', 'sort-by', 'sort-order', 'page', 'page-size']) {
        assert.ok(names.includes(name), name);
      }
      assert.equal(new Set(names).size, names.length);
      assert.deepEqual(
        listOptions(list, 'list').find(({ name }) => name === 'sort-by')?.values,
        Object.keys(list.sorts),
      );
    });

    test(`${list.name}: an export has no page, facets have no order either`, () => {
      const names = (use: 'export' | 'facets') => listOptions(list, use).map(({ name }) => name);
      assert.ok(!names('export').includes('page') && names('export').includes('sort-by'));
      assert.ok(!names('facets').includes('page') && !names('facets').includes('sort-by'));
    });
  }

  test('a list comes with commas, given again, or both; `\\,` is a comma', () => {
    assert.deepEqual(valuesOf(['DE,GB', 'FR']), ['DE', 'GB', 'FR']);
    assert.deepEqual(valuesOf([' DE , ,GB,']), ['DE', 'GB']);
    assert.deepEqual(valuesOf(['Zed\\, Inc,Other']), ['Zed, Inc', 'Other']);
    assert.deepEqual(read({ 'country-codes': ['DE,GB', 'FR'], ids: ['7,8'] }), {
      ids: [7, 8],
      country_codes: ['DE', 'GB', 'FR'],
    });
  });

  test('what is no integer is left for the server to refuse', () => {
    assert.deepEqual(read({ ids: ['7,x,99999999999999999'], page: ['-1'] }), {
      ids: [7, 'x', '99999999999999999'],
      page: '-1',
    });
  });

  test('a flag is true or false', () => {
    assert.deepEqual(read({ 'is-spammed': ['true'], 'is-active-spam-check': ['false'] }), {
      is_spammed: true,
      is_active_spam_check: false,
    });
    assert.equal(refusal({ 'is-spammed': ['yes'] }), '--is-spammed must be true or false, but was "yes".');
  });

  test('a span is both sides of a time', () => {
    assert.deepEqual(read({ 'next-payment': ['2026-12'] }), {
      next_payment_from: '2026-12-01',
      next_payment_to: '2026-12-31',
    });
    assert.deepEqual(read({ activated: ['..2026-12-15'] }), { activated_to: '2026-12-15' });
  });

  test('every fault is reported at once', () => {
    const message = refusal({
      'country-codes': [','],
      'activated-after': ['soon'],
      'next-payment-before': ['7d'],
      'next-payment': ['today'],
    });
    const lines = message.split('\n');
    assert.equal(lines.length, 3);
    assert.match(lines[0] ?? '', /^--activated-after must be a date .+, but was "soon"\.$/);
    assert.match(lines[1] ?? '', /^--next-payment cannot be combined with --next-payment-before\.$/);
    assert.equal(lines[2], '--country-codes names no value.');
  });

  test('no option makes no parameter', () => {
    const nothing: GivenOptions = new Map();
    assert.deepEqual(paramsOf(options, nothing), {});
  });
});
