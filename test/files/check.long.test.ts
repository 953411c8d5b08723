// Checks of random files: some thousands, or as many as TEST_FILES says.

import { test } from 'node:test';
import { assertChecks } from '../kit/checks.ts';
import { filesAtRandom } from '../kit/many.ts';

const FILES = filesAtRandom(2_000);

test(`${FILES} files made from accounts are compared as by hand`, () => {
  assertChecks(FILES);
});
