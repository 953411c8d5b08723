// Checks of 5,000 random files.

import { test } from 'node:test';
import { assertChecks } from '../kit/checks.ts';

test('5,000 files made from accounts are compared as by hand', () => {
  assertChecks(5_000);
});
