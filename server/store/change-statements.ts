// The statements that read the log of a list: its entries, and the items that they name. They must be read
// together with the head of the answer, from one snapshot.

import { changesTable } from './change-log.ts';
import type { Dialect } from './dialects.ts';
import { fromWhere, ownerFirst, type Selection, type Statement, statementOf, Values } from './sql.ts';

/** Which entries of a log: behind a place in it, so many. */
export interface LogRange {
  readonly after: readonly [sequence: number, id: number];
  readonly limit: number;
}

/** The rest of a statement that finds entries. */
function entriesIn(dialect: Dialect, values: Values, { account_id, list }: Selection, range: LogRange) {
  const log = { account_id, list: changesTable(list), where: [], whole: true };
  const [sequence, id] = range.after.map((one) => values.bind(one));
  const limit = dialect.limit(values.bind(range.limit));
  return `${fromWhere(dialect, values, log)} and (sequence, id) > (${sequence}, ${id})
    order by sequence, id limit ${limit}`;
}

/** Entries of the log of a list in their order, each `[sequence, id]`. */
export function entriesStatement(dialect: Dialect, selection: Selection, range: LogRange): Statement {
  const values = new Values(dialect);
  const text = `select ${ownerFirst(dialect, 'account_id')}sequence, id ${entriesIn(dialect, values, selection, range)}`;
  return statementOf(selection.account_id, text, values);
}

/** The items of a selection that these entries name, each `[item, id]`, in any order. */
export function changedItemsStatement(dialect: Dialect, selection: Selection, range: LogRange): Statement {
  const values = new Values(dialect);
  const text = `select ${ownerFirst(dialect, 'account_id')}item, id ${fromWhere(dialect, values, selection)}
    and id in (select id ${entriesIn(dialect, values, selection, range)})`;
  return statementOf(selection.account_id, text, values);
}
