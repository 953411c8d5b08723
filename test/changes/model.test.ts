// The model of changes: in random histories with pruning and restored backups no copy is ever wrong, and each
// way to get it wrong is found. `TEST_HISTORIES` says how many histories there are, in hundreds.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ModelCopy, ModelHistory, MUTATIONS, type Mutation, randomOf } from '../kit/changes-model.ts';

const HISTORIES = 100 * Number(process.env['TEST_HISTORIES'] ?? 40);
const STEPS = 60;
const IDS = 6;

/** Runs a history; returns how often a copy was right and how often wrong when it was said to be current. */
function run(seed: number, mutation?: Mutation): { right: number; wrong: number } {
  const random = randomOf(seed);
  const history = new ModelHistory(random, mutation);
  const backups = [history.backup()];
  const copies = Array.from({ length: 3 }, () => new ModelCopy());
  const [count, one] = [
    { right: 0, wrong: 0 },
    <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T,
  ];
  for (let i = 0; i < STEPS; i++) {
    const dice = random();
    if (dice < 0.3) history.change(IDS);
    else if (dice < 0.34) history.prune();
    else if (dice < 0.39) backups.push(history.backup());
    else if (dice < 0.43) history.restore(one(backups));
    else {
      const copy = one(copies);
      const isTokenLost = mutation === 'token lost' && random() < 0.2;
      copy.read(history, one([1, 2, 3, 10]), isTokenLost);
      if (!copy.isCurrent) continue;
      const held = [...copy.items].toSorted(([a], [b]) => a - b);
      const isRight = JSON.stringify(held) === JSON.stringify(history.list);
      count[isRight ? 'right' : 'wrong'] += 1;
    }
  }
  return count;
}

describe('the model of changes', () => {
  test('never leaves a copy that is wrong', () => {
    let right = 0;
    for (let seed = 1; seed <= HISTORIES; seed++) {
      const count = run(seed);
      assert.equal(count.wrong, 0, `seed ${seed}`);
      right += count.right;
    }
    assert.ok(right > HISTORIES, `only ${right} comparisons`);
  });

  for (const mutation of MUTATIONS) {
    test(`finds out what is wrong with this: ${mutation}`, () => {
      let seed = 1;
      while (run(seed, mutation).wrong === 0) {
        seed += 1;
        assert.ok(seed < 20_000, 'no history finds it');
      }
    });
  }
});
