// The planner's statistics of a list that an import has changed: without, its first queries would read all of
// the list.

import { type Statement, statement } from '../sql.ts';
import type { LoadSummary } from '../store.ts';
import type { StatementResult } from './batch.ts';
import type { statementsFor } from './load-statements.ts';

/** An import that changed more than this share of a list leaves the planner with wrong statistics of it. */
const ANALYZE_SHARE = 0.1;
const ANALYZE_ROWS = 1_000;

type Run = (...statements: Statement[]) => Promise<readonly StatementResult[]>;

/** Makes them, where an import has changed enough; behind its commit. */
export async function refreshStatistics(
  run: Run,
  sql: Pick<ReturnType<typeof statementsFor>, 'statistics' | 'analyze'>,
  { inserted, updated, removed }: LoadSummary,
): Promise<void> {
  const changed = inserted + updated + removed;
  if (changed < ANALYZE_ROWS) return;
  const [known] = await run(statement(sql.statistics));
  const [rows, values] = (known?.rows[0] ?? []) as unknown as [number | null, number | null];
  if (changed < Number(rows) * ANALYZE_SHARE) return;
  await run(...sql.analyze(values).map((text) => statement(text)));
}
