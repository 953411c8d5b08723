// The same as histories.test.ts with many more histories; `TEST_HISTORIES` says how many on each store.

import { describe, test } from 'node:test';
import { stores } from '../kit/service.ts';
import { mustBeRight } from '../kit/webhook-world.ts';

const HISTORIES = Number(process.env['TEST_HISTORIES'] ?? 2_000);

describe(`of ${HISTORIES} histories no copy that follows webhooks is wrong`, () => {
  for (const kind of stores) test(`on ${kind.name}`, (t) => mustBeRight(t, { ...kind, share: 1 }, HISTORIES));
});
