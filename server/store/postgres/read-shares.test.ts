// The shares of reads: how much one owner has in flight, alone and with others.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOBODY, type Reader, ReadShares } from './read-shares.ts';

const MANY = 100;

/** Somebody who reads their own account, or with a token that reads many. */
const reader = (owner: string, token = NOBODY): Reader => ({ owner, token, caller: token || owner });

/** How many reads are in flight, each in a round trip of its own. */
function taken(shares: ReadShares, readerOf: (i: number) => Reader): number {
  for (let count = 0; count < MANY; count++) {
    const next = readerOf(count);
    if (!shares.mayTake(next, [], true)) return count;
    shares.take(next, []);
  }
  return MANY;
}

const takenBy = (shares: ReadShares, owner: string) => taken(shares, () => reader(owner));

function end(shares: ReadShares, owner: string, ...rowCounts: (number | undefined)[]): void {
  shares.end(
    rowCounts.map((rowCount) => ({ ...reader(owner), rowCount })),
    () => true,
  );
}

/** Shares in which one read of an owner has returned this number of rows, and another owner reads or not. */
function sharesWith(rowCount: number, other?: string): ReadShares {
  const shares = new ReadShares({ connections: MANY, batchReads: 8 });
  for (const owner of other === undefined ? ['a'] : ['a', other, 'a']) shares.note(reader(owner));
  shares.take(reader('a'), []);
  end(shares, 'a', rowCount);
  return shares;
}

test('large reads are in flight two at a time while another owner reads', () => {
  assert.equal(takenBy(sharesWith(1_000, 'b'), 'a'), 2);
  assert.equal(takenBy(sharesWith(1_000, 'b'), 'b'), 8, 'of an owner that nothing is known of');
});

test('a large read that fails leaves its owner large', () => {
  const shares = sharesWith(1_000, 'b');
  shares.take(reader('a'), []);
  end(shares, 'a', undefined);
  assert.equal(takenBy(shares, 'a'), 2);
  end(shares, 'a', undefined, 3);
  assert.equal(takenBy(shares, 'a') > 2, true);
});

test('small reads, and those of an owner that is alone, are in all round trips but one', () => {
  for (const shares of [sharesWith(51, 'b'), sharesWith(1_000)]) assert.equal(takenBy(shares, 'a'), MANY - 1);
});

test('there is no contention any more a second after the last read of another owner', (context) => {
  let now = 0;
  context.mock.method(performance, 'now', () => now);
  const shares = sharesWith(1_000, 'b');
  assert.equal(takenBy(shares, 'a'), 2);
  now = 1_001;
  assert.equal(takenBy(shares, 'a'), MANY - 1 - 2);
});

test('with others an owner has half of a round trip, and alone all of it', () => {
  const shares = sharesWith(10, 'b');
  const batch = (count: number) => Array.from({ length: count }, () => reader('a'));
  assert.deepEqual(
    [3, 4].map((count) => shares.mayTake(reader('a'), batch(count), true)),
    [true, false],
  );
  assert.equal(shares.mayTake(reader('a'), batch(4), false), true);
});

test('what belongs to no account has no limit', () => {
  assert.equal(takenBy(sharesWith(1_000, 'b'), NOBODY), MANY);
});

test('an owner that has nothing in flight and nothing queued is forgotten', () => {
  const shares = sharesWith(1_000, 'b');
  shares.forget('a');
  assert.equal(takenBy(shares, 'a'), 8);
});

const ofTree = (i: number) => reader(`account-${i}`, 'tree');

/** Shares in which a token reads two accounts, and other callers read or not. */
function sharesOfTree(...others: Reader[]): ReadShares {
  const shares = new ReadShares({ connections: MANY, batchReads: 8 });
  for (const one of [ofTree(0), ofTree(1), ...others]) shares.note(one);
  return shares;
}

test('a token that reads many accounts is in a quarter of the round trips while another caller reads', () => {
  for (const other of [reader('b'), reader('b', 'tree of b')]) {
    const shares = sharesOfTree(other);
    assert.equal(taken(shares, ofTree), MANY / 4);
    assert.equal(shares.mayTake(ofTree(MANY), [ofTree(0)], true), true, 'in a round trip that it is in');
    assert.equal(shares.mayTake(other, [], true), true);
    shares.end([{ ...ofTree(0), rowCount: 1 }], () => true);
    assert.equal(taken(shares, ofTree), 1, 'as soon as one of them has ended');
  }
});

test('a token that reads many accounts is in all round trips but one while it reads alone', () => {
  const lookup = { owner: 'hash', token: NOBODY, caller: NOBODY };
  for (const shares of [sharesOfTree(), sharesOfTree(lookup)]) assert.equal(taken(shares, ofTree), MANY - 1);
});
