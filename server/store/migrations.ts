// The migrations of the schema: numbered steps, read from schema/, and the columns whose values no SQL can
// make. A step that has been released is never edited: change comes as the next step.

import { readdirSync, readFileSync } from 'node:fs';
import { StoreRefused } from './store-errors.ts';
import { type Stored, type Table, tables } from './tables.ts';

const FOLDER = new URL('./schema/', import.meta.url);

/** What has steps of its own: each database, and the file beside the embedded one that holds its tokens. */
export type SchemaName = 'sqlite' | 'postgres' | 'sqlite-tokens';

/** The steps of a schema in order, as SQL text; step 1 is the first element. */
export function schemaSteps(schema: SchemaName): string[] {
  const folder = new URL(`${schema}/`, FOLDER);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => readFileSync(new URL(name, folder), 'utf8'));
}

/** Columns of a table that are drawn anew from the items of its rows. */
export interface Redrawing {
  readonly table: Table;
  /** They hold texts. */
  readonly columns: readonly string[];
  /** Their values, in their order, of a row with that item: as an import would store them today. */
  readonly draw: (item: string) => Stored[];
}

/** What is drawn anew behind the SQL of a step, in its transaction: no SQL folds text as the program does. */
const REDRAWN: Readonly<Record<number, readonly [table: keyof typeof tables, columns: readonly string[]]>> = {
  3: ['virtual_numbers', ['did_digits', 'subscription_status_folded', 'created_at']],
};

/** What a step draws anew, of the columns that are still there today. */
export function redrawingOf(step: number): Redrawing | undefined {
  const [name, redrawn] = REDRAWN[step] ?? [];
  if (name === undefined) return undefined;
  const table = tables[name];
  const columns = table.columns.filter((column) => redrawn?.includes(column.name));
  return {
    table,
    columns: columns.map((column) => column.name),
    draw(item) {
      const values = valuesOf(item, name);
      return columns.map((column) => column.derive(values[column.field] ?? null));
    },
  };
}

/** @throws {StoreRefused} when a row of the table is damaged. */
function valuesOf(item: string, table: string): Record<string, string> {
  try {
    return JSON.parse(item) as Record<string, string>;
  } catch (error) {
    throw new StoreRefused(
      `A row of ${table} is damaged, and the database was left at its older schema: restore it from a backup.`,
      { cause: error },
    );
  }
}

/**
 * @throws {StoreRefused} when a database, which is named as a sentence begins, has a step that is not known
 * here.
 */
export function refuseNewerSchema(database: string, step: number, schema: SchemaName): void {
  const newest = schemaSteps(schema).length;
  if (step <= newest) return;
  throw new StoreRefused(
    `${database} has schema step ${step}, but this program knows only ${newest} steps: it was written by a newer Linecard. Start that version, or restore a backup made before the upgrade.`,
  );
}

/** @returns what refuses a database whose schema an older Linecard made, where it may not be changed. */
export function olderSchema(database: string): StoreRefused {
  return new StoreRefused(`The schema of ${database} is not up to date: run linecard-server migrate.`);
}
