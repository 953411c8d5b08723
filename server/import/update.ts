// A run that changes items that are there (`--update`): what a file has of an item, and what is stored of it
// -> the complete row.

import type { Field } from '@linecard/client/contract/list';
import type { ResultRow } from '../store/store.ts';
import { type RowValues, type Stored, sourceColumns, type Table } from '../store/tables.ts';
import { type Finder, findersOf, REMOVED } from './columns.ts';
import { rowOf } from './targets.ts';

export class ItemUpdates {
  readonly #table: Table;
  readonly #columns: readonly string[];
  readonly #finders: readonly Finder[];

  constructor(table: Table) {
    this.#table = table;
    this.#columns = sourceColumns(table);
    this.#finders = findersOf(table.list);
  }

  accountOf(stored: ResultRow): string {
    return String(stored[this.#columns.indexOf('account_id')]);
  }

  /**
   * The complete rows of changes, as a load takes them.
   * @param stored the rows that are there of these ids, in any order.
   * @param onAbsent is called where there is none of the change's account, with the row of another.
   */
  rowsOf(
    stored: readonly ResultRow[],
    ids: readonly number[],
    changes: readonly RowValues[],
    onAbsent: (position: number, row: ResultRow | undefined) => void,
  ): Stored[][] {
    const byId = new Map(stored.map((row) => [row[0] as number, row]));
    return changes.flatMap((change, i) => {
      if (change[REMOVED] === true) return [rowOf(this.#table, change)];
      const row = byId.get(ids[i] as number);
      if (row !== undefined && this.accountOf(row) === change['account_id'])
        return [rowOf(this.#table, this.merge(row, change))];
      onAbsent(i, row);
      return [];
    });
  }

  /** All values of an item after a change; what the change leaves empty is found as in any other row. */
  merge(stored: ResultRow, change: RowValues): RowValues {
    const values: Record<string, RowValues[string]> = { ...this.#valuesOf(stored), ...change };
    for (const finder of this.#finders) {
      if (change[finder.name] === '') values[finder.name] = finder.find(values);
    }
    return values;
  }

  /** Its text holds all of an item but what is hidden; charges are exact in their columns. */
  #valuesOf(stored: ResultRow): RowValues {
    const { list } = this.#table;
    const item = JSON.parse(String(stored[this.#columns.indexOf('item')])) as RowValues;
    const values: Record<string, RowValues[string]> = { ...item };
    const fields: Readonly<Record<string, Field>> = { ...list.fields, ...list.hidden };
    for (const [i, name] of this.#columns.entries()) {
      if (fields[name]?.kind === 'charge') values[name] = Number(stored[i]);
      else if (name in list.hidden) values[name] = stored[i] ?? null;
    }
    return values;
  }
}
