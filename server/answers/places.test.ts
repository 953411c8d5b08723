// Places, and what gets none.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Places } from './places.ts';

test('each has so many places, and all together so many', () => {
  const places = new Places(2, 3);
  const first = places.take('a');
  assert.ok(first && places.take('a'));
  assert.equal(places.take('a'), undefined, 'a third of one');
  assert.ok(places.take('b'));
  assert.equal(places.take('c'), undefined, 'a fourth in all');
  assert.deepEqual([places.hasMost('a'), places.hasMost('b'), places.hasMost('c')], [true, false, false]);
  first();
  first();
  assert.ok(places.take('c'));
  assert.equal(places.take('a'), undefined, 'all are taken again');
});
