// Times in the reader's time zone and language. Exact values stay the text that the API sent.

import { plural } from './format.ts';
import { observable } from './observable.ts';
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
    : relative.format(Math.trunc(days / 365), 'year');
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

/** A day as `<input type="date">` writes it: `2026-11-23`. */
export type CalendarDay = string;

const two = (n: number) => String(n).padStart(2, '0');
const dayOf = (date: Date): CalendarDay =>
  `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

function at(local: CalendarDay, later = 0): Date {
  const [year = 0, month = 1, date = 1] = local.split('-').map(Number);
  const then = new Date(CENTURY, month - 1, date + later);
  // The Date constructor takes a year below 100 as 19xx.
  then.setFullYear(year, month - 1, date + later);
  return then;
}

/** A typed year of two digits is one of this century. */
export function dayTyped(day: CalendarDay): CalendarDay {
  const [year = 0] = day.split('-').map(Number);
  return year < 100 ? `${CENTURY + year}${day.slice(4)}` : day;
}

/** The tests that begin and end a range of time, the inclusive one first. */
export const OPENING: readonly string[] = ['from', 'after'];
export const CLOSING: readonly string[] = ['to', 'before'];

/** When a day begins, some days `later`, and the day of an instant; instants are in milliseconds. */
interface Zone {
  readonly start: (day: CalendarDay, later: number) => number;
  readonly dayOf: (milliseconds: number) => CalendarDay;
}

/** The days of a time zone. */
export interface Days {
  readonly dayOf: Zone['dayOf'];
  /** The day that is `days` after today, or before it. */
  readonly fromToday: (days: number) => CalendarDay;
  /** The value of a filter for a range that begins or ends with this day, inclusive. */
  readonly boundOf: (test: string, day: CalendarDay) => string;
  /** The day of such a value; `undefined` where it is not the start or end of one. */
  readonly dayOfBound: (test: string, value: string) => CalendarDay | undefined;
}

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();

function daysIn({ start, dayOf: dayAt }: Zone): Days {
  const boundOf = (test: string, day: CalendarDay) => {
    const begins = (later: number) => iso(start(day, later)).replace('.000Z', '.000000Z');
    // The last microsecond.
    const ends = (later: number) => iso(start(day, later + 1) - MINUTE_MS).replace(/00\.000Z$/, FRACTION_END);
    if (test === 'from') return begins(0);
    if (test === 'after') return ends(-1);
    return test === 'to' ? ends(0) : begins(1);
  };
  return {
    dayOf: dayAt,
    fromToday: (days) => dayAt(start(dayAt(Date.now()), days)),
    boundOf,
    dayOfBound(test, value) {
      const time = Date.parse(value);
      if (Number.isNaN(time)) return undefined;
      const day = dayAt(time);
      const days = [0, 1, -1].map((later) => dayAt(start(day, later)));
      return days.find((one) => boundOf(test, one) === value);
    },
  };
}

/** Of the reader. */
export const localDays: Days = daysIn({
  start: (day, later) => at(day, later).getTime(),
  dayOf: (milliseconds) => dayOf(new Date(milliseconds)),
});
export const utcDays: Days = daysIn({
  start: (day, later) => Date.parse(day) + later * DAY_MS,
  dayOf: (milliseconds) => iso(milliseconds).slice(0, 'YYYY-MM-DD'.length),
});

const PLAIN_DATE = /^\d{4}-\d\d-\d\d$/;

/** `1 – 31 Dec` */
export const shownDays = (first: CalendarDay, last: CalendarDay): string =>
  first === last
    ? utcShortDay.format(Date.parse(first))
    : utcShortDay.formatRange(Date.parse(first), Date.parse(last));

/** `29 Nov – 28 Dec 2026` */
export const shownSpan = (first: CalendarDay, last: CalendarDay): string =>
  utcDay.formatRange(Date.parse(first), Date.parse(last));

/** A plain date of an address is that whole day in UTC: as the timestamp that it means for a test. */
export function timestampOf<Value>(test: string, value: Value): Value | string {
  if (typeof value !== 'string' || !PLAIN_DATE.test(value)) return value;
  return utcDays.boundOf(['to', 'after'].includes(test) ? 'to' : 'from', value);
}

export function comingUtcDays(count: number, from: number): CalendarDay[] {
  return Array.from({ length: count }, (_, i) => utcDays.dayOf(from + i * DAY_MS));
}

const todayHereAndInUtc = () => [localDays, utcDays].map((days) => days.fromToday(0)).join(' ');
const today = observable(todayHereAndInUtc());
/** Changes when a day begins for the reader, and when one begins in UTC: relative times change with it. */
export const { get: shownToday, observe: onNewDay } = today;

/** @returns whether a day has begun */
export function noticeNewDay(): boolean {
  const now = todayHereAndInUtc();
  if (now === today.get()) return false;
  known.clear();
  today.set(now);
  return true;
}

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
  onlyMonth: { month: 'long' },
  shortMonth: { month: 'short' },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

const dayFormats = Object.entries(DAY_FORMS).map(
  ([form, options]) => [form, new Intl.DateTimeFormat(locale, options)] as const,
);

export function shownDay(day: CalendarDay): Readonly<Record<keyof typeof DAY_FORMS, string>> {
  const date = at(day);
  const shown = Object.fromEntries(dayFormats.map(([form, format]) => [form, format.format(date)]));
  const forms = shown as Record<keyof typeof DAY_FORMS, string>;
  return { ...forms, long: capitalized(forms.long) };
}
