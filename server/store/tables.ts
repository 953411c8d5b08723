// The tables and columns of the contract. Columns are derived: a field has a column if a filter, a sort key,
// the search or a sum needs one, so a new filter or sort key is a line in the contract and a schema step.

import { lists } from '@linecard/client/contract';
import { numberDigits } from '@linecard/client/contract/digits';
import { summedFields } from '@linecard/client/contract/facets';
import { fold } from '@linecard/client/contract/fold';
import type { EventRule, Field, Filter, List, OwnField } from '@linecard/client/contract/list';
import { ownFieldsOf, withFields } from '@linecard/client/contract/own-fields';
import { itemOf } from './item-text.ts';
import { OWN_TEXT, ownColumn, ownColumns, ownTexts, type SeparateField } from './own-columns.ts';

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
  /** As statements read it: a column, or an expression of one. */
  readonly name: string;
  /** Where it is stored, if that has another name. */
  readonly stored?: string;
  /** Its value as it is stored, if not as `derive` returns it. */
  readonly store?: (value: string | number | boolean | null) => Stored;
  readonly type: ColumnType;
  readonly field: string;
  readonly nullable: boolean;
  /** Its value for a value of the field, or for one that the field is compared with. */
  readonly derive: (value: string | number | boolean | null) => Stored;
}

