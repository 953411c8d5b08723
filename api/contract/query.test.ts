// What a program sends is what the parser reads, as a query string or as a body.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { lists } from './contract.ts';
import { Problem } from './problems.ts';
import { formatSelection, type Params, type Query, type Written, writeParams } from './query.ts';
import { QueryParser } from './query-parser.ts';

const RUNS = 300;

const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((one) => !/\p{Cc}/u.test(one) && one.isWellFormed());
const texts = fc.array(fc.oneof(text, fc.constantFrom('Zed, Inc', ',', 'a&b=c', 'a+b', '[]', '%2C')), {
  minLength: 1,
  maxLength: 5,
});
const timestamp = fc.constantFrom('2026-11-20T09:30:00.123456Z', '0000-01-01T00:00:00.000000Z');
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const numbers = fc.record({
  ids: maybe(
    fc.uniqueArray(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), { minLength: 1, maxLength: 1_500 }),
  ),
  frequencies: maybe(texts),
  subscription_statuses: maybe(texts),
  activated_after: maybe(timestamp),
  next_payment_before: maybe(timestamp),
  providers: maybe(texts),
  country_codes: maybe(fc.uniqueArray(fc.constantFrom('GB', 'DE'), { minLength: 1 })),
  is_spammed: maybe(fc.boolean()),
  is_active_spam_check: maybe(fc.boolean()),
  q: maybe(text),
  sort_by: maybe(fc.constantFrom(...Object.keys(lists.virtual_numbers.sorts))),
  sort_order: maybe(fc.constantFrom('asc', 'desc')),
  page: maybe(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
  page_size: maybe(fc.integer({ min: 1, max: 1_000 })),
});

function readBack(written: Written): Query {
  const parser = new QueryParser(lists.virtual_numbers);
  return 'json' in written ? parser.ofJson(written.json) : parser.ofString(written.search);
}

/**
 * The parameters as the parser gives them: lists without repetitions, a search without white space around it.
 */
function meant(params: Params): Params {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  const values = given.map(([name, value]) => {
    if (name === 'q') return [name, String(value).trim()];
    return [name, Array.isArray(value) ? [...new Set(value)] : value];
  });
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}

function parsed({ filters, ...rest }: Query, params: Params): Params {
  const all: Params = { ...Object.fromEntries(filters.map(({ name, value }) => [name, value])), ...rest };
  return Object.fromEntries(Object.keys(meant(params)).map((name) => [name, all[name]]));
}

describe('writing parameters', () => {
  test('what is written is what is read', () => {
    fc.assert(
      fc.property(numbers, (params) => {
        const query = readBack(writeParams(params));
        assert.deepEqual(parsed(query, params), meant(params));
        assert.equal(
          query.filters.length,
          Object.keys(meant(params)).filter((name) => name in lists.virtual_numbers.filters).length,
        );
        if (query.filters.every(({ value }) => !Array.isArray(value) || value.length <= 1_000)) {
          const again = new QueryParser(lists.virtual_numbers).ofString(formatSelection(query));
          assert.deepEqual(again.filters, query.filters);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('a value with a comma brings the bracket spelling, and only where it is needed', () => {
    assert.deepEqual(writeParams({ providers: ['Zed, Inc', 'Thameswire'], ids: [1, 2] }), {
      search: 'providers[]=Zed%2C%20Inc&providers[]=Thameswire&ids=1&ids=2',
    });
  });

  test('what is undefined or an empty list is left out', () => {
    assert.deepEqual(writeParams({ ids: [], q: undefined, page: 2 }), { search: 'page=2' });
  });

  test('what a proxy would not take as a URL goes into a body', () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => i + 1);
    const codes = Array.from({ length: 1_001 }, () => 'GB');
    const oneLong = Array.from({ length: 500 }, (_, i) => `provider number ${i}`);
    assert.ok('search' in writeParams({ ids: ids.slice(0, 500) }));
    assert.deepEqual(writeParams({ ids, page: 3 }), { json: JSON.stringify({ ids, page: 3 }) });
    assert.ok('json' in writeParams({ country_codes: codes }));
    assert.ok('json' in writeParams({ providers: oneLong }));
  });

  test('what cannot be written is refused, all of it at once', () => {
    const params = { q: null, ids: [1, {}], next_payment_before: new Date(0), statuses: ['\ud800'], page: 1 };
    assert.throws(
      () => writeParams(params),
      (error) =>
        error instanceof Problem &&
        error.code === 'invalid-parameter' &&
        error.faults?.map(({ parameter }) => parameter).join() === 'q,ids,next_payment_before,statuses' &&
        error.faults[3]?.detail ===
          'statuses must be well-formed Unicode, but holds half of a surrogate pair.',
    );
  });
});
