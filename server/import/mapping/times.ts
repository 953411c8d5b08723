// Dates of a mapping: texts of the forms that a file has, which are local times of a zone -> timestamps in
// UTC. The calendar and the clocks are those of Temporal.

import { listed } from '@linecard/client/contract/wording';
import { quoted } from '../values.ts';

/** The parts of a form. A day, month or hour between separators may have one digit. */
const PARTS = {
  YYYY: '(\\d{4})',
  YY: '(\\d\\d)',
  MM: '(\\d\\d)',
  DD: '(\\d\\d)',
  HH: '(\\d\\d)',
  mm: '(\\d\\d)',
  ss: '(\\d\\d)',
  ffffff: '(\\d{1,6})',
} as const;
type Part = keyof typeof PARTS;

const PART = /YYYY|YY|MM|DD|HH|mm|ss|ffffff/g;
const SHORT = '(\\d\\d?)';
const MAY_BE_SHORT: readonly Part[] = ['DD', 'MM', 'HH'];
/** The part that each one needs, because it is a fraction of it. */
const NEEDS: readonly (readonly [Part, Part])[] = [
  ['mm', 'HH'],
  ['ss', 'mm'],
  ['ffffff', 'ss'],
];
/** Words may separate, as in `DD de MM de YYYY`, but not what looks like a misspelt part, or a zone. */
const NO_SEPARATOR = /[\p{N}DMYSZz]|([dmyhsf])\1/u;

/** What a form may be, to follow "must be". */
export const FORM_ALLOWED =
  'made of DD, MM, YYYY or YY, and HH, mm, ss, ffffff with separators, such as DD.MM.YYYY HH:mm';

/** Two digits of a year: 69 to 99 are of the last century, as POSIX has it. */
const FIRST_SHORT_YEAR = 69;
const CENTURY = 100;
const MINUTES_A_DAY = 1_440;
const NANOSECONDS_A_MINUTE = 60_000_000_000;
/** Texts and days of a file repeat. */
const MAX_CACHED = 20_000;

const partsOf = (form: string) => form.match(PART) as Part[] | null;

export function isDateForm(form: string): boolean {
  const parts = partsOf(form) ?? [];
  const has = (part: Part) => parts.includes(part);
  return (
    new Set(parts).size === parts.length &&
    has('DD') &&
    has('MM') &&
    has('YYYY') !== has('YY') &&
    NEEDS.every(([part, other]) => !has(part) || has(other)) &&
    !NO_SEPARATOR.test(form.replaceAll(PART, ''))
  );
}

/** The same for two forms that could both read one text, as different times. */
export function formShape(form: string): string {
  return form.replaceAll(PART, (part) => (part === 'ffffff' ? 'f' : part.replaceAll(/./g, '#')));
}

export function isTimeZone(name: string): boolean {
  // An offset has no daylight saving time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    Temporal.PlainDate.from('2026-01-01').toZonedDateTime(name);
    return true;
  } catch {
    return false;
  }
}

interface Form {
  readonly pattern: RegExp;
  /** Which group of the pattern each part is; 0 where the form does not have it. */
  readonly groups: Readonly<Record<Part, number>>;
  /** How long its texts are. */
  readonly shortest: number;
  readonly longest: number;
  /** Whether its texts repeat in a file; those with seconds mostly do not. */
  readonly isCached: boolean;
}

function compiled(form: string): Form {
  const parts = partsOf(form) ?? [];
  // One literal more than there are parts.
  const literals = form.split(PART);
  const isSeparate = (i: number) =>
    (i === 0 || literals[i] !== '') && (i === parts.length - 1 || literals[i + 1] !== '');
  const digits = parts.map((part, i) => (MAY_BE_SHORT.includes(part) && isSeparate(i) ? SHORT : PARTS[part]));
  const pattern = digits.map((one, i) => RegExp.escape(literals[i] ?? '') + one);
  const groups = Object.fromEntries(
    Object.keys(PARTS).map((part) => [part, parts.indexOf(part as Part) + 1]),
  );
  return {
    pattern: new RegExp(`^${pattern.join('')}${RegExp.escape(literals.at(-1) ?? '')}$`),
    groups: groups as Record<Part, number>,
    shortest: form.length - digits.filter((one) => one === SHORT).length - (parts.includes('ffffff') ? 5 : 0),
    longest: form.length,
    isCached: !parts.includes('ss'),
  };
}

/** Twice as fast as `Number`, which has more to look for. */
function integerOf(digits: string): number {
  let integer = 0;
  for (let i = 0; i < digits.length; i++) integer = 10 * integer + digits.charCodeAt(i) - 48;
  return integer;
}

const yearOf = (short: number) => short + (short < FIRST_SHORT_YEAR ? 20 : 19) * CENTURY;

type Clock = Readonly<Record<'hour' | 'minute' | 'second', number>> & { readonly fraction: string };

const two = (n: number) => (n < 10 ? `0${n}` : `${n}`);

/** A day on which the clocks of the zone do not change. */
interface EvenDay {
  /** How far they are ahead of UTC. */
  readonly offsetMinutes: number;
  /** The day before, the day, and the day after. */
  readonly dates: readonly [string, string, string];
}

