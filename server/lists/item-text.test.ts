import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readItem } from './item-text.ts';

const NAMES = ['id', 'did', 'comment', 'monthly', 'activated_at', 'is_spammed'];

test('an item is read as JSON.parse reads it, its numbers and flags as they were written', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', 'null', 'Zed, Inc', 'a "b"', '\\', '},{', '\u2028', '+44', 'true'),
  );
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
      const read = readItem(JSON.stringify(values), NAMES);
      assert.deepEqual(Object.keys(read), NAMES);
      for (const [name, value] of Object.entries(values)) {
        assert.equal(String(read[name]), String(value), name);
        assert.equal(read[name] === null, value === null, name);
      }
    }),
    { numRuns: 2_000 },
  );
});
