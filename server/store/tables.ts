// The tables and columns of the contract. Columns are derived: a field has a column if a filter, a sort key,
// the search or a sum needs one, so a new filter or sort key is a line in the contract and a schema step.

import { lists } from '@linecard/client/contract';
import { chargeOf } from '@linecard/client/contract/charge';
import { numberDigits } from '@linecard/client/contract/digits';
import { fold } from '@linecard/client/contract/fold';
import type { EventRule, Field, Filter, List } from '@linecard/client/contract/list';

export type Stored = string | number | null;

declare const ofAnItem: unique symbol;
/**
 * The JSON text of an item as it is stored, with everything in it. To the compiler it is no text, and nothing
 * that a template takes: what leaves a store as an item goes through a projection (`lists/fields.ts`).
 */
export type StoredItem = symbol & { readonly [ofAnItem]: never };
/** A row with an item, its id and, where that is read, its sort key. */
export type ItemRow = readonly [item: StoredItem, id: number, key?: Stored];

export type ColumnType = 'text' | 'bigint';

/** A checked item of a list, before it is stored: charges in millionths, timestamps in the one form. */
export type RowValues = Readonly<Record<string, string | number | boolean | null>>;

export interface DerivedColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly field: string;
  readonly nullable: boolean;
  /** Its value for a value of the field, or for one that the field is compared with. */
  readonly derive: (value: string | number | boolean | null) => Stored;
}

export interface Table {
  readonly list: List;
  readonly name: string;
  /** In the order of the fields in the contract; `id`, `account_id` and `item` are not among them. */
  readonly columns: readonly DerivedColumn[];
  /** The column that filters of the field compare. */
  filtered(field: string): DerivedColumn;
  /** The column that orders the field: folded for text. */
  ordered(field: string): { readonly column: string; readonly nullable: boolean };
}

const asIs = (value: string | number | boolean | null): Stored =>
  typeof value === 'boolean' ? Number(value) : value;

/** The column that has a text in upper and lower case alike. */
export const folded = (field: string) => `${field}_folded`;
const digits = (field: string) => `${field}_digits`;

const ID: DerivedColumn = { name: 'id', type: 'bigint', field: 'id', nullable: false, derive: asIs };

function columnsOf(list: List, name: string, field: Field): DerivedColumn[] {
  const isNumber = list.searchDigits === name;
  const isFiltered = Object.values(list.filters).some((filter) => filter.field === name);
  const isSorted = Object.values(list.sorts).includes(name);
  const type = field.kind === 'text' || field.kind === 'timestamp' ? 'text' : 'bigint';
  const exact = { name, type, field: name, nullable: field.nullable === true, derive: asIs } as const;
  if (name === 'id') return [];
  if (field.kind !== 'text') return isFiltered || isSorted || field.kind === 'charge' ? [exact] : [];
  const columns: DerivedColumn[] = [];
  if ((isFiltered && !isNumber) || name in list.hidden) columns.push(exact);
  if (isSorted || list.search.includes(name))
    columns.push({ ...exact, name: folded(name), derive: (value) => fold(String(value)) });
  if (isNumber)
    columns.push({ ...exact, name: digits(name), derive: (value) => numberDigits(String(value)) });
  return columns;
}

function tableOf(list: List): Table {
  const fields: Readonly<Record<string, Field>> = { ...list.fields, ...list.hidden };
  const columns = Object.entries(fields).flatMap(([name, field]) => columnsOf(list, name, field));
  const byName = new Map([ID, ...columns].map((column) => [column.name, column]));
  return {
    list,
    name: list.name,
    columns,
    filtered(field) {
      const column = byName.get(field === list.searchDigits ? digits(field) : field);
      if (column === undefined) throw new Error(`No filter of ${list.name} compares ${field}.`);
      return column;
    },
    ordered(field) {
      const { kind, nullable } = fields[field] as Field;
      return { column: kind === 'text' ? folded(field) : field, nullable: nullable === true };
    },
  };
}

export const tables = {
  virtual_numbers: tableOf(lists.virtual_numbers),
  additional_services: tableOf(lists.additional_services),
} as const satisfies Readonly<Record<keyof typeof lists, Table>>;

export type ListName = keyof typeof tables;

/** Columns of the search: folded text, and digits. */
export function searchColumns(list: List): {
  readonly text: readonly string[];
  readonly digits: readonly string[];
} {
  return {
    text: list.search.map(folded),
    digits: list.searchDigits === undefined ? [] : [digits(list.searchDigits)],
  };
}

