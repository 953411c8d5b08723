// Events are never wrong: whatever imports do, activity is what a comparison of the lists before and after
// says. `TEST_IMPORTS` says how many imports there are, `TEST_SEED` repeats them.

import { describe, type TestContext, test } from 'node:test';
import { ActivityWorld } from '../kit/activity-model.ts';
import { type StoreKind, stores } from '../kit/service.ts';

const IMPORTS = Number(process.env['TEST_IMPORTS'] ?? 300);
const SEED = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 20));
const IMPORTS_A_WORLD = 100;
/** All that happened since the first import is compared, so none is left out. */
const IMPORTS_A_COMPARISON = 10;

async function run(t: TestContext, kind: StoreKind): Promise<void> {
  const imports = Math.ceil(IMPORTS * kind.share);
  t.diagnostic(`${imports} imports from seed ${SEED}`);
  for (let done = 0; done < imports; done += IMPORTS_A_WORLD) {
    const world = await ActivityWorld.open(kind, SEED + done);
    try {
      for (let i = 1; i <= Math.min(IMPORTS_A_WORLD, imports - done); i++) {
        await world.import();
        if (i % IMPORTS_A_COMPARISON === 0) await world.mustHold();
      }
    } finally {
      await world.service.close();
    }
  }
}

describe('events', () => {
  for (const kind of stores)
    test(`are those of a comparison of the lists before and after, on ${kind.name}`, (t) => run(t, kind));
});
