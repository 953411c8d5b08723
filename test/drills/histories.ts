// Copies of lists through thousands of random histories (test/kit/changes-history.ts), on every store.

import { inspect } from 'node:util';
import { runHistories } from '../kit/changes-history.ts';
import { deploymentOf } from '../kit/changes-world.ts';
import { openService, stores } from '../kit/service.ts';
import { type Drill, type DrillResult, ofSize } from './drill.ts';

const HISTORIES = { short: 20, long: 200, full: 5_000 };
/** `TEST_HISTORIES` says how many else; `TEST_SEED` repeats what one has found. */
const { TEST_HISTORIES } = process.env;
const SEED = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 20));

export const drill: Drill = {
  name: 'histories',
  proves: [
    'A copy that applies changes equals an export of the list whenever the answer says so; otherwise the answer says that the missing changes are no longer known.',
  ],
  short: 'test/changes/histories.long.test.ts',
  async run(size, report) {
    const results: DrillResult[] = [];
    for (const kind of stores) {
      const histories = Math.round(Number(TEST_HISTORIES ?? ofSize(HISTORIES, size)) * kind.share);
      const service = await openService(kind, { quiet: true, indexBytes: 0 });
      const did = `${kind.name}: a random history of two accounts and four copies`;
      try {
        const counts = await runHistories(deploymentOf(service), { seed: SEED, histories });
        report(`${kind.name}, from seed ${SEED}: ${counts}`);
        results.push({ did, count: histories, wrong: 0, note: `${counts.of('compared')} comparisons` });
      } catch (error) {
        const { message, cause } = error as Error;
        report(inspect(cause));
        report(message);
        results.push({ did, count: histories, wrong: 1, note: `${cause}; ${message}`.slice(0, 300) });
      }
      await service.close();
    }
    return results;
  },
};
