// Times as people write them -> a timestamp for a point in time, a plain date for a day; and back. By the
// clock and calendar of this machine.

import type { List, TimeTest } from '../contract/list.ts';
import { parseTime, timestampOf } from '../contract/timestamp.ts';

/** The forms of a time, for the end of a sentence. */
export const TIME_FORM =
  'a date (2026-12-01), a month (2026-12), a year, today, tomorrow, yesterday, "this week" (or next, last; month, year), now, 7d or "7d ago" (h, d, w), or an RFC 3339 timestamp';

const DAYS_FORM =
  'a day, a week, a month or a year (2026-12-01, today, "this week", 2026-12), a range (2026-12-01..2026-12-15, ..today, 2026-12..)';

/** The forms of a range, for the end of a sentence. */
export const spanForm = (isPast: boolean) =>
  isPast
    ? `${DAYS_FORM}, or the time up to now (7d, "last 7 days")`
    : `${DAYS_FORM}, or the time from now on or up to now (7d, "30d ago")`;

/** Inclusive bounds; an absent one is open. */
export interface Bounds {
  readonly from?: string;
  readonly to?: string;
}

/** Inclusive plain dates. */
interface Days {
  readonly first: string;
  readonly last: string;
}

const DATE = /^([1-9]\d{3})(?:-(\d\d)(?:-(\d\d))?)?$/;
const OFFSET = /^(in |last |past |next |[+-])?(\d{1,4}) ?(h|hours?|d|days?|w|weeks?)( ago)?$/;
const BACK = new Set(['-', 'last ', 'past ']);
/** Without a word that says whether it is ahead or ago. */
const BARE = /^\d/;
const NAMED = /^(this|next|last)[ _-](week|month|year)$/;
const NAMED_DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
const NAMED_OFFSETS: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };
const SIDES: readonly string[] = ['after', 'before', 'from', 'to'] satisfies TimeTest[];
const RANGE = '..';
const AGO = ' ago';
const DAYS_A_WEEK = 7;
const MONDAY = 1;
const DATE_CHARACTERS = 'YYYY-MM-DD'.length;
/** A payment that is due on a day is due when that day begins in UTC. */
const MIDNIGHT_UTC = 'T00:00:00.000000Z';

const two = (n: number) => String(n).padStart(2, '0');

function dateText(date: Date): string {
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** From one date to before another; days and months may be out of range. */
function daysBetween(from: readonly [number, number, number], to: readonly [number, number, number]): Days {
  const [year, month, day] = to;
  return { first: dateText(new Date(...from)), last: dateText(new Date(year, month, day - 1)) };
}

/** A day, month or year in digits; `undefined` where it does not exist. */
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

/** A day, week, month or year relative to now; weeks begin on Monday. */
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

/** `7d ago`, `last 7 days`, `in 7 days`. Calendar days, of 23 or 25 hours when the clocks change. */
function offsetInstant(text: string, now: Date): number | undefined {
  const [, sign, digits, unit = '', ago] = OFFSET.exec(text) ?? [];
  if (digits === undefined || (sign !== undefined && ago !== undefined)) return undefined;
  const by = Number(digits) * (BACK.has(sign ?? '') || ago !== undefined ? -1 : 1);
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
 * The value for a filter: a timestamp for a point in time, a plain date for a day. A week, month or year
 * means all of it: before it is before its first day, after it is after its last.
 * @returns `undefined` where the text is not a time
 */
export function readTime(text: string, side: TimeTest, now = Date.now()): string | undefined {
  const timestamp = parseTime(text);
  if (timestamp !== undefined) return timestamp;
  const said = plain(text);
  const clock = new Date(now);
  const instant = said === 'now' ? now : offsetInstant(said, clock);
  if (instant !== undefined) return timestampOf(instant);
  const days = daysOf(said, clock);
  return side === 'before' || side === 'from' ? days?.first : days?.last;
}

/** The same of what has happened: `7d` is 7 days ago. */
export function readPastTime(text: string, side: TimeTest, now = Date.now()): string | undefined {
  return readTime(ago(text), side, now);
}

function ago(text: string): string {
  const said = plain(text);
  return BARE.test(said) && OFFSET.test(said) && !said.endsWith(AGO) ? said + AGO : text;
}

/** Whether one bound is later than the other; a date and a timestamp compare by day. */
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

/** `next_payment_from` -> `next_payment`; `undefined` where the parameter is not a filter on a time. */
export function stemOf(list: List, parameter: string): string | undefined {
  const { test = '' } = list.filters[parameter] ?? {};
  return SIDES.includes(test) ? parameter.slice(0, -`_${test}`.length) : undefined;
}

/** The bounds of a range; `undefined` where the text is none. */
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

/** The same of what has happened: `7d` is the last 7 days, `30d..7d` from 30 to 7 days ago. */
export function readPastSpan(text: string, now = Date.now()): Bounds | undefined {
  return readSpan(text.split(RANGE).map(ago).join(RANGE), now);
}

/** Whether a timestamp means a day, which is the same in every zone. */
export const isDay = (timestamp: string) => timestamp.endsWith(MIDNIGHT_UTC);

/** A timestamp to the minute in local time; one that means a day as that day. */
export function localTime(timestamp: string): string {
  if (isDay(timestamp)) return timestamp.slice(0, DATE_CHARACTERS);
  const minute = new Date(`${timestamp.slice(0, 16)}Z`);
  return `${dateText(minute)} ${two(minute.getHours())}:${two(minute.getMinutes())}`;
}

/** The local time zone: `Europe/Berlin`, or `GMT+0100` where it has no name. */
export function timeZone(): string {
  const { timeZone: name }: { timeZone?: string } = new Intl.DateTimeFormat().resolvedOptions();
  // A zone without a name, such as that of TZ=:/etc/localtime, has one offset all year.
  if (name !== undefined && name !== 'Etc/Unknown') return name;
  return Date().replace(/^.*(GMT[+-]\d{4}).*$/, '$1');
}
