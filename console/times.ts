// Times in the reader's time zone and language. Exact values stay the text that the API sent.

import { plural } from './format.ts';
import { locale, texts } from './texts.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const CENTURY = 2_000;
const FRACTION_END = '59.999999Z';

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const full = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

export interface ShownTime {
  readonly day: string;
  readonly time: string;
  /** Date and time with the time zone. */
  readonly full: string;
  /** `in 3 days`, by calendar days. */
  readonly relative: string;
}

const known = new Map<string, ShownTime>();
const MOST_KNOWN = 20_000;

const startOf = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());

function daysFromToday(date: Date): number {
  return Math.round((startOf(date).getTime() - startOf(new Date()).getTime()) / DAY_MS);
}

/** A number of days in the largest unit that is precise enough. */
function inWords(days: number): string {
  const size = Math.abs(days);
  if (size < 60) return relative.format(days, 'day');
  return size < 730
    ? relative.format(Math.round(days / 30.44), 'month')
    : relative.format(Math.round(days / 365.25), 'year');
}

/** Call this when the day changes: relative times change with it. */
export function forgetShownTimes(): void {
  known.clear();
}

/** In the reader's time zone. Cached, because formatting is slow. */
export function shownTime(timestamp: string): ShownTime {
  const found = known.get(timestamp);
  if (found !== undefined) return found;
  const date = new Date(timestamp);
  const shown = Number.isNaN(date.getTime())
    ? { day: timestamp, time: '', full: timestamp, relative: '' }
    : {
        day: day.format(date),
        time: time.format(date),
        full: full.format(date),
        relative: inWords(daysFromToday(date)),
      };
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(timestamp, shown);
  return shown;
}

/** A time within a day or so: without the date where it is today. */
export function shownUntil(timestamp: string): string {
  const { day: on, time: at } = shownTime(timestamp);
  return daysFromToday(new Date(timestamp)) === 0 ? at : `${on}, ${at}`;
}

/** Midnight in UTC stands for the whole day. */
const WHOLE_DAY = /T00:00:00(?:\.0+)?Z$/;
const utcDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
const utcShortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
/** A day that is nearer than this needs no year. */
const YEARLESS_DAYS = 180;
const utcFull = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' });

/** When a payment is due, in days of UTC, as the service counts them: `in 10 days`, `3 days overdue`. */
export function shownDue(timestamp: string) {
  const date = new Date(timestamp);
  const shown = shownTime(timestamp);
  if (Number.isNaN(date.getTime())) return { ...shown, words: '', isOverdue: false };
  const days = Math.floor(date.getTime() / DAY_MS) - Math.floor(Date.now() / DAY_MS);
  const isOverdue = days < 0;
  const inUtc = Math.abs(days) < YEARLESS_DAYS ? utcShortDay : utcDay;
  return {
    words: isOverdue ? plural(texts.table.overdue, -days) : inWords(days),
    day: inUtc.format(date),
    full: WHOLE_DAY.test(timestamp) ? `${utcFull.format(date)}, UTC` : shown.full,
    isOverdue,
  };
}

/** A local day in the form of `<input type="date">`: `2026-11-23`. */
export type LocalDay = string;

