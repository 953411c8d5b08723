// Chosen fields of an item: what JSON would read, byte for byte as the whole item has them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lists } from '@linecard/client/contract';
import type { Field } from '@linecard/client/contract/list';
import fc from 'fast-check';
import { anyCharacter } from '../../test/kit/characters.ts';
import type { StoredItem } from '../store/tables.ts';
import { projectionOf, readItem, visibleFields } from './fields.ts';

const stored = (item: object) => JSON.stringify(item) as unknown as StoredItem;
const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom('', 'null', 'Zed, Inc', 'a "b"', '\\', '\\\\', '\\"', '","id":1', '},{', '\u2028', '+44'),
);
const arbitraryOf = ({ kind, nullable }: Field): fc.Arbitrary<unknown> => {
  if (kind === 'flag') return fc.boolean();
  if (kind === 'text') return text;
  if (kind === 'timestamp') return nullable === true ? fc.option(text) : text;
  return fc.constantFrom(0, 1, 2.25, 0.000_001, -1_000_000_000, Number.MAX_SAFE_INTEGER);
};

for (const list of Object.values(lists)) {
  const all = Object.keys(list.fields);
  const values = Object.entries(list.fields).map(([name, field]) => [name, arbitraryOf(field)] as const);

  test(`any fields of ${list.name} are as JSON reads them, in the order of the contract`, () => {
    const item = fc.record(Object.fromEntries(values));
    fc.assert(
      fc.property(item, fc.subarray(all, { minLength: 1 }), (whole, fields) => {
        const projected = projectionOf(list, visibleFields(list, fields, true))(stored(whole));
        assert.equal(projected, JSON.stringify(whole, fields));
      }),
      { numRuns: 2_000 },
    );
  });

  test(`without a choice items of ${list.name} are left as they are`, () => {
    assert.equal(projectionOf(list, visibleFields(list, undefined, true))(stored({ id: 1 })), '{"id":1}');
  });
}

const NAMES = ['id', 'did', 'comment', 'monthly', 'activated_at', 'is_spammed'];

test('an item is read as JSON.parse reads it, its numbers and flags as they were written', () => {
  const charge = fc.constantFrom(0, 2.25, 0.000_001, -1_000_000_000, 999_999_999.999_999);
  const item = fc.record({
    id: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    did: text,
    comment: text,
    monthly: charge,
    activated_at: fc.option(text),
    is_spammed: fc.boolean(),
  });
  fc.assert(
    fc.property(item, (values) => {
      const read = readItem(stored(values), NAMES);
      assert.deepEqual(Object.keys(read), NAMES);
      for (const [name, value] of Object.entries(values)) {
        assert.equal(String(read[name]), String(value), name);
        assert.equal(read[name] === null, value === null, name);
      }
    }),
    { numRuns: 2_000 },
  );
});
