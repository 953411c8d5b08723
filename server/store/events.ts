// What happened to an item, as an entry of the change log contains it: the bits of its events (`EVENTS` in
// list.ts), and what the fields of these were and are; as SQL, and for rows in memory that are new.

import type { lists } from '@linecard/client/contract';
import {
  EVENTS,
  type EventName,
  type EventRule,
  type Field,
  fieldOf,
  type List,
} from '@linecard/client/contract/list';
import type { Dialect } from './dialects.ts';
import { inParts } from './sql.ts';
import { type Stored, storedColumns, storedName, type Table } from './tables.ts';

export const ADDED = EVENTS.added.bit;
export const REMOVED = EVENTS.removed.bit;
const CHANGED = EVENTS.changed.bit;

interface ColumnEvent {
  readonly bit: number;
  readonly columns: readonly string[];
  /** The value that the columns must have afterwards, if any. */
  readonly to: number | undefined;
}

function columnEvents(table: Table): ColumnEvent[] {
  const named = (field: string) => storedName(table.filtered(field));
  return Object.entries<EventRule>(table.list.events).map(([name, { fields, to }]) => {
    const { bit } = EVENTS[name as EventName];
    return { bit, columns: fields.map(named), to: to === undefined ? undefined : Number(to) };
  });
}

/** A column of a row as SQL, such as a placeholder. */
type ColumnText = (column: string) => string;

/** An item that is new on an account had no flag before. */
const isOfNew = ({ to }: ColumnEvent) => to === 1;

/** The events of an item that an account did not have, as an SQL expression. */
export function addedText(table: Table, after: ColumnText): string {
  const texts = columnEvents(table)
    .filter(isOfNew)
    .map(({ bit, columns: [flag = ''] }) => `case when ${after(flag)} = 1 then ${bit} else 0 end`);
  return [ADDED, ...texts].join(' + ');
}

/** The events of an item that an account has before and after, as an SQL expression. */
export function changedText(table: Table, before: ColumnText, after: ColumnText): string {
  const texts = columnEvents(table).map(({ bit, columns, to }) => {
    const row = (of: ColumnText) => `(${columns.map(of).join(', ')})`;
    const isTo = to === undefined ? '' : ` and ${after(columns[0] ?? '')} = ${to}`;
    return `case when ${row(before)} is distinct from ${row(after)}${isTo} then ${bit} else 0 end`;
  });
  return [CHANGED, ...texts].join(' + ');
}

/** The events of an item that an account did not have, of a row in memory as it is stored. */
export function addedEvents(table: Table): (row: readonly Stored[]) => number {
  const all = storedColumns(table);
  const flags = columnEvents(table)
    .filter(isOfNew)
    .map(({ bit, columns: [flag = ''] }) => ({ bit, position: all.indexOf(flag) }));
  return (row) =>
    flags.reduce<number>((sum, { bit, position }) => sum + (row[position] === 1 ? bit : 0), ADDED);
}

type Lists = typeof lists;
type FieldOf<Rule> = Rule extends { readonly fields: readonly (infer Name extends string)[] } ? Name : never;
type EventField = {
  [L in keyof Lists]: FieldOf<Lists[L]['events'][keyof Lists[L]['events']]>;
}[keyof Lists];

/**
 * Fields of events, by which entries of the log say what changed: as the bits of events, a number never
 * changes and is never used for another field. An operator's own field has its name there.
 */
const LOGGED_FIELDS: Readonly<Record<EventField, number>> = {
  is_spammed: 1,
  status: 2,
  subscription_status: 3,
  activation: 4,
  monthly: 5,
  incoming: 6,
};

/** The JSON text of a value of a field as it is logged, as an SQL expression of its column. */
function loggedText({ kind }: Pick<Field, 'kind'>, dialect: Dialect, column: string): string {
  if (kind === 'text') return dialect.jsonText(column);
  // An own charge of nothing is null.
  return kind === 'charge' ? `coalesce(${dialect.decimal(column)}, '0')` : `cast(${column} as text)`;
}

/**
 * What the fields of the events of an item were and are, as an SQL expression: a JSON array without its
 * brackets, of each field that changed its number, what it was and what it is; null for none.
 * @param written a column after the import, where its value is written
 */
export function fromToText(
  table: Table,
  dialect: Dialect,
  before: ColumnText,
  after: ColumnText,
  written: ColumnText = after,
): string {
  const names = [...new Set(Object.values<EventRule>(table.list.events).flatMap((event) => event.fields))];
  if (names.length === 0) return 'null';
  const columns = names.map((name) => storedName(table.filtered(name)));
  const texts = names.map((name, i) => {
    const field = fieldOf(table.list, name);
    const column = columns[i] as string;
    const key = field.own === undefined ? LOGGED_FIELDS[name as EventField] : `"${name}"`;
    const [from, to] = [before, written].map((of) => loggedText(field, dialect, of(column)));
    return `case when ${before(column)} is distinct from ${after(column)} then ',${key},' || ${from} || ',' || ${to} else '' end`;
  });
  // Most rows have the same in all of them.
  const row = (of: ColumnText) => `(${columns.map(of).join(', ')})`;
  return `case when ${row(before)} is distinct from ${row(after)} then substr(${texts.join(' || ')}, 2) end`;
}

/** Fields of an item by name. */
type Values = Readonly<Record<string, LoggedValue>>;
/** What fields were before an import, and what they were after it. */
export interface FromTo {
  readonly from: Values;
  readonly to: Values;
}

type LoggedValue = string | number | boolean;
/** What `fromToText` logs, in its brackets. */
export type LoggedValues = readonly (string | number)[];
export const loggedValues = (text: string) => JSON.parse(`[${text}]`) as LoggedValues;

/** The number or name of a field, what it was and what it is. */
const LOGGED_PARTS = 3;
const FIELD_NAMES = new Map<unknown, string>(
  Object.entries(LOGGED_FIELDS).map(([name, number]) => [number, name]),
);

/**
 * What the fields of one event were and became, by what is logged of all; `undefined` where the event has no
 * fields, or the log does not say.
 */
export function fromToOf(
  { events, fields }: List,
  event: EventName,
  logged: LoggedValues | null,
): FromTo | undefined {
  const named = events[event]?.fields ?? [];
  const from: Record<string, LoggedValue> = {};
  const to: Record<string, LoggedValue> = {};
  for (const [key, was, is] of inParts(logged ?? [], LOGGED_PARTS)) {
    const name = FIELD_NAMES.get(key) ?? String(key);
    if (!named.includes(name) || was === undefined || is === undefined) continue;
    const isFlag = fields[name]?.kind === 'flag';
    from[name] = isFlag ? was === 1 : was;
    to[name] = isFlag ? is === 1 : is;
  }
  return Object.keys(from).length === 0 ? undefined : { from, to };
}
