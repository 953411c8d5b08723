// Times as people write them -> what the API takes: a timestamp for a point in time, a plain date for a day.
// And back: a timestamp as people read it. Both by the clock and the calendar of this machine.

import type { List, TimeTest } from '../contract/list.ts';
import { parseTimestamp, timestampOf } from '../contract/timestamp.ts';

/** What can be written where a filter takes a time, for the end of a sentence. */
export const TIME_FORM =
  'a date (2026-12-01), a month (2026-12), a year, today, tomorrow, yesterday, "this week" (or next, last; month, year), now, 7d or "7d ago" (h, d, w), or an RFC 3339 timestamp';

/** What can be written where a span of time is wanted. */
export const SPAN_FORM =
  'a day, a week, a month or a year (2026-12-01, today, "this week", 2026-12), a range (2026-12-01..2026-12-15, ..today, 2026-12..), or the time from now on or up to now (7d, "30d ago")';

/** What bounds a span, both inclusive; one that is left out is open. */
export interface Bounds {
  readonly from?: string;
  readonly to?: string;
}

/** Plain dates; both belong to it. */
interface Days {
  readonly first: string;
  readonly last: string;
}

const DATE = /^([1-9]\d{3})(?:-(\d\d)(?:-(\d\d))?)?$/;
const OFFSET = /^(?:in )?([+-]?)(\d{1,4}) ?(h|hours?|d|days?|w|weeks?)( ago)?$/;
const NAMED = /^(this|next|last)[ _-](week|month|year)$/;
const NAMED_DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
const NAMED_OFFSETS: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };
const SIDES: readonly string[] = ['after', 'before', 'from', 'to'] satisfies TimeTest[];
const RANGE = '..';
const DAYS_A_WEEK = 7;
const MONDAY = 1;
const DATE_CHARACTERS = 'YYYY-MM-DD'.length;
/** A payment that is due on a day is due when that day begins, in UTC. */
const MIDNIGHT_UTC = 'T00:00:00.000000Z';

const two = (n: number) => String(n).padStart(2, '0');

