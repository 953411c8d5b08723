// All items of a list, of one account or of each after the other, as an import reads them: also those that
// answers do not list, with what is in hidden columns. One snapshot reads them.

import type { Dialect } from '../dialects.ts';
import { importedItemColumn } from '../item-column.ts';
import { columnsStatement, type Selection, statement } from '../sql.ts';
import type { Snapshot } from '../store.ts';
import type { StoredItem, Table } from '../tables.ts';

export async function accountIds(snapshot: Snapshot): Promise<string[]> {
  const ids: string[] = [];
  for await (const rows of snapshot.rows(statement('select id from accounts order by id')))
    for (const [id] of rows) ids.push(String(id));
  return ids;
}

/** The items of an account that a selection has, by their ids. */
export async function* completeItems(
  snapshot: Snapshot,
  dialect: Dialect,
  { list }: Table,
  selection: Selection,
  ofAccount: boolean,
): AsyncGenerator<readonly StoredItem[]> {
  const hidden = Object.keys(list.hidden);
  const column = importedItemColumn(dialect, { ofAccount, hidden, own: selection.own });
  const one = columnsStatement<readonly [id: number, item: StoredItem]>(dialect, selection, [column]);
  for await (const rows of snapshot.rows(one)) yield rows.map(([, item]) => item);
}