function evenTime({ offsetMinutes, dates }: EvenDay, { hour, minute, second, fraction }: Clock): string {
  const minutes = hour * 60 + minute - offsetMinutes;
  const shift = minutes < 0 ? -1 : minutes < MINUTES_A_DAY ? 0 : 1;
  const rest = minutes - shift * MINUTES_A_DAY;
  return `${dates[shift + 1]}T${two(Math.floor(rest / 60))}:${two(rest % 60)}:${two(second)}.${fraction}Z`;
}

export class LocalTimes {
  readonly #zone: string;
  readonly #names: readonly string[];
  readonly #forms: readonly Form[];
  readonly #texts = new Map<string, string | { readonly fault: string }>();
  /** By date; `undefined` for a day on which the clocks change. */
  readonly #days = new Map<number, EvenDay | undefined>();

  constructor(forms: readonly string[], zone = 'UTC') {
    this.#zone = zone;
    this.#names = forms;
    this.#forms = forms.map(compiled);
  }

  /** A timestamp in UTC, or what is wrong with the text; `undefined` where it has none of the forms. */
  read(text: string): string | { readonly fault: string } | undefined {
    for (const { shortest, longest, pattern, groups, isCached } of this.#forms) {
      if (text.length < shortest || text.length > longest) continue;
      const known = isCached ? this.#texts.get(text) : undefined;
      if (known !== undefined) return known;
      const found = pattern.exec(text);
      if (found === null) continue;
      const time = this.#timestamp(found, groups);
      if (isCached) {
        if (this.#texts.size === MAX_CACHED) this.#texts.clear();
        this.#texts.set(text, time);
      }
      return time;
    }
    return undefined;
  }

  /** What is wrong with a text of none of the forms. */
  complaint(text: string): string {
    return `${quoted(text)} is not a date of the form ${listed(this.#names, 'or')}, nor a timestamp with an offset.`;
  }

  #timestamp(found: RegExpExecArray, groups: Form['groups']): string | { readonly fault: string } {
    // A part that the form does not have is group 0, the whole text.
    const number = (group: number) => (group === 0 ? 0 : integerOf(found[group] ?? ''));
    const year = groups.YYYY === 0 ? yearOf(number(groups.YY)) : number(groups.YYYY);
    const [month, day] = [number(groups.MM), number(groups.DD)];
    const [hour, minute, second] = [number(groups.HH), number(groups.mm), number(groups.ss)];
    const fraction = groups.ffffff === 0 ? '000000' : (found[groups.ffffff] ?? '').padEnd(6, '0');
    const clock = { hour, minute, second, fraction };
    try {
      if (hour > 23 || minute > 59 || second > 59) throw new RangeError('no such time');
      const even = this.#dayOf(year, month, day);
      if (even !== undefined) return evenTime(even, clock);
      return this.#unevenTime(found[0], Temporal.PlainDate.from({ year, month, day }), clock);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { fault: `${quoted(found[0])} does not exist: there is no such day or time.` };
    }
  }

  /** @throws {RangeError} where there is no such day. */
  #dayOf(year: number, month: number, day: number): EvenDay | undefined {
    const key = year * 10_000 + month * 100 + day;
    const known = this.#days.get(key);
    if (known !== undefined || this.#days.has(key)) return known;
    const even = this.#evenDay(Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' }));
    if (this.#days.size === MAX_CACHED) this.#days.clear();
    this.#days.set(key, even);
    return even;
  }

  #evenDay(date: Temporal.PlainDate): EvenDay | undefined {
    const begin = this.#only(date.toPlainDateTime());
    const end = this.#only(date.toPlainDateTime('23:59:59.999999'));
    if (begin === undefined || end === undefined) return undefined;
    const offsetMinutes = begin.offsetNanoseconds / NANOSECONDS_A_MINUTE;
    const change = begin.getTimeZoneTransition('next');
    const isEven = change === null || Temporal.ZonedDateTime.compare(change, end) > 0;
    if (!isEven || !Number.isInteger(offsetMinutes)) return undefined;
    const dates = [-1, 0, 1].map((days) => date.add({ days }).toString());
    return { offsetMinutes, dates: dates as [string, string, string] };
  }

  /** The one time at which the clocks show this, if there is one. */
  #only(local: Temporal.PlainDateTime): Temporal.ZonedDateTime | undefined {
    const earlier = local.toZonedDateTime(this.#zone, { disambiguation: 'earlier' });
    const later = local.toZonedDateTime(this.#zone, { disambiguation: 'later' });
    return earlier.equals(later) ? earlier : undefined;
  }

  #unevenTime(text: string, date: Temporal.PlainDate, clock: Clock): string | { readonly fault: string } {
    const { hour, minute, second, fraction } = clock;
    const local = date.toPlainDateTime(`${two(hour)}:${two(minute)}:${two(second)}.${fraction}`);
    const time = this.#only(local);
    if (time !== undefined) return time.toInstant().toString({ fractionalSecondDigits: 6 });
    const earlier = local.toZonedDateTime(this.#zone, { disambiguation: 'earlier' });
    const isRepeated = earlier.toPlainDateTime().equals(local);
    const fault = isRepeated
      ? `${quoted(text)} happens twice in ${this.#zone}, where clocks are set back: write it with its offset.`
      : `${quoted(text)} does not exist in ${this.#zone}, where clocks are set forward: correct it, or write it with its offset.`;
    return { fault };
  }
}
