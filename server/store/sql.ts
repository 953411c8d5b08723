// SQL: a plan written as one statement, text and values, in the dialect of its database.

import { type Bound, type Condition, conditionText, Values } from './conditions.ts';
import type { Dialect } from './dialects.ts';
import { itemColumn } from './item-column.ts';
import type { ItemRow, OwnFields, Stored } from './tables.ts';

/**
 * Whose rows a statement is about: those of an account, those that belong to one token, the accounts directly
 * below one or, separated by line breaks, several; or every account, for a token of an operator.
 */
export interface Owner {
  readonly kind: 'account_id' | 'token_hash' | 'token_id' | 'parent_id' | 'operator_id';
  readonly value: string;
}

declare const rowOf: unique symbol;

/** `Row`: what the store returns of it, without the row guard; nothing but types has it. */
export interface Statement<Row extends readonly unknown[] = readonly Stored[]> {
  [rowOf]?(row: Row): never;
  readonly text: string;
  readonly values: readonly Bound[];
  /**
   * The row guard: each row begins with this value, the column that says whose it is, which the store checks
   * and removes.
   */
  readonly owner?: Owner;
  /** The token that reads it, if that may read many accounts: its reads count together (`storeFor`). */
  readonly token?: string | undefined;
  /** Its only row begins with the revision of the account that it is about. */
  readonly tellsRevision?: true;
  /**
   * It is about tables of tokens, webhooks or runs alone, which are not with the rows of its owner: to write
   * waits for no import. Next to statements on lists it must be idempotent: it may run again.
   */
  readonly separate?: true;
  /** Unless it changes a row, nothing of its transaction is done, which writes tokens as well. */
  readonly isRequired?: true;
  /** It writes an entry of the audit log. */
  readonly isEntry?: true;
  /** PostgreSQL looks up many values by hash only if it knows them when it plans. */
  readonly hasManyValues?: true;
}

/** A statement of any rows. */
export type AnyStatement = Statement<readonly unknown[]>;

/** Marks a statement on the tables of tokens. */
export function separate(statement: Statement): Statement {
  return { ...statement, separate: true };
}

/** Whose rows, and which of them. */
export interface Selection {
  readonly account_id: string;
  /** The list, which is also the name of its table and of its total in `accounts`. */
  readonly list: string;
  readonly where: readonly Condition[];
  /** Whether all listed rows are selected: `where` has only the conditions of the list itself. */
  readonly whole: boolean;
  /** How long an item may be, in bytes of UTF-8; the text of a longer one is empty. Absent for any length. */
  readonly itemBytes?: number | undefined;
  /** The own fields that its items have, which are in columns; absent for none. */
  readonly own?: OwnFields | undefined;
}

/** What to read: which rows, in which order, from which row and how many. */
export interface Plan extends Selection {
  readonly order: { readonly column: string; readonly nullable: boolean; readonly descending: boolean };
  /** Absent for all of them. */
  readonly limit?: number;
  readonly offset?: number;
  /** Keyset pagination: start after this row of the order instead of at the offset. */
  readonly after?: { readonly key: Stored; readonly id: number };
}

/** Keyset pagination: all rows after one row of the order; `null` is last in both directions. */
function rowsAfter(values: Values, { order, after }: Plan): string[] {
  if (after === undefined) return [];
  const { column, nullable } = order;
  const beyond = order.descending ? '<' : '>';
  if (column === 'id') return [`id ${beyond} ${values.bind(after.id)}`];
  if (after.key === null) return [`${column} is null and id ${beyond} ${values.bind(after.id)}`];
  const row = `(${column}, id) ${beyond} (${values.bind(after.key)}, ${values.bind(after.id)})`;
  return [nullable ? `(${row} or ${column} is null)` : row];
}

/** Conditions as texts. The owner's predicate is added here and nowhere else. */
function conditionsOf(
  dialect: Dialect,
  values: Values,
  { account_id }: Pick<Selection, 'account_id'>,
  where: readonly Condition[],
): string[] {
  const owner = `account_id = ${values.bind(account_id)}`;
  return [owner, ...where.map((one) => conditionText(dialect, values, one))];
}

/** `from … where …` for a selection that is counted, or of a table that is no list. */
export function fromWhere(dialect: Dialect, values: Values, selection: Selection): string {
  const { list, where } = selection;
  return `from ${list} where ${conditionsOf(dialect, values, selection, where).join(' and ')}`;
}

/** The columns of a list's index, after the account. */
const INDEXED = ['id', 'category'];

/**
 * `from … where …` for rows of a list that are returned.
 * @param more further conditions, on columns of the index or on others.
 */
function fromRows(
  dialect: Dialect,
  values: Values,
  selection: Selection,
  more: { readonly entries?: readonly string[]; readonly rows?: readonly string[] } = {},
): string {
  const { list, where } = selection;
  const isIndexed = (one: Condition) => 'column' in one && INDEXED.includes(one.column);
  const entries = conditionsOf(dialect, values, selection, where.filter(isIndexed));
  const rows = where.filter((one) => !isIndexed(one)).map((one) => conditionText(dialect, values, one));
  const { entries: ofEntries = [], rows: ofRows = [] } = more;
  return dialect.fromRows(list, [...entries, ...ofEntries], [...rows, ...ofRows]);
}

