// A copy that follows webhooks is never wrong in a model of random histories: imports, pruning, restored
// backups, lost requests and lost answers. Each rule of deliveries is needed: without it copies are wrong.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RULES, type Rule, wrongHistories } from '../kit/webhook-model.ts';

const HISTORIES = 1_000;
const SEED = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 20));

describe(`a copy that follows webhooks, in ${HISTORIES} histories of a model`, () => {
  test('is what the list is', (t) => {
    t.diagnostic(`TEST_SEED=${SEED}`);
    assert.equal(wrongHistories(HISTORIES, SEED), 0);
  });

  for (const [rule, about] of Object.entries(RULES))
    test(`is wrong unless ${about}`, (t) => {
      const wrong = wrongHistories(HISTORIES, SEED, rule as Rule);
      t.diagnostic(`${wrong} wrong`);
      assert.ok(wrong > 0);
    });
});