/** Columns of the filters, and of the list's own conditions. */
export function filterColumns(table: Table): string[] {
  const { filters, only } = table.list;
  const columns = Object.values<Filter>(filters).map(({ field }) => table.filtered(field).name);
  return [...new Set([...columns, ...Object.keys(only)])].filter((column) => column !== 'id');
}

export function sortColumns(table: Table): string[] {
  const columns = Object.values(table.list.sorts).map((field) => table.ordered(field).column);
  return [...new Set(columns)].filter((column) => column !== 'id');
}

/** The SQL condition that a stored row is listed; `row` is how the statement names the row. */
export function listedCondition({ list, name }: Table, row: string = name): string {
  const only = Object.entries(list.only).map(([column, value]) => `${row}.${column} = '${value}'`);
  return ['true', ...only].join(' and ');
}

/** The JSON text of an item, byte for byte as an answer carries it. */
export function itemOf(list: List, values: RowValues): string {
  const item: Record<string, unknown> = {};
  for (const name in list.fields) {
    const value = values[name] ?? null;
    item[name] = list.fields[name]?.kind === 'charge' ? chargeOf(value as number) : value;
  }
  return JSON.stringify(item);
}

/** From where to where the text of an item has the value of a field. */
function memberPosition({ fields }: List, item: string, field: string): readonly [from: number, to: number] {
  const names = Object.keys(fields);
  const position = names.indexOf(field);
  const next = names[position + 1];
  // No text within a value is like this: its quotes are escaped.
  const from = item.indexOf(`${position === 0 ? '{' : ','}"${field}":`) + field.length + 4;
  const to = next === undefined ? item.length - 1 : item.indexOf(`,"${next}":`, from);
  if (position < 0 || from < field.length + 4 || to < 0)
    throw new Error(`An item is stored without ${field}.`);
  return [from, to];
}

/** The JSON texts of all fields of an item, in the order of the contract. */
export function memberTexts({ fields }: List, item: string): string[] {
  const names = Object.keys(fields);
  let from = 0;
  return names.map((name, i) => {
    const start = from + name.length + 4;
    const next = names[i + 1];
    from = next === undefined ? item.length - 1 : item.indexOf(`,"${next}":`, start);
    return item.slice(start, from);
  });
}

/** The JSON text of one field of an item. */
export const memberText = (list: List, item: string, field: string): string =>
  item.slice(...memberPosition(list, item, field));

/** The text of an item with another value of a field. */
export function withMember(list: List, item: string, field: string, value: string): string {
  const [from, to] = memberPosition(list, item, field);
  return item.slice(0, from) + value + item.slice(to);
}

/** The names of all columns of a stored row, in the order in which `storedRow` returns their values. */
export function storedColumns(table: Table): string[] {
  return ['id', 'account_id', ...table.columns.map((column) => column.name), 'item'];
}

/** The columns by which rows differ, `id` first: all others follow from the text of the item. */
export function comparedColumns({ list }: Table): string[] {
  return ['id', 'account_id', ...Object.keys(list.hidden), 'item'];
}

/**
 * The columns from which an item follows, whether it is listed, and which events a change of it is, `id`
 * first. Charges are exact in their columns.
 */
export function sourceColumns(table: Table): string[] {
  const { fields, only } = table.list;
  const charges = Object.keys(fields).filter((name) => fields[name]?.kind === 'charge');
  const ofEvents = Object.values<EventRule>(table.list.events).flatMap((event) => event.fields);
  return [...new Set([...comparedColumns(table), ...Object.keys(only), ...charges, ...ofEvents])];
}

/** Whether a row as it is stored is the same as one that was read, by `sourceColumns`. */
export function sameRows(table: Table): (read: readonly Stored[], row: readonly Stored[]) => boolean {
  const [source, columns] = [sourceColumns(table), storedColumns(table)];
  const pairs = comparedColumns(table).map((name) => [source.indexOf(name), columns.indexOf(name)] as const);
  return (read, row) => pairs.every(([from, to]) => read[from] === row[to]);
}

/** Whether a row as it is stored is listed. */
export function listedRows(table: Table): (row: readonly Stored[]) => boolean {
  const columns = storedColumns(table);
  const only = Object.entries(table.list.only).map(
    ([name, value]) => [columns.indexOf(name), value] as const,
  );
  return (row) => only.every(([position, value]) => row[position] === value);
}

export function storedRow(table: Table, account_id: string, values: RowValues): Stored[] {
  const row: Stored[] = [values['id'] as number, account_id];
  for (const column of table.columns) row.push(column.derive(values[column.field] ?? null));
  row.push(itemOf(table.list, values));
  return row;
}