const two = (n: number) => String(n).padStart(2, '0');
const dayOf = (date: Date): LocalDay =>
  `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

function at(local: LocalDay, later = 0): Date {
  const [year = 0, month = 1, date = 1] = local.split('-').map(Number);
  const then = new Date(CENTURY, month - 1, date + later);
  // The Date constructor takes a year below 100 as 19xx.
  then.setFullYear(year, month - 1, date + later);
  return then;
}

/** A typed year of two digits is one of this century. */
export function dayTyped(local: LocalDay): LocalDay {
  const [year = 0] = local.split('-').map(Number);
  return year < 100 ? `${CENTURY + year}${local.slice(4)}` : local;
}

/** The tests that begin and end a range of time, the inclusive one first. */
export const OPENING: readonly string[] = ['from', 'after'];
export const CLOSING: readonly string[] = ['to', 'before'];

export function localDayOf(timestamp: string): LocalDay {
  return dayOf(new Date(timestamp));
}

export function localToday(): LocalDay {
  return dayOf(new Date());
}

/** `days` times 24 hours after an instant. */
export function timestampAfter(days: number, milliseconds: number): string {
  return new Date(milliseconds + days * DAY_MS).toISOString().replace('Z', '000Z');
}

/** The local day `days` after today, or before it. */
export function dayFromToday(days: number): LocalDay {
  return dayOf(at(dayOf(new Date()), days));
}

/** A day in UTC: `2026-11-23`. */
export type UtcDay = string;

const utcDayOf = (milliseconds: number): UtcDay =>
  new Date(milliseconds).toISOString().slice(0, 'YYYY-MM-DD'.length);

export function comingUtcDays(count: number, from: number): UtcDay[] {
  return Array.from({ length: count }, (_, i) => utcDayOf(from + i * DAY_MS));
}

/** Changes when a day begins for the reader, and when one begins in UTC. */
export function todayHereAndInUtc(): string {
  return `${localToday()} ${utcDayOf(Date.now())}`;
}

/** When a day begins, some days `later`, and the day of an instant; instants are in milliseconds. */
interface Zone {
  readonly start: (day: string, later: number) => number;
  readonly dayOf: (milliseconds: number) => string;
}

const here: Zone = {
  start: (day, later) => at(day, later).getTime(),
  dayOf: (milliseconds) => dayOf(new Date(milliseconds)),
};
const utc: Zone = { start: (day, later) => Date.parse(day) + later * DAY_MS, dayOf: utcDayOf };
const iso = (milliseconds: number) => new Date(milliseconds).toISOString();

function boundIn({ start }: Zone, test: string, day: string): string {
  const begins = (later: number) => iso(start(day, later)).replace('.000Z', '.000000Z');
  // The last microsecond.
  const ends = (later: number) => iso(start(day, later + 1) - MINUTE_MS).replace(/00\.000Z$/, FRACTION_END);
  if (test === 'from') return begins(0);
  if (test === 'after') return ends(-1);
  return test === 'to' ? ends(0) : begins(1);
}

function dayIn(zone: Zone, test: string, value: string): string | undefined {
  const time = Date.parse(value);
  if (Number.isNaN(time)) return undefined;
  const day = zone.dayOf(time);
  const days = [0, 1, -1].map((later) => zone.dayOf(zone.start(day, later)));
  return days.find((one) => boundIn(zone, test, one) === value);
}

/** The value of a filter for a range that begins or ends with this local day, inclusive. */
export const boundOf = (test: string, local: LocalDay) => boundIn(here, test, local);
/** The local day of a bound; `undefined` where it is not the start or end of one. */
export const dayOfBound = (test: string, value: string) => dayIn(here, test, value);
/** The same of days in UTC. */
export const utcBoundOf = (test: string, day: UtcDay) => boundIn(utc, test, day);
export const utcDayOfBound = (test: string, value: string) => dayIn(utc, test, value);

/** As it begins a line: some languages write days in lower case. */
const capitalized = (text: string) => text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);

const DAY_FORMS = {
  weekday: { weekday: 'narrow' },
  shortWeekday: { weekday: 'short' },
  short: { day: 'numeric', month: 'short' },
  dayMonth: { day: 'numeric', month: 'long' },
  long: { weekday: 'long', day: 'numeric', month: 'long' },
  medium: { dateStyle: 'medium' },
  month: { month: 'long', year: 'numeric' },
  shortMonth: { month: 'short' },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

const dayFormats = Object.entries(DAY_FORMS).map(
  ([form, options]) => [form, new Intl.DateTimeFormat(locale, options)] as const,
);

export function shownDay(local: LocalDay): Readonly<Record<keyof typeof DAY_FORMS, string>> {
  const date = at(local);
  const shown = Object.fromEntries(dayFormats.map(([form, format]) => [form, format.format(date)]));
  const forms = shown as Record<keyof typeof DAY_FORMS, string>;
  return { ...forms, long: capitalized(forms.long) };
}
