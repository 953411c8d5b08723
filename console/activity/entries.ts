// What happened, for a page: by day, and since when a value is what it is.

import { addedEvent, type FieldFacts, type ListFacts, type Row } from '../contract.ts';
import type { Happened, readActivity } from '../linecard.ts';
import { type CalendarDay, localDays } from '../times.ts';

/** Items of an entry that are named. */
export const NAMED_ITEMS = 3;

export type ActivityPart = Awaited<ReturnType<typeof readActivity>>;

/** One entry for each import, list and event. */
export const keyOf = ({ at, list, event }: Happened) => `${at} ${list} ${event}`;

export interface DayOfEvents {
  readonly day: CalendarDay;
  readonly entries: readonly Happened[];
}

/** The entries by day of the reader, in their order. */
export function byDay(entries: readonly Happened[]): DayOfEvents[] {
  return [...Map.groupBy(entries, ({ at }) => localDays.dayOf(Date.parse(at)))].map(([day, of]) => ({
    day,
    entries: of,
  }));
}

export interface Since {
  readonly at: string;
  /** It may have been so before. */
  readonly isAtLeast: boolean;
}

/** Since when a field has its value, as far as the history of its item tells. */
export function sinceOf(
  { eventRules }: ListFacts,
  { name }: FieldFacts,
  row: Row,
  { entries, since, next }: ActivityPart,
): Since | undefined {
  // An event of several fields does not say which of them changed.
  const own = Object.entries(eventRules).filter(
    ([, { fields }]) => fields.length === 1 && fields[0] === name,
  );
  if (own.length === 0) return undefined;
  const last = entries.find(
    ({ event }) => event === addedEvent || own.some(([ownEvent]) => event === ownEvent),
  );
  if (last === undefined) return next === undefined ? { at: since, isAtLeast: true } : undefined;
  const { to } = eventRules[last.event] ?? {};
  // The item is newer than its history, or older.
  if (to !== undefined && to !== row[name]) return undefined;
  return { at: last.at, isAtLeast: false };
}
