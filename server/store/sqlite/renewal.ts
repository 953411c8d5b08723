// The end of an import: accounts whose lists look different now get their next revision, and what has changed
// is logged.

import type { StatementSync } from 'node:sqlite';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { DEFAULT_RETENTION_MS } from '../change-log.ts';

interface Statements {
  readonly renew: StatementSync;
  readonly history: StatementSync;
  readonly renewAccounts: StatementSync;
  readonly log: readonly StatementSync[];
  readonly notePruned: StatementSync;
  readonly forget: readonly StatementSync[];
}

/** Runs the statements in their order; what is older than so long is pruned. */
export function renewAccounts(sql: Statements, now: string, retentionMs = DEFAULT_RETENTION_MS): void {
  if (sql.renew.run().changes === 0) return;
  sql.history.run(now);
  sql.renewAccounts.run(now);
  for (const one of sql.log) one.run();
  const { changes: pruned } = sql.notePruned.run(timestampOf(Date.now() - retentionMs));
  if (pruned !== 0) for (const one of sql.forget) one.run();
}