function dateText(date: Date): string {
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The days from one date up to, not including, another; days and months may lie outside their range. */
function daysBetween(from: readonly [number, number, number], to: readonly [number, number, number]): Days {
  const [year, month, day] = to;
  return { first: dateText(new Date(...from)), last: dateText(new Date(year, month, day - 1)) };
}

/** A day, month or year by its digits; `undefined` where the calendar has none such. */
function writtenDays(text: string): Days | undefined {
  const [, yearDigits, monthDigits, dayDigits] = DATE.exec(text) ?? [];
  const year = Number(yearDigits);
  const month = Number(monthDigits ?? '01') - 1;
  const day = Number(dayDigits ?? '01');
  const from = new Date(year, month, day);
  if (Number.isNaN(year) || from.getMonth() !== month || from.getDate() !== day) return undefined;
  if (dayDigits !== undefined) return daysBetween([year, month, day], [year, month, day + 1]);
  if (monthDigits !== undefined) return daysBetween([year, month, 1], [year, month + 1, 1]);
  return daysBetween([year, 0, 1], [year + 1, 0, 1]);
}

/** A day, week, month or year by its distance from now; weeks begin on Monday. */
function namedDays(text: string, now: Date): Days | undefined {
  const year = now.getFullYear();
  const month = now.getMonth();
  const day = now.getDate();
  const days = NAMED_DAYS[text];
  if (days !== undefined) return daysBetween([year, month, day + days], [year, month, day + days + 1]);
  const [, which = '', what] = NAMED.exec(text) ?? [];
  const by = NAMED_OFFSETS[which] ?? 0;
  if (what === 'week') {
    const monday = day - ((now.getDay() - MONDAY + DAYS_A_WEEK) % DAYS_A_WEEK) + by * DAYS_A_WEEK;
    return daysBetween([year, month, monday], [year, month, monday + DAYS_A_WEEK]);
  }
  if (what === 'month') return daysBetween([year, month + by, 1], [year, month + by + 1, 1]);
  if (what === 'year') return daysBetween([year + by, 0, 1], [year + by + 1, 0, 1]);
  return undefined;
}

/**
 * `7d`, `-7d`, `7d ago`, `in 7 days`: a day is a day of the calendar, of 23 or 25 hours where the clocks
 * change.
 */
function offsetInstant(text: string, now: Date): number | undefined {
  const [, sign, digits, unit = '', ago] = OFFSET.exec(text) ?? [];
  if (digits === undefined || (sign !== '' && ago !== undefined)) return undefined;
  const by = Number(digits) * (sign === '-' || ago !== undefined ? -1 : 1);
  const instant = new Date(now);
  if (unit.startsWith('h')) instant.setTime(instant.getTime() + by * 3_600_000);
  else instant.setDate(instant.getDate() + by * (unit.startsWith('w') ? DAYS_A_WEEK : 1));
  return instant.getTime();
}

function daysOf(text: string, now: Date): Days | undefined {
  return writtenDays(text) ?? namedDays(text, now);
}

const plain = (text: string) => text.trim().toLowerCase().replace(/\s+/g, ' ');

/**
 * What to hand to a filter: a timestamp for a point in time, a plain date for a day. What names a week, month
 * or year stands for all of it: before it is before its first day, after it is after its last.
 * @returns `undefined` when the text names no time.
 */
export function readTime(text: string, side: TimeTest, now = Date.now()): string | undefined {
  const timestamp = parseTimestamp(text);
  if (timestamp !== undefined) return timestamp;
  const said = plain(text);
  const clock = new Date(now);
  const instant = said === 'now' ? now : offsetInstant(said, clock);
  if (instant !== undefined) return timestampOf(instant);
  const days = daysOf(said, clock);
  return side === 'before' || side === 'from' ? days?.first : days?.last;
}

/** Whether one bound lies behind the other; a date and a timestamp compare by their days. */
function runsBackwards(from: string, to: string): boolean {
  const characters = Math.min(from.length, to.length);
  return from.slice(0, characters) > to.slice(0, characters);
}

function readRange(text: string, now: number): Bounds | undefined {
  const [first = '', last = '', ...rest] = text.split(RANGE).map((end) => end.trim());
  if (rest.length > 0 || (first === '' && last === '')) return undefined;
  const from = first === '' ? undefined : readTime(first, 'from', now);
  const to = last === '' ? undefined : readTime(last, 'to', now);
  const isRead = (from !== undefined || first === '') && (to !== undefined || last === '');
  if (!isRead || (from !== undefined && to !== undefined && runsBackwards(from, to))) return undefined;
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/** `next_payment_from` -> `next_payment`; `undefined` for a parameter that is not a filter on a time. */
export function stemOf(list: List, parameter: string): string | undefined {
  const { test = '' } = list.filters[parameter] ?? {};
  return SIDES.includes(test) ? parameter.slice(0, -`_${test}`.length) : undefined;
}

/** The bounds of a span of time, or `undefined` when the text names none. */
export function readSpan(text: string, now = Date.now()): Bounds | undefined {
  if (text.includes(RANGE)) return readRange(text, now);
  const said = plain(text);
  const clock = new Date(now);
  const days = daysOf(said, clock);
  if (days !== undefined) return { from: days.first, to: days.last };
  const instant = offsetInstant(said, clock);
  if (instant === undefined || instant === now) return undefined;
  return { from: timestampOf(Math.min(now, instant)), to: timestampOf(Math.max(now, instant)) };
}

/** Whether a timestamp stands for a day: that day in every zone. */
export const isDay = (timestamp: string) => timestamp.endsWith(MIDNIGHT_UTC);

/** A timestamp by the clock of this machine, to the minute, for people; one that stands for a day as it. */
export function localTime(timestamp: string): string {
  if (isDay(timestamp)) return timestamp.slice(0, DATE_CHARACTERS);
  const minute = new Date(`${timestamp.slice(0, 16)}Z`);
  return `${dateText(minute)} ${two(minute.getHours())}:${two(minute.getMinutes())}`;
}

/** The time zone of this machine: `Europe/Berlin`, or `GMT+0100` where it has no name. */
export function timeZone(): string {
  const { timeZone: name }: { timeZone?: string } = new Intl.DateTimeFormat().resolvedOptions();
  // A zone without a name, such as that of TZ=:/etc/localtime, has the same offset all year.
  if (name !== undefined && name !== 'Etc/Unknown') return name;
  return Date().replace(/^.*(GMT[+-]\d{4}).*$/, '$1');
}
