// The migrations of the schema: numbered steps, read from schema/, and what they compute for every row. A
// step that has been released is never edited: a change is a new step.

import { readdirSync, readFileSync } from 'node:fs';
import { parseCharge } from '@linecard/client/contract/charge';
import { fieldOf } from '@linecard/client/contract/list';
import { StoreRefused } from './store-errors.ts';
import { type DerivedColumn, type Stored, type Table, tables } from './tables.ts';

const FOLDER = new URL('./schema/', import.meta.url);

/** What has its own steps: each database, and the file of the embedded one that holds the tokens. */
export type SchemaName = 'sqlite' | 'postgres' | 'sqlite-tokens';

/** The steps of a schema in order, as SQL text; step 1 is the first element. */
export function schemaSteps(schema: SchemaName): string[] {
  const folder = new URL(`${schema}/`, FOLDER);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => readFileSync(new URL(name, folder), 'utf8'));
}

/** An item as it is stored and answered. */
type Item = Readonly<Record<string, string | number | boolean | null>>;

/**
 * What a step computes for every row of a list, in its transaction, after its SQL: no SQL folds text as the
 * program does. Older tokens of changes are no longer valid: the list was rebuilt.
 */
interface BackfillStep {
  readonly table: keyof typeof tables;
  /** Derived columns that are computed from the item. */
  readonly columns: readonly string[];
  /** Returns the item as it is to be stored, such as with a new field. */
  readonly rewrite?: (item: Item) => Item;
}

const BACKFILLS: Readonly<Record<number, BackfillStep>> = {
  3: { table: 'virtual_numbers', columns: ['did_digits', 'subscription_status_folded', 'created_at'] },
};

/** The columns that a step computes, and their values. */
export interface Backfill {
  readonly table: Table;
  readonly columns: readonly Pick<DerivedColumn, 'name' | 'type'>[];
  /** The values of these columns for a row with that item, as an import would store them today. */
  readonly valuesOf: (item: string) => Stored[];
}

/** What a step computes of the columns that still exist. */
export function backfillOf(step: number): Backfill | undefined {
  const { table: name, columns: names = [], rewrite } = BACKFILLS[step] ?? {};
  if (name === undefined) return undefined;
  const table = tables[name];
  const columns = table.columns.filter((column) => names.includes(column.name));
  const derived = (item: Item) => columns.map((column) => column.derive(rowValue(table, item, column.field)));
  if (rewrite === undefined) return { table, columns, valuesOf: (item) => derived(parsed(item, name)) };
  return {
    table,
    columns: [...columns, { name: 'item', type: 'text' }],
    valuesOf(item) {
      const rewritten = rewrite(parsed(item, name));
      return [...derived(rewritten), itemText(table, rewritten)];
    },
  };
}

/** The value of a field as an import gives it to a column. */
function rowValue({ list }: Table, item: Item, field: string): Item[string] {
  const value = item[field] ?? null;
  const kind = fieldOf(list, field).kind;
  return kind === 'charge' ? (parseCharge(String(value)) ?? null) : value;
}

/** An item with its fields in the order of the contract; fields that a later step removes come last. */
function itemText({ list }: Table, item: Item): string {
  const known = Object.keys(list.fields).filter((name) => name in item);
  return JSON.stringify({ ...Object.fromEntries(known.map((name) => [name, item[name]])), ...item });
}

/** @throws {StoreRefused} when a row of the table is damaged. */
function parsed(item: string, table: string): Item {
  try {
    return JSON.parse(item) as Item;
  } catch (error) {
    throw new StoreRefused(
      `A row of ${table} is damaged, and the database was left at its older schema: restore it from a backup.`,
      { cause: error },
    );
  }
}

/**
 * @param database its name, as at the beginning of a sentence.
 * @throws {StoreRefused} when it has a step that is not known here.
 */
export function refuseNewerSchema(database: string, step: number, schema: SchemaName): void {
  const newest = schemaSteps(schema).length;
  if (step <= newest) return;
  throw new StoreRefused(
    `${database} has schema step ${step}, but this program knows only ${newest} steps: it was written by a newer Linecard. Start that version, or restore a backup made before the upgrade.`,
  );
}

/** The error for a database with an older schema that may not be changed. */
export function olderSchema(database: string): StoreRefused {
  return new StoreRefused(`The schema of ${database} is not up to date: run linecard-server migrate.`);
}
