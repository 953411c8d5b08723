// Times as people write them -> the timestamps that the API takes: a date, `today`, `this week`, `7d`. Read
// on this machine, in its time zone. The only file of the command that handles a Date; a timestamp that was
// given as one stays text.

import type { TimeTest } from '@linecard/client/contract/list';
import { parseTimestamp, timestampOf } from '@linecard/client/contract/timestamp';

/** What can be written where a filter takes a time, for the end of a sentence. */
export const TIME_FORM =
  'a date (2026-12-01), a month (2026-12), a year, today, tomorrow, yesterday, "this week" (or next, last; month, year), now, 7d or "7d ago" (h, d, w), or an RFC 3339 timestamp';

/** What can be written where a span of time is wanted. */
export const SPAN_FORM =
  'a day, a week, a month or a year (2026-12-01, today, "this week", 2026-12), a range (2026-12-01..2026-12-15), or the time from now on or up to now (7d, "30d ago")';

/** The two filters that bound a span, both exclusive. */
export interface Bounds {
  readonly after: string;
  readonly before: string;
}

/** Milliseconds since 1970; `to` does not belong to it. A instant begins where it ends. */
interface Span {
  readonly from: number;
  readonly to: number;
}

const DATE = /^([1-9]\d{3})(?:-(\d\d)(?:-(\d\d))?)?$/;
const OFFSET = /^(?:in )?([+-]?)(\d{1,4}) ?(h|hours?|d|days?|w|weeks?)( ago)?$/;
const NAMED = /^(this|next|last)[ _-](week|month|year)$/;
const NAMED_DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
const NAMED_OFFSETS: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };
const RANGE = '..';
/** So that the end of the last year is still a timestamp. */
const LAST_YEAR = 9998;
const DAYS_A_WEEK = 7;
const MONDAY = 1;

function midnight(year: number, month: number, day: number): number {
  return new Date(year, month, day).getTime();
}

/** A day, month or year by its digits; `undefined` where the calendar has none such. */
function dateSpan(text: string): Span | undefined {
  const [, yearDigits, monthDigits, dayDigits] = DATE.exec(text) ?? [];
  const year = Number(yearDigits);
  const month = Number(monthDigits ?? '01') - 1;
  const day = Number(dayDigits ?? '01');
  const from = new Date(year, month, day);
  if (Number.isNaN(year) || year > LAST_YEAR || from.getMonth() !== month || from.getDate() !== day) {
    return undefined;
  }
  if (dayDigits !== undefined) return { from: from.getTime(), to: midnight(year, month, day + 1) };
  if (monthDigits !== undefined) return { from: from.getTime(), to: midnight(year, month + 1, 1) };
  return { from: from.getTime(), to: midnight(year + 1, 0, 1) };
}

/** A day, week, month or year by its distance from now; weeks begin on Monday. */
function namedSpan(text: string, now: Date): Span | undefined {
  const year = now.getFullYear();
  const month = now.getMonth();
  const day = now.getDate();
  const days = NAMED_DAYS[text];
  if (days !== undefined)
    return { from: midnight(year, month, day + days), to: midnight(year, month, day + days + 1) };
  const [, which = '', what] = NAMED.exec(text) ?? [];
  const by = NAMED_OFFSETS[which] ?? 0;
  if (what === 'week') {
    const monday = day - ((now.getDay() - MONDAY + DAYS_A_WEEK) % DAYS_A_WEEK) + by * DAYS_A_WEEK;
    return { from: midnight(year, month, monday), to: midnight(year, month, monday + DAYS_A_WEEK) };
  }
  if (what === 'month') return { from: midnight(year, month + by, 1), to: midnight(year, month + by + 1, 1) };
  if (what === 'year') return { from: midnight(year + by, 0, 1), to: midnight(year + by + 1, 0, 1) };
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

function spanOf(text: string, now: Date): Span | undefined {
  return dateSpan(text) ?? namedSpan(text, now);
}

const plain = (text: string) => text.trim().toLowerCase().replace(/\s+/g, ' ');

/** The last microsecond before a millisecond begins: exclusive bounds that let the millisecond itself in. */
function justBefore(milliseconds: number): string {
  return timestampOf(milliseconds - 1).replace('000Z', '999Z');
}

/**
 * The timestamp to hand to a filter on one side of a time. What names a day, week, month or year stands for
 * all of it: before it is before it begins, after it is after it ends, and from it on or up to it includes
 * it.
 * @returns `undefined` when the text names no time.
 */
export function readTime(text: string, test: TimeTest, now = Date.now()): string | undefined {
  const timestamp = parseTimestamp(text);
  if (timestamp !== undefined) return timestamp;
  const said = plain(text);
  const clock = new Date(now);
  const instant = said === 'now' ? now : offsetInstant(said, clock);
  if (instant !== undefined) return timestampOf(instant);
  const span = spanOf(said, clock);
  if (span === undefined) return undefined;
  return test === 'before' || test === 'from' ? timestampOf(span.from) : justBefore(span.to);
}

/** The bounds of a span of time, or `undefined` when the text names none. */
export function readSpan(text: string, now = Date.now()): Bounds | undefined {
  const said = plain(text);
  const clock = new Date(now);
  const [first = '', last = first, ...rest] = said.split(RANGE).map((end) => end.trim());
  const begin = spanOf(first, clock);
  const end = spanOf(last, clock);
  if (begin !== undefined && end !== undefined && rest.length === 0 && begin.from < end.to) {
    return { after: justBefore(begin.from), before: timestampOf(end.to) };
  }
  const instant = offsetInstant(said, clock);
  if (instant === undefined || instant === now) return undefined;
  return { after: justBefore(Math.min(now, instant)), before: timestampOf(Math.max(now, instant)) };
}

const two = (n: number) => String(n).padStart(2, '0');

/** A timestamp by the clock of this machine, to the minute, for people. */
export function localTime(timestamp: string): string {
  const minute = new Date(`${timestamp.slice(0, 16)}Z`);
  const date = `${String(minute.getFullYear()).padStart(4, '0')}-${two(minute.getMonth() + 1)}-${two(minute.getDate())}`;
  return `${date} ${two(minute.getHours())}:${two(minute.getMinutes())}`;
}

/** The time zone of this machine: `Europe/Berlin`. */
export function timeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
