// A run that changes items that are there (`--update`): what a file has of an item, and what is stored of
// it -> the whole row. It must not know of files or databases.

import type { ResultRow } from '../store/store.ts';
import { type RowValues, type Stored, storedColumns, type Table } from '../store/tables.ts';
import { type Finder, findersOf, REMOVED } from './columns.ts';
import { rowOf } from './reading.ts';

export class ItemUpdates {
  readonly #table: Table;
  readonly #columns: readonly string[];
  readonly #finders: readonly Finder[];

  constructor(table: Table) {
    this.#table = table;
    this.#columns = storedColumns(table);
    this.#finders = findersOf(table.list);
  }

  /** Whose a stored row is. */
  accountOf(stored: ResultRow): string {
    return String(stored[this.#columns.indexOf('account_id')]);
  }

  /**
   * The whole rows of changes, as a load takes them.
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
    for (const [name, field] of Object.entries({ ...list.fields, ...list.hidden })) {
      if (field.kind !== 'charge' && !(name in list.hidden)) continue;
      const value = stored[this.#columns.indexOf(name)] ?? null;
      values[name] = field.kind === 'charge' ? Number(value) : value;
    }
    return values;
  }
}
