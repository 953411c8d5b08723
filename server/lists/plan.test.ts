// What a query is made into before it is a statement.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_TEXT_CHARACTERS } from '@linecard/client/contract';
import { QueryParser } from '@linecard/client/contract/query-parser';
import { tables } from '../store/tables.ts';
import { selectionOf } from './plan.ts';

const table = tables.virtual_numbers;
const parser = new QueryParser(table.list);
const valuesOf = (body: object) =>
  selectionOf(table, 'acme', parser.ofJson(JSON.stringify(body))).where.map((one) =>
    'either' in one ? assert.fail('no search was sent') : one.value,
  );

describe('a plan', () => {
  test('has no value that is longer than any row has: a database would compare all of it with every row', () => {
    const longest = '\u{1f98a}'.repeat(MAX_TEXT_CHARACTERS);
    const providers = ['Zed', `${longest}x`, longest, 'x'.repeat(1_000_000)];
    assert.deepEqual(valuesOf({ providers, ids: [7] }), [[7], ['Zed', longest]]);
  });

  test('matches nothing where no value is left, and is not without its filter', () => {
    assert.deepEqual(valuesOf({ statuses: ['x'.repeat(500_000)] }), [[]]);
  });
});
