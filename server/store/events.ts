// What happened to an item, as an entry of the change log contains it: the bits of its events (`EVENTS` in
// list.ts), as SQL, and for rows in memory that are new.

import { EVENTS, type EventName, type EventRule } from '@linecard/client/contract/list';
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
