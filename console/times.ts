// Times as a reader sees them, in the reader's zone and language; the only file that makes a Date, and only
// from a copy: what is exact stays the text that came.

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const CENTURY = 2_000;
const FRACTION_END = '59.999999Z';

/** What makes text run from right to left: letters, and the mark that stands for one. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f]/;

const locale = navigator.languages;
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const full = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' });
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'narrow' });
const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const longDay = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' });
const relative = new Intl.RelativeTimeFormat(locale[0], { numeric: 'auto' });

/** What a reader sees of a timestamp. */
export interface ShownTime {
  readonly day: string;
  readonly time: string;
  /** Both in words, with the zone. */
  readonly full: string;
  /** `in 3 days`; by calendar days. */
  readonly relative: string;
}

/** So that two dates, or a date and a time, are read one after the other and not as one run of text. */
function isolated(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

const known = new Map<string, ShownTime>();
const MOST_KNOWN = 20_000;

const startOf = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());

function daysFromToday(date: Date): number {
  return Math.round((startOf(date).getTime() - startOf(new Date()).getTime()) / DAY_MS);
}

/** So many days, in the largest unit that says enough. */
function inWords(days: number): string {
  const size = Math.abs(days);
  if (size < 60) return relative.format(days, 'day');
  return size < 730
    ? relative.format(Math.round(days / 30.44), 'month')
    : relative.format(Math.round(days / 365.25), 'year');
}

/** To be called as a day ends: how far off a day is has changed. */
export function forgetShownTimes(): void {
  known.clear();
}

/** In the reader's zone; formatting is slow, so what was shown once is remembered. */
export function shownTime(timestamp: string): ShownTime {
  const found = known.get(timestamp);
  if (found !== undefined) return found;
  const date = new Date(timestamp);
  const shown = Number.isNaN(date.getTime())
    ? { day: timestamp, time: '', full: timestamp, relative: '' }
    : {
        day: isolated(day.format(date)),
        time: isolated(time.format(date)),
        full: isolated(full.format(date)),
        relative: isolated(inWords(daysFromToday(date))),
      };
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(timestamp, shown);
  return shown;
}

/** A day of the reader's calendar, as `<input type="date">` has it: `2026-11-23`. */
export type LocalDay = string;

const two = (n: number) => String(n).padStart(2, '0');
const dayOf = (date: Date): LocalDay =>
  `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

function at(local: LocalDay, later = 0): Date {
  const [year = 0, month = 1, date = 1] = local.split('-').map(Number);
  const then = new Date(CENTURY, month - 1, date + later);
  // The constructor takes a year below 100 for one of the 1900s.
  then.setFullYear(year, month - 1, date + later);
  return then;
}

/** A day as it was typed: a year of two digits is one of this century, as people write it. */
export function dayTyped(local: LocalDay): LocalDay {
  const [year = 0] = local.split('-').map(Number);
  return year < 100 ? `${CENTURY + year}${local.slice(4)}` : local;
}

/** The first instant of a day, as the contract writes it. */
function dayBegins(local: LocalDay, later = 0): string {
  return at(local, later).toISOString().replace('.000Z', '.000000Z');
}

/** The last microsecond of a day: the one before the next begins. */
function dayEnds(local: LocalDay, later = 0): string {
  const minute = new Date(at(local, later + 1).getTime() - MINUTE_MS).toISOString();
  return minute.replace(/00\.000Z$/, FRACTION_END);
}

/** The tests that open a span of time, and those that close one; the inclusive one first. */
export const OPENING: readonly string[] = ['from', 'after'];
export const CLOSING: readonly string[] = ['to', 'before'];

/**
 * What a filter must be given for a span that begins or ends with a day of the reader's calendar, that day
 * included.
 */
export function boundOf(test: string, local: LocalDay): string {
  if (test === 'from') return dayBegins(local);
  if (test === 'after') return dayEnds(local, -1);
  return test === 'to' ? dayEnds(local) : dayBegins(local, 1);
}

/** The day that a bound was made of; `undefined` where it is another instant. */
export function dayOfBound(test: string, value: string): LocalDay | undefined {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return undefined;
  const local = dayOf(date);
  const days = [local, dayOf(at(local, 1)), dayOf(at(local, -1))];
  return days.find((one) => boundOf(test, one) === value);
}

/** The day on which an instant falls. */
export function localDayOf(timestamp: string): LocalDay {
  return dayOf(new Date(timestamp));
}

/** So many times 24 hours after an instant of the clock. */
export function timestampAfter(days: number, milliseconds: number): string {
  return new Date(milliseconds + days * DAY_MS).toISOString().replace('Z', '000Z');
}

/** Today and the days after it. */
export function comingDays(count: number): LocalDay[] {
  const today = dayOf(new Date());
  return Array.from({ length: count }, (_, i) => dayOf(at(today, i)));
}

export function shownDay(local: LocalDay): { weekday: string; short: string; long: string; medium: string } {
  const date = at(local);
  return {
    weekday: weekday.format(date),
    short: isolated(shortDay.format(date)),
    long: isolated(longDay.format(date)),
    medium: isolated(day.format(date)),
  };
}