export interface Table {
  readonly list: List;
  /** The same list with the fields of the contract alone: those that the text of a stored item has. */
  readonly base: List;
  readonly name: string;
  /** What is declared of it; absent for nothing. */
  readonly own: OwnFields | undefined;
  /** The values of `OWN_TEXT`; absent where nothing is declared. */
  readonly ownTexts: ReturnType<typeof ownTexts> | undefined;
  /** In the order of the fields in the contract; `id`, `account_id` and `item` are not among them. */
  readonly columns: readonly DerivedColumn[];
  /** The column that filters of the field compare. */
  filtered(field: string): DerivedColumn;
  /** The column that orders the field: folded for text. */
  ordered(field: string): { readonly column: string; readonly nullable: boolean };
  /** The fields whose values are in columns of their own, and not in the text of a stored item. */
  readonly separate: readonly SeparateField[];
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

function tableOf(list: List, base: List = list, own?: OwnFields): Table {
  const fields: Readonly<Record<string, Field>> = { ...base.fields, ...base.hidden };
  const owns = ownFieldsOf(list).map((one) => ({ own: one, columns: ownColumns(one) }));
  const columns = [
    ...Object.entries(fields).flatMap(([name, field]) => columnsOf(base, name, field)),
    ...owns.flatMap((one) => one.columns.all),
  ];
  const byName = new Map([ID, ...columns].map((column) => [column.name, column]));
  const ofOwn = new Map(owns.map((one) => [one.own.name, one.columns]));
  const hidden = Object.keys(base.hidden).map((field) => ({ field, column: field, own: undefined }));
  return {
    list,
    base,
    name: list.name,
    own,
    ownTexts: own === undefined ? undefined : ownTexts(own),
    columns,
    separate: [
      ...hidden,
      ...owns.map(({ own: one }) => ({ field: one.name, column: ownColumn(one), own: one })),
    ],
    filtered(field) {
      const column =
        ofOwn.get(field)?.filtered ?? byName.get(field === list.searchDigits ? digits(field) : field);
      if (column === undefined) throw new Error(`No filter of ${list.name} compares ${field}.`);
      return column;
    },
    ordered(field) {
      const own = ofOwn.get(field)?.ordered;
      if (own !== undefined) return { column: own.name, nullable: own.nullable };
      const { kind, nullable } = fields[field] as Field;
      return { column: kind === 'text' ? folded(field) : field, nullable: nullable === true };
    },
  };
}

export const tables = Object.fromEntries(
  Object.entries(lists).map(([name, list]) => [name, tableOf(list)]),
) as Readonly<Record<keyof typeof lists, Table>>;

/** What an operator has declared of a list, at one time: data that a question has with it on any thread. */
export interface OwnFields {
  /** No other declaration has it. */
  readonly revision: string;
  /** The same for as long as items have the same fields, whatever these are called. */
  readonly shape: string;
  readonly fields: readonly OwnField[];
}

/** More than are used within one answer. */
const MAX_TABLES = 16;
const withOwn = new Map<string, Table>();
/** The same by the object that a thread has it from, which takes a request no text to find. */
const withObject = new WeakMap<OwnFields, Table>();

/** The table of a list, with its own fields if there are any. The list in it is what answers are made by. */
export function tableWith(name: ListName, own: OwnFields | undefined): Table {
  const base: Table = tables[name];
  if (own === undefined || own.fields.length === 0) return base;
  const found = withObject.get(own);
  if (found?.name === name) return found;
  const table = tableByRevision(name, base.list, own);
  withObject.set(own, table);
  return table;
}

function tableByRevision(name: ListName, base: List, own: OwnFields): Table {
  const key = `${name} ${own.revision}`;
  const known = withOwn.get(key);
  if (known !== undefined) return known;
  const table = tableOf(withFields(base, own.fields), base, own);
  if (withOwn.size >= MAX_TABLES) withOwn.delete(withOwn.keys().next().value as string);
  withOwn.set(key, table);
  return table;
}

export type ListName = keyof typeof tables;

/** Columns of the search: folded text, and digits. */
export function searchColumns(table: Table): {
  readonly text: readonly string[];
  readonly digits: readonly string[];
} {
  return {
    text: table.list.search.map((field) => table.ordered(field).column),
    digits: table.list.searchDigits === undefined ? [] : [digits(table.list.searchDigits)],
  };
}

/** Columns of the filters, and of the list's own conditions. */
export function filterColumns(table: Table): string[] {
  const { filters, only } = table.list;
  const columns = Object.values<Filter>(filters).map(({ field }) => table.filtered(field).name);
  return [...new Set([...columns, ...Object.keys(only)])].filter((column) => column !== 'id');
}

/** The columns of charges that are summed, in the order of the contract. */
export const summedColumns = (table: Table): string[] =>
  summedFields(table.list).map((field) => table.filtered(field).name);

export function sortColumns(table: Table): string[] {
  const columns = Object.values(table.list.sorts).map((field) => table.ordered(field).column);
  return [...new Set(columns)].filter((column) => column !== 'id');
}

/** The SQL condition that a stored row is listed; `row` is how the statement names the row. */
export function listedCondition({ list, name }: Table, row: string = name): string {
  const only = Object.entries(list.only).map(([column, value]) => `${row}.${column} = '${value}'`);
  return ['true', ...only].join(' and ');
}

/** Where a column is stored. */
export const storedName = ({ name, stored = name }: DerivedColumn): string => stored;
/** A value of a field as its column stores it. */
export const storedValue = ({ derive, store = derive }: DerivedColumn, value: RowValues[string]): Stored =>
  store(value);

/** The names of all columns of a stored row, in the order in which `storedRow` returns their values. */
export function storedColumns(table: Table): string[] {
  const texts = table.own === undefined ? [] : OWN_TEXT;
  return ['id', 'account_id', ...table.columns.map(storedName), ...texts, 'item'];
}

/** The columns by which rows differ, `id` first: all others follow from the text of the item. */
export function comparedColumns({ separate }: Table): string[] {
  return ['id', 'account_id', ...separate.map(({ column }) => column), 'item'];
}

/**
 * The columns from which an item follows, whether it is listed, and which events a change of it is, `id`
 * first. Charges are exact in their columns.
 */
export function sourceColumns(table: Table): string[] {
  const { fields, only, events } = table.base;
  const charges = Object.keys(fields).filter((name) => fields[name]?.kind === 'charge');
  const ofEvents = Object.values<EventRule>(events).flatMap((event) => event.fields);
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
  for (const column of table.columns) row.push(storedValue(column, values[column.field] ?? null));
  if (table.ownTexts !== undefined) row.push(...table.ownTexts(values));
  row.push(itemOf(table.base, values));
  return row;
}
