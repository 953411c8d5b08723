// A run that changes items that are there (`--update`): what a file has of an item, and what is stored of
// it -> the whole row. It must not know of files or databases.

import type { ResultRow } from '../store/store.ts';
import { type RowValues, storedColumns, type Table } from '../store/tables.ts';
import { type Finder, findersOf } from './columns.ts';

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
