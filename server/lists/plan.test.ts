// What a query is made into before it is a statement.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_TEXT_CHARACTERS } from '@linecard/client/contract';
import { QueryParser } from '@linecard/client/contract/query-parser';
import fc from 'fast-check';
import { tables } from '../store/tables.ts';
import { selectionOf } from './plan.ts';

const table = tables.virtual_numbers;
const parser = new QueryParser(table.list);
const valuesOf = (body: object) =>
  selectionOf(table, 'acme', parser.ofJson(JSON.stringify(body))).where.map((one) =>
    'either' in one ? assert.fail('no search was sent') : one.value,
  );

/** A bound in units of the last of 12 fractional digits after the second, exactly. */
const fraction = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }),
  fc.constantFrom(0n, 1n, 999_999_999_999n, 123_456_000_000n, 123_456_000_001n, 123_455_999_999n),
);

describe('a plan', () => {
  test('compares a bound with any number of fractional digits exactly with stored microseconds', () => {
    const holds = {
      after: (stored: bigint, bound: bigint) => stored > bound,
      before: (stored: bigint, bound: bigint) => stored < bound,
      from: (stored: bigint, bound: bigint) => stored >= bound,
      to: (stored: bigint, bound: bigint) => stored <= bound,
    };
    const near = fc.tuple(fraction, fc.bigInt({ min: -2n, max: 2n }));
    fc.assert(
      fc.property(near, fc.constantFrom('after', 'before', 'from', 'to'), ([bound, off], side) => {
        const microseconds = bound / 1_000_000n + off;
        fc.pre(microseconds >= 0n && microseconds < 1_000_000n);
        const digits = (n: bigint, length: number) => String(n).padStart(length, '0');
        const stored = `2026-11-20T09:30:00.${digits(microseconds, 6)}Z`;
        const [wanted] = valuesOf({ [`created_${side}`]: `2026-11-20T09:30:00.${digits(bound, 12)}Z` });
        const text = String(wanted);
        const isMatch = {
          after: stored > text,
          before: stored < text,
          from: stored >= text,
          to: stored <= text,
        };
        assert.equal(isMatch[side], holds[side](microseconds * 1_000_000n, bound));
      }),
      { numRuns: 2_000 },
    );
  });

  test('has no value that is longer than any row has: a database would compare all of it with every row', () => {
    const longest = '\u{1f98a}'.repeat(MAX_TEXT_CHARACTERS);
    const providers = ['Zed', `${longest}x`, longest, 'x'.repeat(1_000_000)];
    assert.deepEqual(valuesOf({ providers, ids: [7] }), [[7], ['Zed', longest]]);
  });

  test('matches nothing where no value is left, and is not without its filter', () => {
    assert.deepEqual(valuesOf({ statuses: ['x'.repeat(500_000)] }), [[]]);
  });
});
