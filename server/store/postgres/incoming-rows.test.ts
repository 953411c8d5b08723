// Ids as an import brings them: where they are known not to repeat, the database is not searched for those
// that do.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeenIds } from './incoming-rows.ts';

const MANY = 150_000;

function seen(ids: Iterable<number>): SeenIds {
  const known = new SeenIds();
  for (const id of ids) known.add(id);
  return known;
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

test('ids that ascend are known not to repeat, however many', () => {
  assert.ok(seen(upTo(MANY)).areUnique);
});

test('a few in any order are known not to repeat, and one that comes again is not missed', () => {
  assert.ok(seen([3, 1, 2]).areUnique);
  assert.ok(!seen([3, 1, 2, 1]).areUnique);
  assert.ok(!seen([1, 1]).areUnique);
});

test('of many in any order nothing is known, also where the last comes again', () => {
  assert.ok(!seen(upTo(MANY).reverse()).areUnique);
  assert.ok(!seen([...upTo(MANY), 1]).areUnique);
  assert.ok(!seen([...upTo(MANY), MANY]).areUnique);
});
