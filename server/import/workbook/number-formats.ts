// What the numbers of cells are: times where their format shows days, months or hours (ECMA-376, part 1,
// 18.8.30), and the local time that a serial number of days is.

/** What a format shows of a number. */
export type Shown = 'number' | 'day' | 'clock';

const DAY = /[yd]/i;
const CLOCK = /[hs]/i;
/** Quoted texts, escaped characters, fillers, colours and conditions, but not hours that have passed. */
const LITERAL = /"[^"]*"?|[\\_*].|\[(?!(?:h+|m+|s+)\])[^[\]]*\]/gi;
const MONTH = /m/i;

/** Those that have no text of their own. */
const BUILT_IN: ReadonlyMap<number, Shown> = new Map([
  ...[14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map(
    (id) => [id, 'day'] as const,
  ),
  ...[18, 19, 20, 21, 32, 33, 34, 35, 45, 46, 47, 55, 56].map((id) => [id, 'clock'] as const),
]);

/** What a format shows, by its text if it has one. */
export function shownBy(id: number, text: string | undefined): Shown {
  if (text === undefined) return BUILT_IN.get(id) ?? 'number';
  const [section = ''] = text.replaceAll(LITERAL, '').split(';', 1);
  const signs = section.replaceAll(/general|e[+-]/gi, '');
  if (DAY.test(signs)) return 'day';
  if (CLOCK.test(signs)) return 'clock';
  return MONTH.test(signs) ? 'day' : 'number';
}

const DAY_MILLISECONDS = 86_400_000;
/** 9999-12-31. */
const LAST_DAY = 2_958_466;
/** 1900-03-01. Excel has a 29 February 1900 and LibreOffice has none: they count earlier days differently. */
const FIRST_DAY = 61;
const DAYS_TO_1904 = 1_462;
const DAY_0 = Temporal.PlainDate.from('1899-12-30');
/** The days of a file repeat. */
const MAX_CACHED = 20_000;
const dates = new Map<number, string>();

function dateOf(day: number): string {
  const known = dates.get(day);
  if (known !== undefined) return known;
  const date = DAY_0.add({ days: day }).toString();
  if (dates.size === MAX_CACHED) dates.clear();
  dates.set(day, date);
  return date;
}

const two = (n: number) => (n < 10 ? `0${n}` : String(n));

function clockOf(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  const rest = milliseconds % 1_000;
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`;
  return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`;
}

/**
 * The local time of a serial number, `2026-11-20T15:05:00`, to the millisecond; `undefined` where programs
 * read it differently, or not at all.
 */
export function localTime(serial: number, is1904: boolean): string | undefined {
  const days = is1904 ? serial + DAYS_TO_1904 : serial;
  if (!(days >= FIRST_DAY && days < LAST_DAY)) return undefined;
  const milliseconds = Math.round(days * DAY_MILLISECONDS);
  return `${dateOf(Math.floor(milliseconds / DAY_MILLISECONDS))}T${clockOf(milliseconds % DAY_MILLISECONDS)}`;
}

/** The time of day that a part of a day is; more than a day goes on counting hours. */
export function clockTime(serial: number): string | undefined {
  return serial >= 0 && serial < LAST_DAY ? clockOf(1_000 * Math.round(serial * 86_400)) : undefined;
}
