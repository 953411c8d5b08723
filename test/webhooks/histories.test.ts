// A copy that follows webhooks is never wrong, on every store: random imports while deliveries are sent,
// with receivers that drop, stall and repeat.

import { describe, test } from 'node:test';
import { stores } from '../kit/service.ts';
import { mustBeRight } from '../kit/webhook-world.ts';

const HISTORIES = 40;

describe(`of ${HISTORIES} histories no copy that follows webhooks is wrong`, () => {
  for (const kind of stores) test(`on ${kind.name}`, (t) => mustBeRight(t, kind, HISTORIES));
});
