// Events are never wrong: whatever imports do, activity is what a comparison of the lists before and after
// says. The same as events.test.ts, of more imports.

import { describe, test } from 'node:test';
import { compareImports } from '../kit/activity-model.ts';
import { stores } from '../kit/service.ts';

const IMPORTS = Number(process.env['TEST_HISTORIES'] ?? 100);

describe(`events of ${IMPORTS} imports`, () => {
  for (const kind of stores)
    test(`are those of a comparison of the lists before and after, on ${kind.name}`, (t) =>
      compareImports(t, kind, IMPORTS));
});
