// Whether customers can be answered: reads what every request of theirs reads, a token and each list.

import { BY_ID, selectionOf } from '../lists/plan.ts';
import { findCaller } from '../store/callers.ts';
import { headStatement } from '../store/heads.ts';
import { rowsStatement } from '../store/sql.ts';
import type { Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';

/** No account has this id and no token this text: it is the statements that matter, not what they find. */
const NOBODY = '';

/**
 * Resolves where a token can be looked up and the first page of each list be read.
 * @throws {StoreUnavailable} where a table is missing or locked, or this role may not read it.
 */
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
