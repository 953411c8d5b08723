// The naive model and the contract know the same: a list, field, filter or sort key that only one of them has
// fails here, because no other test would ask for what the model has never heard of.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lists } from '../../api/contract/contract.ts';
import type { Field, Filter, List } from '../../api/contract/list.ts';
import { hardRows } from '../kit/hard-rows.ts';
import { modelLists } from '../kit/model.ts';

const kindsOf = (fields: Readonly<Record<string, Field>>) =>
  Object.entries(fields).map(([name, { kind }]) => [name, kind]);

/** How the model calls a filter; one of a kind that it has no word for is called by what it is. */
function testOf(list: List, { field, test: how }: Filter): string {
  const { kind = 'no field', country = false } = list.fields[field] ?? {};
  const ofText = field === list.searchDigits ? 'numbers' : country ? 'codes' : 'texts';
  const calls: Readonly<Record<string, string>> = {
    'any integer': 'ids',
    'any text': ofText,
    'none integer': 'not ids',
    'none text': `not ${ofText}`,
    'first text': 'first',
    'last text': 'last',
    'is flag': 'flag',
    'set timestamp': 'set',
    'min charge': 'min',
    'max charge': 'max',
    'after timestamp': 'after',
    'before timestamp': 'before',
    'from timestamp': 'from',
    'to timestamp': 'to',
  };
  return calls[`${how} ${kind}`] ?? `${how} ${kind}`;
}

describe('the model of the tests and the contract', () => {
  test('know the same lists', () => {
    assert.deepEqual(
      modelLists.map(({ name }) => name),
      Object.keys(lists),
    );
  });

  for (const model of modelLists) {
    const list: List = lists[model.name];

    test(`${model.name}: the same path`, () => {
      assert.equal(model.path, list.path);
    });

    test(`${model.name}: the same fields of the same kinds, in the order of an answer`, () => {
      assert.deepEqual(Object.entries(model.fields), kindsOf(list.fields));
    });

    test(`${model.name}: the same hidden fields, and the same rows that are not listed`, () => {
      assert.deepEqual(model.hidden, Object.fromEntries(kindsOf(list.hidden)));
      assert.deepEqual(model.only, list.only);
    });

    test(`${model.name}: the same filters, which test the same fields in the same way`, () => {
      const filters = Object.entries(list.filters).map(([name, filter]) => [
        name,
        [testOf(list, filter), filter.field],
      ]);
      assert.deepEqual(model.filters, Object.fromEntries(filters));
    });

    test(`${model.name}: the same fields to search`, () => {
      assert.deepEqual(model.search, list.search);
      assert.equal(model.digits, list.searchDigits);
    });

    test(`${model.name}: the same sort keys, which sort by the same fields`, () => {
      assert.deepEqual(model.sorts, list.sorts);
    });

    test(`${model.name}: rows made at random have a value for every field`, () => {
      const fields = ['account_id', ...Object.keys(list.fields), ...Object.keys(list.hidden)];
      for (const row of hardRows[model.name])
        assert.deepEqual(Object.keys(row).toSorted(), fields.toSorted());
    });
  }
});
