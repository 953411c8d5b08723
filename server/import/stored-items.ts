// What a file says of an item that is stored, and what is stored of it -> the complete row.

import { memberText, withMember } from '../store/item-text.ts';
import { ownValue, type SeparateField } from '../store/own-columns.ts';
import type { ResultRow } from '../store/store.ts';
import { type RowValues, type Stored, sourceColumns, storedValue, type Table } from '../store/tables.ts';
import { type Finder, findersOf, REMOVED } from './columns.ts';
import { rowOf } from './targets.ts';

export class StoredItems {
  readonly #table: Table;
  readonly #columns: readonly string[];
  readonly #finders: ReadonlyMap<string, Finder>;
  /** Fields whose values are not in the text of an item. */
  readonly #separate: ReadonlyMap<string, SeparateField>;

  constructor(table: Table) {
    this.#table = table;
    this.#columns = sourceColumns(table);
    this.#finders = new Map(findersOf(table.list).map((finder) => [finder.name, finder]));
    this.#separate = new Map(table.separate.map((one) => [one.field, one]));
  }

  accountOf(stored: ResultRow): string {
    return String(stored[this.#columns.indexOf('account_id')]);
  }

  /**
   * The complete rows of a run that changes items that are there (`--update`), as a load takes them.
   * @param stored the rows that are there of these ids, in any order.
   * @param onAbsent is called where there is none of the change's account, with the row of another.
   */
  changedRows(
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
        return [rowOf(this.#table, this.#merge(row, change))];
      onAbsent(i, row);
      return [];
    });
  }

  /**
   * The rows of any other run: of items that are there, each column that the file does not have is that of
   * the stored item.
   * @param rows complete, with the defaults of what is absent.
   */
  completedRows(
    stored: readonly ResultRow[],
    rows: readonly (readonly Stored[])[],
    absent: readonly (readonly string[])[],
  ): (readonly Stored[])[] {
    const byId = new Map(stored.map((row) => [row[0] as number, row]));
    return rows.map((row, i) => {
      const names = absent[i] ?? [];
      const before = names.length === 0 ? undefined : byId.get(row[0] as number);
      return before === undefined ? row : this.#complete(row, before, names);
    });
  }

  /**
   * The text of the item is put together from the texts of its members: to parse both and to write the item
   * again takes five times as long.
   */
  #complete(row: readonly Stored[], stored: ResultRow, absent: readonly string[]): Stored[] {
    const { base: list, columns } = this.#table;
    const complete = [...row];
    const item = String(stored[this.#columns.indexOf('item')]);
    let text = String(complete.at(-1));
    const found = [...this.#finders.keys()].filter((name) => absent.includes(name));
    for (const name of [...absent.filter((one) => !found.includes(one)), ...found]) {
      const isSeparate = this.#separate.has(name);
      if (!isSeparate && memberText(list, text, name) === memberText(list, item, name)) continue;
      const again = this.#foundAgain(name, stored, text);
      const value = again ?? this.#storedValue(stored, item, name);
      if (!isSeparate)
        text = withMember(
          list,
          text,
          name,
          again === undefined ? memberText(list, item, name) : JSON.stringify(again),
        );
      for (const [i, column] of columns.entries())
        if (column.field === name) complete[2 + i] = storedValue(column, value);
    }
    complete[complete.length - 1] = text;
    return complete;
  }

  /** The value of a column that others tell, such as a country by its number, where it was found before. */
  #foundAgain(name: string, stored: ResultRow, text: string): string | undefined {
    const finder = this.#finders.get(name);
    if (finder === undefined) return undefined;
    const before = this.#valuesOf(stored);
    return finder.find(before) === before[name] ? finder.find(JSON.parse(text) as RowValues) : undefined;
  }

  #storedValue(stored: ResultRow, item: string, name: string): RowValues[string] {
    const { base } = this.#table;
    const separate = this.#separate.get(name);
    const isCharge = base.fields[name]?.kind === 'charge';
    if (separate === undefined && !isCharge)
      return JSON.parse(memberText(base, item, name)) as RowValues[string];
    const value = stored[this.#columns.indexOf(separate?.column ?? name)] ?? null;
    if (separate?.own !== undefined) return ownValue(separate.own, value);
    return isCharge ? Number(value) : value;
  }

  /** All values of an item after a change; what the change leaves empty is found as in any other row. */
  #merge(stored: ResultRow, change: RowValues): RowValues {
    const values: Record<string, RowValues[string]> = { ...this.#valuesOf(stored), ...change };
    for (const [name, finder] of this.#finders) {
      if (change[name] === '') values[name] = finder.find(values);
    }
    return values;
  }

  /** Its text holds all of an item but what is in columns of its own; charges are exact in theirs. */
  #valuesOf(stored: ResultRow): RowValues {
    const item = String(stored[this.#columns.indexOf('item')]);
    const values = { ...(JSON.parse(item) as Record<string, RowValues[string]>) };
    const charges = Object.entries(this.#table.base.fields).filter(([, { kind }]) => kind === 'charge');
    for (const name of [...charges.map(([charge]) => charge), ...this.#separate.keys()])
      values[name] = this.#storedValue(stored, item, name);
    return values;
  }
}
