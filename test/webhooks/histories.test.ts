// A copy that follows webhooks is never wrong, on every store: random imports while deliveries are sent,
// with receivers that drop, stall and repeat. `TEST_SEED` repeats them.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stores } from '../kit/service.ts';
import { WebhookWorld } from '../kit/webhook-world.ts';

const HISTORIES = Number(process.env['TEST_HISTORIES'] ?? 100);
const ROUNDS = 12;
const SEED = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 20));

describe(`of ${HISTORIES} histories no copy that follows webhooks is wrong`, () => {
  for (const kind of stores)
    test(`on ${kind.name}`, async (t) => {
      const world = await WebhookWorld.open(kind, Math.ceil(HISTORIES * kind.share), SEED);
      try {
        const wrong = await world.run(ROUNDS);
        t.diagnostic(`TEST_SEED=${SEED}: ${world.attempts} attempts`);
        assert.equal(wrong, 0);
      } finally {
        await world.close();
      }
    });
});
