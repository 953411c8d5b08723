// What happened to an item, as an entry of the change log contains it: the bits of its events (`EVENTS` in
// list.ts), for the databases as SQL and for rows in memory.

import { EVENTS, type EventName, type EventRule } from '@linecard/client/contract/list';
import type { Stored, Table } from './tables.ts';

export const ADDED = EVENTS.added.bit;
export const REMOVED = EVENTS.removed.bit;
const CHANGED = EVENTS.changed.bit;

interface ColumnEvent {
  readonly bit: number;
  readonly columns: readonly string[];
  /** The value that the columns must have afterwards, if any. */
  readonly to: number | undefined;
}

function columnEvents({ list, columns }: Table): ColumnEvent[] {
  const named = (field: string) => {
    const column = columns.find(({ name }) => name === field);
    if (column === undefined) throw new Error(`An event of ${list.name} needs a column for ${field}.`);
    return column.name;
  };
  return Object.entries<EventRule>(list.events).map(([name, { fields, to }]) => {
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

/** The same of rows in memory, whose values stand at the positions of their columns. */
export class RowEvents {
  readonly #events: readonly (ColumnEvent & {
    readonly stored: readonly number[];
    readonly incoming: readonly number[];
  })[];

  constructor(table: Table, storedColumns: readonly string[], incomingColumns: readonly string[]) {
    const positions = (columns: readonly string[], all: readonly string[]) =>
      columns.map((name) => all.indexOf(name));
    this.#events = columnEvents(table).map((event) => ({
      ...event,
      stored: positions(event.columns, storedColumns),
      incoming: positions(event.columns, incomingColumns),
    }));
  }

  added(row: readonly Stored[]): number {
    let bits: number = ADDED;
    for (const event of this.#events)
      if (isOfNew(event) && row[event.incoming[0] as number] === 1) bits += event.bit;
    return bits;
  }

  changed(stored: readonly Stored[], row: readonly Stored[]): number {
    let bits: number = CHANGED;
    for (const { bit, to, stored: before, incoming } of this.#events) {
      if (to !== undefined && row[incoming[0] as number] !== to) continue;
      for (let i = 0; i < before.length; i++) {
        if (stored[before[i] as number] === row[incoming[i] as number]) continue;
        bits += bit;
        break;
      }
    }
    return bits;
  }
}
