// The canonical timestamp, a text: `YYYY-MM-DDThh:mm:ss.ffffffZ` (docs/generated/api.md, "Values"). It keeps
// all six fractional digits, which a Date would not, and its text order is its order in time.

/**
 * RFC 3339 with up to six fractional digits. A space before the offset is a `+` that form decoding replaced.
 */
const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:([Zz])|([+\- ])(\d\d):(\d\d))$/;
/** Valid but for its longer fraction. */
const LONG_FRACTION = /(\.\d{6})(\d+)/;
const MICROSECONDS = 'YYYY-MM-DDThh:mm:ss.ffffff'.length;
/** More digits after the sixth say no more: stored times have none. */
const MAX_MORE_DIGITS = 12;
const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
/**
 * The canonical form on a day that every month has: most timestamps of an import, and the fastest to check.
 */
const ORDINARY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const MINUTES_A_DAY = 1_440;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The form of a timestamp, for the end of a sentence. */
export const TIMESTAMP_FORM =
  'an RFC 3339 timestamp such as 2026-11-20T09:30:00Z or 2026-11-20T09:30:00.123456+01:00';

/** The forms of a time in a query, for the end of a sentence. */
export const TIME_FORM = `${TIMESTAMP_FORM}, or a day such as 2026-11-20`;

function daysInMonth(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && leap ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
}

/** `by` is 1 or -1: an offset is less than a day. */
function neighbour(year: number, month: number, day: number, by: number): [number, number, number] {
  day += by;
  if (day < 1) {
    month -= 1;
    if (month < 1) [year, month] = [year - 1, 12];
    return [year, month, daysInMonth(year, month)];
  }
  if (day <= daysInMonth(year, month)) return [year, month, day];
  return month === 12 ? [year + 1, 1, 1] : [year, month + 1, 1];
}

const two = (n: number) => (n < 10 ? `0${n}` : `${n}`);

/**
 * The canonical form of an RFC 3339 timestamp; `undefined` where it is invalid or outside the years 0000 to
 * 9999 in UTC. A leap second (`:60`) is accepted where RFC 3339 allows it: in the last minute of a UTC month.
 */
export function parseTimestamp(text: string): string | undefined {
  if (ORDINARY.test(text)) return text;
  const parts = RFC_3339.exec(text);
  if (parts === null) return undefined;
  let year = Number(parts[1]);
  let month = Number(parts[2]);
  let day = Number(parts[3]);
  const hour = Number(parts[4]);
  const minute = Number(parts[5]);
  const second = Number(parts[6]);
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  if (second < 60 && CANONICAL.test(text)) return text;

  let minutes = hour * 60 + minute;
  if (parts[8] === undefined) {
    const offsetHour = Number(parts[10]);
    const offsetMinute = Number(parts[11]);
    if (offsetHour > 23 || offsetMinute > 59) return undefined;
    minutes += (offsetHour * 60 + offsetMinute) * (parts[9] === '-' ? 1 : -1);
  }
  if (minutes < 0) {
    [year, month, day] = neighbour(year, month, day, -1);
    minutes += MINUTES_A_DAY;
  } else if (minutes >= MINUTES_A_DAY) {
    [year, month, day] = neighbour(year, month, day, 1);
    minutes -= MINUTES_A_DAY;
  }
  if (year < 0 || year > 9999) return undefined;
  if (second === 60 && (minutes !== MINUTES_A_DAY - 1 || day !== daysInMonth(year, month))) return undefined;

  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  const time = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(second)}`;
  return `${date}T${time}.${(parts[7] ?? '').padEnd(6, '0')}Z`;
}

/** Why a timestamp that RFC 3339 allows is rejected; follows the text and a colon. */
export function timestampFault(text: string): string | undefined {
  const short = text.replace(LONG_FRACTION, '$1');
  const isTime = (one: string) => parseTimestamp(one.replace(/^\d{4}/, yearLike)) !== undefined;
  if (short !== text) return isTime(short) ? 'it has more than six fractional digits' : undefined;
  return isTime(text) ? 'in UTC it is outside the years 0000 to 9999' : undefined;
}

/**
 * The time of a query: canonical, with more than six fractional digits where the text has them, since its
 * bound is then between two microseconds.
 */
export function parseTime(text: string): string | undefined {
  const canonical = parseTimestamp(text.replace(LONG_FRACTION, '$1'));
  const more = LONG_FRACTION.exec(text)?.[2] ?? '';
  if (canonical === undefined || !/[1-9]/.test(more)) return canonical;
  const first = more.slice(0, MAX_MORE_DIGITS);
  // Zeros alone are left of a difference that is further behind.
  return `${canonical.slice(0, MICROSECONDS)}${/[1-9]/.test(first) ? first : `${first.slice(1)}1`}Z`;
}

/** The last microsecond before a time of a query that is between two; `undefined` if it is a microsecond. */
export function microsecondBefore(time: string): string | undefined {
  return LONG_FRACTION.test(time) ? `${time.slice(0, MICROSECONDS)}Z` : undefined;
}

/** Dates and times as other systems write them, with digits of a date and of a time in their order. */
const LIKE_RFC_3339 =
  /^(\d{4})-?(\d\d)-?(\d\d)[Tt_ ]*(\d\d):?(\d\d)(?::?(\d\d))?(?:[.,](\d{1,100}))? ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/i;
const UNIX_SECONDS = /^\d{10}$/;
const UNIX_MILLISECONDS = /^\d{13}$/;

function likeTime(text: string): string | undefined {
  if (UNIX_SECONDS.test(text) || UNIX_MILLISECONDS.test(text))
    return timestampOf(Number(text.padEnd(13, '0'))).replace('.000000', '');
  const [, year, month, day, hour, minute, second = '00', fraction, zone = 'Z'] =
    LIKE_RFC_3339.exec(text) ?? [];
  const offset = /^[+-]/.test(zone) ? zone.replace(/^(...):?(\d\d)?$/, (_, h, m = '00') => `${h}:${m}`) : 'Z';
  const time = `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction === undefined ? '' : `.${fraction}`}${offset}`;
  return parseTime(time) === undefined ? undefined : time;
}

const ZONE = /(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)$/i;

/** Why the time of a query is rejected, and what to write; follows the text and a colon. */
export function timeFault(text: string): string | undefined {
  const meant = likeTime(text);
  if (meant === undefined) return timestampFault(text.replace(LONG_FRACTION, '$1'));
  return ZONE.test(text) || /^\d+$/.test(text)
    ? `write ${meant}`
    : `write ${meant} for that time in UTC, or with the offset of your zone, such as ${meant.replace(/Z$/, '+01:00')}`;
}

/** A year within range and with the same length of months. */
function yearLike(year: string): string {
  return String(2_000 + (Number(year) % 400));
}

/** A plain date, `YYYY-MM-DD`, which means the whole day in UTC; `undefined` where it does not exist. */
export function parseDate(text: string): string | undefined {
  const [, year, month, day] = DATE.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month) ? text : undefined;
}

/** In canonical form; `milliseconds` since 1970, default now. */
export function timestampOf(milliseconds: number = Date.now()): string {
  return `${new Date(milliseconds).toISOString().slice(0, -1)}000Z`;
}