/** A statement about an account, whose id is the first of its values. */
export function ofAccount(account_id: string, text: string, ...values: Bound[]): Statement {
  return { text, values: [account_id, ...values], owner: { kind: 'account_id', value: account_id } };
}

export function statementOf<Row extends readonly unknown[] = readonly Stored[]>(
  account_id: string,
  text: string,
  values: Values,
): Statement<Row> {
  const owner = { kind: 'account_id', value: account_id } as const;
  return { text, values: values.list, owner, ...(values.hasMany && { hasManyValues: true }) };
}

/** `limit … offset …`. */
function rangeOf(dialect: Dialect, values: Values, plan: Plan): string {
  const { whole, order, after, limit, offset = 0 } = plan;
  if (limit === undefined) return '';
  const isFirstPage = whole && order.column === 'id' && after === undefined && offset === 0;
  if (isFirstPage && dialect.plansBoundLimits) return ` limit ${limit}`;
  const bound = ` limit ${dialect.limit(values.bind(limit))}`;
  return plan.offset === undefined ? bound : `${bound} offset ${values.bind(offset)}`;
}

/**
 * The rows of a plan in their order, each `[item, id]` or, where the order is not that of the id, `[item, id,
 * sort key]`.
 */
export function rowsStatement(dialect: Dialect, plan: Plan): Statement<ItemRow> {
  const values = new Values();
  const { column, nullable, descending } = plan.order;
  const byId = column === 'id';
  const keyset = rowsAfter(values, plan);
  const matching = fromRows(dialect, values, plan, byId ? { entries: keyset } : { rows: keyset });
  const direction = descending ? 'desc' : 'asc';
  const order = byId ? '' : `${column} ${direction}${nullable ? ' nulls last' : ''}, `;
  const columns = `account_id, ${itemColumn(dialect, values, plan)}, id${byId ? '' : `, ${column}`}`;
  const range = rangeOf(dialect, values, plan);
  const text = `select ${columns} ${matching} order by ${order}${dialect.entryId} ${direction}${range}`;
  return statementOf(plan.account_id, text, values);
}

/**
 * The rows of these ids in any order, each `[item, id]` or, for another key, `[item, id, key]`.
 * @param where conditions that ids may not meet.
 */
export function rowsByIdStatement(
  dialect: Dialect,
  { account_id, list, itemBytes, own }: Pick<Selection, 'account_id' | 'list' | 'itemBytes' | 'own'>,
  ids: readonly number[],
  key: string,
  where: readonly Condition[] = [],
): Statement<ItemRow> {
  const values = new Values();
  const wanted = values.bind(ids);
  const columns = `account_id, ${itemColumn(dialect, values, { itemBytes, own })}, id${key === 'id' ? '' : `, ${key}`}`;
  const account = { account_id, list, where, whole: false };
  const text = dialect.byIds(
    wanted,
    (test) => `select ${columns} ${fromRows(dialect, values, account, { entries: [`id ${test}`] })}`,
  );
  return statementOf(account_id, text, values);
}

/** All rows of a selection in an order, and then by id, each `[id, …]` with these columns. */
export function columnsStatement<Row extends readonly unknown[] = readonly Stored[]>(
  dialect: Dialect,
  selection: Selection,
  columns: readonly string[],
  order: readonly string[] = [],
): Statement<Row> {
  const values = new Values();
  const matching = fromRows(dialect, values, selection);
  const by = [...order, dialect.entryId].join(', ');
  const text = `select account_id, id, ${columns.join(', ')} ${matching} order by ${by}`;
  return statementOf(selection.account_id, text, values);
}

/** One row `[sort key]` for the row of that id, or none if the account no longer has it. */
export function keyStatement(dialect: Dialect, plan: Plan, id: number): Statement {
  const values = new Values();
  const row: Selection = { ...plan, where: [{ column: 'id', test: 'is', value: id }] };
  const text = `select account_id, ${plan.order.column} ${fromWhere(dialect, values, row)}`;
  return statementOf(plan.account_id, text, values);
}

/** A statement about no account, its values in the order of their placeholders. */
export function statement<Row extends readonly unknown[] = readonly Stored[]>(
  text: string,
  ...values: Bound[]
): Statement<Row> {
  return { text, values };
}

/**
 * The statement that inserts rows.
 * @param more follows the rows, such as `on conflict do nothing`.
 */
export function insertRows(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Stored[])[],
  more = '',
): Statement {
  const values = new Values();
  const tuples = rows.map((row) => `(${row.map((value) => values.bind(value)).join(', ')})`);
  const text = `insert into ${table} (${columns.join(', ')}) values ${tuples.join(', ')} ${more}`;
  return { text, values: values.list };
}

/** Parts of rows, so that no statement has more values than a database takes. */
export const inParts = <T>(rows: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => rows.slice(i * size, (i + 1) * size));

export const objectsOf = <T>(
  names: readonly (keyof T & string)[],
  rows: readonly (readonly Stored[])[],
): T[] => rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]])) as T);

/** A statement as a template: each value is bound, never written into the text. */
export function sql(parts: TemplateStringsArray, ...values: Bound[]): Statement {
  return { text: parts.reduce((before, part, i) => `${before}$${i}${part}`), values };
}
