// The shares of reads: how much one owner has in flight, alone and with others.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOBODY, ReadShares } from './read-shares.ts';

const MANY = 100;

/** How many reads of an owner are in flight, each in a round trip of its own. */
function taken(shares: ReadShares, owner: string): number {
  for (let count = 0; count < MANY; count++) {
    if (!shares.mayTake(owner, 0, true)) return count;
    shares.take(owner, true);
  }
  return MANY;
}

/** Shares in which one read of an owner has returned this number of rows, and another owner reads or not. */
function sharesWith(rowCount: number, other?: string): ReadShares {
  const shares = new ReadShares({ connections: MANY, batchReads: 8 });
  for (const owner of other === undefined ? ['a'] : ['a', other, 'a']) shares.note(owner);
  shares.take('a', true);
  shares.end('a', [{ rowCount }], true);
  return shares;
}

test('large reads are in flight two at a time while another owner reads', () => {
  assert.equal(taken(sharesWith(1_000, 'b'), 'a'), 2);
  assert.equal(taken(sharesWith(1_000, 'b'), 'b'), 8, 'of an owner that nothing is known of');
});

test('a large read that fails leaves its owner large', () => {
  const shares = sharesWith(1_000, 'b');
  shares.take('a', true);
  shares.end('a', [{ rowCount: undefined }], true);
  assert.equal(taken(shares, 'a'), 2);
  shares.end('a', [{ rowCount: undefined }, { rowCount: 3 }], true);
  assert.equal(taken(shares, 'a') > 2, true);
});

test('small reads, and those of an owner that is alone, are in all round trips but one', () => {
  for (const shares of [sharesWith(51, 'b'), sharesWith(1_000)]) assert.equal(taken(shares, 'a'), MANY - 1);
});

test('there is no contention any more a second after the last read of another owner', (context) => {
  let now = 0;
  context.mock.method(performance, 'now', () => now);
  const shares = sharesWith(1_000, 'b');
  assert.equal(taken(shares, 'a'), 2);
  now = 1_001;
  assert.equal(taken(shares, 'a'), MANY - 1 - 2);
});

test('with others an owner has half of a round trip, and alone all of it', () => {
  const shares = sharesWith(10, 'b');
  shares.take('a', true);
  assert.deepEqual(
    [3, 4].map((count) => shares.mayTake('a', count, true)),
    [true, false],
  );
  assert.equal(shares.mayTake('a', 4, false), true);
});

test('what belongs to no account has no limit', () => {
  assert.equal(taken(sharesWith(1_000, 'b'), NOBODY), MANY);
});

test('an owner that has nothing in flight and nothing queued is forgotten', () => {
  const shares = sharesWith(1_000, 'b');
  shares.forget('a');
  assert.equal(taken(shares, 'a'), 8);
});
