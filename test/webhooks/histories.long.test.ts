// The same as histories.test.ts and webhook-model.test.ts with many more histories; `TEST_HISTORIES` says how
// many on each store.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stores } from '../kit/service.ts';
import { wrongHistories } from '../kit/webhook-model.ts';
import { mustBeRight } from '../kit/webhook-world.ts';

const HISTORIES = Number(process.env['TEST_HISTORIES'] ?? 2_000);
const MODEL_HISTORIES = 20_000;

describe(`of ${HISTORIES} histories no copy that follows webhooks is wrong`, () => {
  for (const kind of stores) test(`on ${kind.name}`, (t) => mustBeRight(t, { ...kind, share: 1 }, HISTORIES));
});

test(`nor in ${MODEL_HISTORIES} of the model`, () => {
  assert.equal(wrongHistories(MODEL_HISTORIES, Math.floor(Math.random() * 2 ** 20)), 0);
});
