// The migrations of the schema: numbered steps, read from schema/, and what they compute for every row. A
// step that has been released is never edited: a change is a new step.

import { readdirSync, readFileSync } from 'node:fs';
import { parseCharge } from '@linecard/client/contract/charge';
import { fieldOf } from '@linecard/client/contract/list';
import { StoreRefused } from './store-errors.ts';
import { type DerivedColumn, type Stored, type Table, tables } from './tables.ts';

const FOLDER = new URL('./schema/', import.meta.url);

/** What is migrated by itself: each database, and the file of the embedded one that holds the tokens. */
export type SchemaName = 'sqlite' | 'postgres' | 'sqlite-tokens';

/** `-- for: sqlite-tokens, postgres`: which schemas the lines after it are for. */
const SECTION = /^-- for: (.+)\n/m;
/** What SQLite spells differently of what is for both databases, which is written for PostgreSQL. */
const IN_SQLITE: readonly (readonly [RegExp, string])[] = [
  [/ {1,9}collate "C"/g, ''],
  [/\bbigint\b/g, 'integer'],
  [/^\)(?: with \(.*\))?;$/gm, ') strict, without rowid;'],
];

/** The statements of a step for one schema; `undefined` where it has no section for it. */
function statementsFor(schema: SchemaName, step: string): string | undefined {
  const parts = step.split(SECTION).slice(1);
  const sections = parts.flatMap((names, i) => {
    const schemas = names.split(', ');
    if (i % 2 === 1 || !schemas.includes(schema)) return [];
    const isSpelled = schema === 'postgres' || !schemas.includes('postgres');
    const text = parts[i + 1] ?? '';
    return isSpelled ? [text] : [IN_SQLITE.reduce((sql, [from, to]) => sql.replace(from, to), text)];
  });
  return sections.length === 0 ? undefined : sections.join('');
}

const stepsRead = new Map<SchemaName, readonly string[]>();

/**
 * The steps of a schema in order, as SQL text; step 1 is the first element. Those of the two databases are
 * numbered alike, so one may be empty; the file of the tokens has those that are for it.
 */
export function schemaSteps(schema: SchemaName): readonly string[] {
  const read = stepsRead.get(schema);
  if (read !== undefined) return read;
  const found = readdirSync(FOLDER)
    .sort()
    .map((name) => statementsFor(schema, readFileSync(new URL(name, FOLDER), 'utf8')));
  const steps =
    schema === 'sqlite-tokens' ? found.filter((step) => step !== undefined) : found.map((step) => step ?? '');
  stepsRead.set(schema, steps);
  return steps;
}

/** An item as it is stored and answered. */
type Item = Readonly<Record<string, string | number | boolean | null>>;

/**
 * What a step computes for every row of a list, in its transaction, after its SQL: no SQL folds text as the
 * program does. Only rows that are different then are written. For their accounts the list was rebuilt: what
 * was read of it, and older tokens of changes, are no longer valid.
 */
interface BackfillStep {
  readonly table: keyof typeof tables;
  /** Derived columns that are computed from the item. */
  readonly columns: readonly string[];
  /** Returns the item as it is to be stored, such as with a new field. */
  readonly rewrite?: (item: Item) => Item;
}

const folded = (...fields: readonly string[]) => fields.map((field) => `${field}_folded`);

const NUMBER_TEXTS = ['did', 'comment', 'country', 'country_code', 'provider', 'status'] as const;
const SERVICE_TEXTS = ['title', 'comment', 'service_name'] as const;
const SUBSCRIPTION_TEXTS = ['subscription_status', 'frequency'] as const;

const BACKFILLS: Readonly<Record<number, readonly BackfillStep[]>> = {
  3: [{ table: 'virtual_numbers', columns: ['did_digits', 'subscription_status_folded', 'created_at'] }],
  17: [
    { table: 'virtual_numbers', columns: folded(...NUMBER_TEXTS, ...SUBSCRIPTION_TEXTS) },
    { table: 'additional_services', columns: folded(...SERVICE_TEXTS, ...SUBSCRIPTION_TEXTS) },
  ],
};

/** The columns of a list that a step computes, and their values. */
export interface Backfill {
  readonly table: Table;
  readonly columns: readonly Pick<DerivedColumn, 'name' | 'type'>[];
  /** The columns that are read of each row. */
  readonly read: readonly string[];
  /**
   * The values of the computed columns, as an import would store them today, by those that were read;
   * `undefined` where the row has them already.
   */
  readonly valuesOf: (stored: readonly Stored[]) => Stored[] | undefined;
}

/** What a step computes of the columns that still exist. */
export function backfillsOf(step: number): Backfill[] {
  return (BACKFILLS[step] ?? []).map(backfillOf);
}

const isSame = (value: Stored, stored: Stored | undefined) =>
  value === null ? stored === null : stored !== null && String(value) === String(stored);

function backfillOf({ table: name, columns: names, rewrite }: BackfillStep): Backfill {
  const table = tables[name];
  const derived = table.columns.filter((column) => names.includes(column.name));
  const hidden = derived.map(({ field }) => field).filter((field) => field in table.list.hidden);
  const read = ['item', ...derived.map((column) => column.name), ...hidden];
  return {
    table,
    columns: [...derived, ...(rewrite === undefined ? [] : [{ name: 'item', type: 'text' } as const])],
    read,
    valuesOf(stored) {
      const [text, ...others] = stored as [string, ...Stored[]];
      const before = parsed(text, name);
      const item = rewrite?.(before) ?? before;
      const ofRow = hidden.map((field, i) => [field, others[derived.length + i] ?? null] as const);
      const row = { ...item, ...Object.fromEntries(ofRow) };
      const values = derived.map((column) => column.derive(rowValue(table, row, column.field)));
      const rewritten = rewrite === undefined ? [] : [itemText(table, item)];
      const isDone = values.every((value, i) => isSame(value, others[i])) && (rewritten[0] ?? text) === text;
      return isDone ? undefined : [...values, ...rewritten];
    },
  };
}

/** The value of a field as an import gives it to a column. */
function rowValue({ list }: Table, item: Item, field: string): Item[string] {
  const value = item[field] ?? null;
  const { kind } = list.hidden[field] ?? fieldOf(list, field);
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
