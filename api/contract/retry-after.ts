// `Retry-After` (RFC 9110, section 10.2.3): seconds, or a time in any of the three forms of HTTP. Anything
// else is none, such as `-5` or `2.5`, in which `Date.parse` reads a month or a day of 2001.

const SECONDS = /^\d+$/;
const TIME = String.raw`(\d\d):(\d\d):(\d\d)`;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH = MONTHS.join('|');
const [DAY, DAY_NAME] = ['(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)', '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'];

/** The forms of RFC 9110, section 5.6.7; the last two are obsolete, and have to be read. */
const FORMS: readonly (readonly [form: RegExp, day: number, month: number, year: number, time: number])[] = [
  [new RegExp(`^${DAY}, (\\d\\d) (${MONTH}) (\\d{4}) ${TIME} GMT$`), 1, 2, 3, 4],
  [new RegExp(`^${DAY_NAME}, (\\d\\d)-(${MONTH})-(\\d\\d) ${TIME} GMT$`), 1, 2, 3, 4],
  [new RegExp(`^${DAY} (${MONTH}) ([ \\d]\\d) ${TIME} (\\d{4})$`), 2, 1, 6, 3],
];
const CENTURY = 100;
/** A year of two digits is one of the past where it seems further ahead than this. */
const YEARS_AHEAD = 50;

function yearOf(digits: string, now: number): number {
  if (digits.length > 2) return Number(digits);
  const thisYear = 1970 + Math.floor(now / (365.2425 * 86_400_000));
  const year = thisYear - (thisYear % CENTURY) + Number(digits);
  return year > thisYear + YEARS_AHEAD ? year - CENTURY : year;
}

/** A time of HTTP in milliseconds since 1970; `undefined` where it is none. */
export function httpTime(text: string, now: number = Date.now()): number | undefined {
  for (const [form, day, month, year, time] of FORMS) {
    const parts = form.exec(text);
    if (parts === null) continue;
    const at = (i: number) => parts[i] ?? '';
    const [hours, minutes, seconds] = [time, time + 1, time + 2].map((i) => Number(at(i)));
    return Date.UTC(
      yearOf(at(year), now),
      MONTHS.indexOf(at(month)),
      Number(at(day)),
      hours,
      minutes,
      seconds,
    );
  }
  return undefined;
}

/**
 * How many seconds an answer asks to wait, by the clock of its server; `undefined` where it does not say.
 * @param now in milliseconds since 1970
 */
export function retryAfterSeconds(text: string | null | undefined, now: number): number | undefined {
  const wanted = text?.trim() ?? '';
  if (SECONDS.test(wanted)) return Number(wanted);
  const until = httpTime(wanted, now);
  return until === undefined ? undefined : Math.max(0, Math.ceil((until - now) / 1_000));
}
