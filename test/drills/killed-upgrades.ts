// Upgrades of an older schema that are killed before each of their writes: the next one goes on, and every
// row is what an import would store today.

import { join } from 'node:path';
import type { ResultRow } from '../../server/store/store.ts';
import type { Table } from '../../server/store/tables.ts';
import { atOnce, spread } from '../kit/many.ts';
import { olderDatabase, rowsOf, rowsOfToday } from '../kit/older-databases.ts';
import { endOf } from '../kit/program.ts';
import { type StoreKind, stores } from '../kit/service.ts';
import { countCalls, hasStrace, injectionsAt, startTraced, type Tracing } from '../kit/strace.ts';
import { copyOf, type Database } from '../kit/templates.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { type Drill, type DrillResult, type DrillSize, ofSize, Tally } from './drill.ts';

/** Of a migration into PostgreSQL, whose own writes are no business of ours, its messages. */
const MOST_KILLS = {
  SQLite: { short: 2, long: 24, full: 160 },
  PostgreSQL: { short: 2, long: 6, full: 30 },
} as const;

/** What of a database is not as an import would store it today, after it was opened to write. */
async function notUpgraded(
  url: string,
  expected: ReadonlyMap<Table, ResultRow[]>,
): Promise<string | undefined> {
  for (const [table, rows] of expected) {
    const found = await rowsOf(url, table);
    const at = rows.findIndex((row, i) => JSON.stringify(row) !== JSON.stringify(found[i]));
    if (at >= 0 || found.length !== rows.length)
      return `${table.name} has ${found.length} rows, and row ${at} is ${JSON.stringify(found[at])?.slice(0, 200)}`;
  }
  return undefined;
}

const migrate = (url: string, how: Tracing) => endOf(startTraced(['migrate', '--database-url', url], how));

async function killed(
  kind: StoreKind,
  older: Database,
  expected: ReadonlyMap<Table, ResultRow[]>,
  size: DrillSize,
): Promise<DrillResult> {
  const folder = temporaryFolder();
  const log = join(folder, 'calls');
  const whole = await copyOf(older);
  if ((await migrate(whole.url, { log })) !== 0) throw new Error('The migration does not come to its end.');
  await whole.remove();
  const calls = kind.name === 'SQLite' ? 'files' : 'sending';
  const kills = injectionsAt(countCalls(log, calls), 'signal=KILL');
  const tally = new Tally();
  let alive = 0;
  const chosen = spread(kills, ofSize(MOST_KILLS[kind.name as keyof typeof MOST_KILLS], size));
  await atOnce(chosen, async (injection) => {
    const database = await copyOf(older);
    const how = await migrate(database.url, { injection });
    if (how !== 'SIGKILL') alive += 1;
    const fault = await notUpgraded(database.url, expected);
    if (how === 'SIGKILL' || fault !== undefined)
      tally.add(fault === undefined ? undefined : `before ${injection.call} ${injection.when}: ${fault}`);
    await database.remove();
  });
  return tally.result(
    `upgrades killed before one of their ${kills.length} writes, and gone on with, on ${kind.name}`,
    alive === 0 ? undefined : `${alive} more had come to their end`,
  );
}

export const drill: Drill = {
  name: 'killed-upgrades',
  proves: [
    'If an upgrade of an older schema is killed before any of its writes, the next one continues it, and every row is as an import would store it today.',
  ],
  short: 'test/operations/schema-steps.long.test.ts',
  async run(size, report) {
    if (!hasStrace()) throw new Error('This needs strace, and that it may trace.');
    const results: DrillResult[] = [];
    for (const kind of stores) {
      const expected = await rowsOfToday(kind);
      const older = await olderDatabase(kind, expected);
      results.push(await killed(kind, older, expected, size));
      await older.remove();
    }
    for (const one of results) if (one.wrong > 0) report(`${one.did}: ${one.note}`);
    return results;
  },
};
