// The statements that read the log of a list: its entries, and the items that they name. They must be read
// together with the head of the answer, from one snapshot.

import { changesTable } from './change-log.ts';
import { Values } from './conditions.ts';
import type { Dialect } from './dialects.ts';
import { fromWhere, type Selection, type Statement, statementOf } from './sql.ts';

/** Which entries of a log: behind a place in it, so many. */
export interface LogRange {
  readonly after: readonly [sequence: number, id: number];
  readonly limit: number;
}

/**
 * Entries of the log of a list in their order, each `[sequence, id, item]`; `null` where the selection does
 * not have the item. A join: to find the entries once for themselves and once for their items costs twice as
 * much.
 */
export function changesStatement(dialect: Dialect, selection: Selection, range: LogRange): Statement {
  const values = new Values(dialect);
  const { account_id, list } = selection;
  const log = { account_id, list: changesTable(list), where: [], whole: true };
  const entriesOf = fromWhere(dialect, values, log);
  const [sequence, id] = range.after.map((one) => values.bind(one));
  const limit = dialect.limit(values.bind(range.limit));
  const text = `select account_id, sequence, id, item
    from (select account_id, sequence, id ${entriesOf} and (sequence, id) > (${sequence}, ${id})
      order by sequence, id limit ${limit}) as logged
    left join (select item, id as item_id ${fromWhere(dialect, values, selection)}) as stored on item_id = id
    order by sequence, id`;
  return statementOf(account_id, text, values);
}
