// The readiness check: reads what every request reads, a token and each list.

import { BY_ID, selectionOf } from '../lists/plan.ts';
import { findCaller } from '../store/access/callers.ts';
import { headStatement } from '../store/lists/heads.ts';
import { rowsStatement } from '../store/sql.ts';
import type { Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';

/** No account or token matches: the check is that the statements run. */
const NOBODY = '';

/** @throws {StoreUnavailable} if a table is missing, locked, or not readable by this role. */
export async function checkReadiness(store: Store): Promise<void> {
  const pages = Object.values(tables).map((table) => {
    const selection = selectionOf(table, NOBODY, { filters: [] });
    return store.read(
      headStatement(store.dialect, selection),
      rowsStatement(store.dialect, { ...selection, order: BY_ID, limit: 1 }),
    );
  });
  await Promise.all([findCaller(store, NOBODY), ...pages]);
}
