// Forms of dates that have a name: those of mail and of ISO 8601, counts since 1970, and the days that
// spreadsheets count.

import { monthNamed } from './months.ts';

/** What a text says: what clocks show in a zone, or, where it has an offset, which time it is. */
export interface Reading {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Six digits. */
  readonly fraction: string;
  readonly offsetMinutes?: number | undefined;
}

/** One form of the texts of a file. */
export interface Form {
  /** How long its texts are. */
  readonly shortest: number;
  readonly longest: number;
  /** Whether its texts repeat in a file; those with seconds mostly do not. */
  readonly isCached: boolean;
  /** `undefined` where the text is not of the form. */
  readonly read: (text: string) => Reading | undefined;
}

const FRACTION_DIGITS = 6;
const DAY_MILLISECONDS = 86_400_000;
/** The zones that RFC 5322 gives a meaning, in hours. */
const ZONES: Readonly<Record<string, number>> = {
  Z: 0,
  UT: 0,
  UTC: 0,
  GMT: 0,
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
};

const MAIL =
  /^(?:[A-Za-z]{3},? {0,2})?(\d\d?) ([A-Za-z]{3}) (\d{4}) (\d\d):(\d\d)(?::(\d\d))? ([+-]\d{4}|[A-Z]{1,3})(?: \([A-Z]{1,5}\))?$/;
const ISO =
  /^(\d{4})(-?)(\d\d)\2(\d\d)(?:[Tt ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,12}))?)?( ?[Zz]| ?[+-]\d\d(?::?\d\d)?)?)?$/;
const SECONDS = /^(\d{9,10})(?:\.(\d{1,9}))?$/;
const MILLISECONDS = /^\d{12,13}$/;
const DAYS = /^(\d{1,5})(?:[.,](\d{1,17}))?$/;

/** Minutes ahead of UTC; `undefined` for a zone that has no meaning. */
export function offsetOf(zone: string): number | undefined {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const named = ZONES[zone.toUpperCase()];
  if (sign === undefined) return named === undefined ? undefined : 60 * named;
  const total = 60 * Number(hours) + Number(minutes);
  return Number(minutes) > 59 ? undefined : sign === '-' ? -total : total;
}

/** Six digits of a fraction; `undefined` where there are more that say something. */
function sixDigits(fraction = ''): string | undefined {
  return /^0*$/.test(fraction.slice(FRACTION_DIGITS))
    ? fraction.slice(0, FRACTION_DIGITS).padEnd(FRACTION_DIGITS, '0')
    : undefined;
}

function mail(text: string): Reading | undefined {
  const [found, day, name = '', year, hour, minute, second = 0, zone = ''] = MAIL.exec(text) ?? [];
  const [month, offsetMinutes] = [monthNamed(name), offsetOf(zone)];
  if (found === undefined || month === undefined || offsetMinutes === undefined) return undefined;
  const numbers = { year: Number(year), day: Number(day), hour: Number(hour), minute: Number(minute) };
  return { ...numbers, month, second: Number(second), fraction: '000000', offsetMinutes };
}

function iso(text: string): Reading | undefined {
  const [found, year, , month, day, hour = 0, minute = 0, second = 0, digits, zone] = ISO.exec(text) ?? [];
  const fraction = sixDigits(digits);
  const offsetMinutes = zone === undefined ? undefined : offsetOf(zone.trim());
  if (found === undefined || fraction === undefined || (zone !== undefined && offsetMinutes === undefined))
    return undefined;
  return {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    fraction,
    offsetMinutes,
  };
}

/** What clocks show some milliseconds after the beginning of a day. */
function after(date: Temporal.PlainDate, milliseconds: number): Reading {
  const { year, month, day, hour, minute, second, millisecond } = date
    .toPlainDateTime()
    .add({ milliseconds });
  return {
    year,
    month,
    day,
    hour,
    minute,
    second,
    fraction: `${millisecond}`.padStart(3, '0').padEnd(6, '0'),
  };
}

const EPOCH = Temporal.PlainDate.from('1970-01-01');

function unix(text: string): Reading | undefined {
  const [, seconds, digits] = SECONDS.exec(text) ?? [];
  const fraction = sixDigits(digits);
  if (seconds === undefined || fraction === undefined) return undefined;
  return { ...after(EPOCH, 1_000 * Number(seconds)), fraction, offsetMinutes: 0 };
}

function unixMs(text: string): Reading | undefined {
  const [milliseconds] = MILLISECONDS.exec(text) ?? [];
  if (milliseconds === undefined) return undefined;
  return { ...after(EPOCH, Number(milliseconds)), offsetMinutes: 0 };
}

/** Days and a part of one, as spreadsheets store times, to the millisecond. */
const daysAfter = (first: string, leapDay?: number) => (text: string) => {
  const [, whole, part = '0'] = DAYS.exec(text) ?? [];
  const days = Number(whole);
  // 1900 is a leap year there, and day 60 is its 29 February.
  if (whole === undefined || days === leapDay || (leapDay !== undefined && days === 0)) return undefined;
  const date = Temporal.PlainDate.from(first).add({
    days: leapDay !== undefined && days < leapDay ? days + 1 : days,
  });
  return after(date, Math.round(Number(`0.${part}`) * DAY_MILLISECONDS));
};

const form = (shortest: number, longest: number, read: Form['read']): Form => ({
  shortest,
  longest,
  isCached: false,
  read,
});

export const NAMED_FORMS: Readonly<Record<string, Form>> = {
  rfc2822: form(16, 42, mail),
  iso: form(8, 40, iso),
  unix: form(9, 20, unix),
  unix_ms: form(12, 13, unixMs),
  excel: form(1, 23, daysAfter('1899-12-30', 60)),
  excel_1904: form(1, 23, daysAfter('1904-01-01')),
};
