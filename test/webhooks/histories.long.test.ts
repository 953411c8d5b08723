// The same as histories.test.ts with many more histories; `TEST_HISTORIES` says how many on each store. And a
// model of deliveries, in which each rule is needed: without it copies are wrong.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stores } from '../kit/service.ts';
import { RULES, type Rule, wrongHistories } from '../kit/webhook-model.ts';
import { mustBeRight } from '../kit/webhook-world.ts';

const HISTORIES = Number(process.env['TEST_HISTORIES'] ?? 400);
const MODEL_HISTORIES = 20_000;
const HISTORIES_WITHOUT_A_RULE = 1_000;
const SEED = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 20));

describe(`of ${HISTORIES} histories no copy that follows webhooks is wrong`, () => {
  for (const kind of stores) test(`on ${kind.name}`, (t) => mustBeRight(t, { ...kind, share: 1 }, HISTORIES));
});

describe(`a copy that follows webhooks, in histories of a model from seed ${SEED}`, () => {
  test('is what the list is', () => assert.equal(wrongHistories(MODEL_HISTORIES, SEED), 0));

  for (const [rule, about] of Object.entries(RULES))
    test(`is wrong unless ${about}`, () => {
      assert.ok(wrongHistories(HISTORIES_WITHOUT_A_RULE, SEED, rule as Rule) > 0);
    });
});
