// The short form of each drill; `npm run drills` runs the long ones.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { drillNamed, drillNames } from './drill.ts';
import { isWrong } from './results.ts';

const drills = await Promise.all(drillNames().map(drillNamed));

describe('drills, in short', () => {
  for (const drill of drills) {
    const { name, short } = drill;
    if (short !== undefined) continue;
    test(name, async (context) => {
      const results = await drill.run('short', (line) => context.diagnostic(line));
      assert.ok(!isWrong({ name, seconds: 0, results }), JSON.stringify(results, undefined, 1));
    });
  }
});
