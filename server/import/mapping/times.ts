// Dates of a mapping: texts of the forms that a file has, which are local times of a zone -> timestamps in
// UTC. The calendar and the clocks are those of Temporal.

import { listed } from '@linecard/client/contract/wording';
import { quoted } from '../values.ts';
import { compiledForm } from './forms.ts';
import type { Form, Reading } from './named-forms.ts';

const MINUTES_A_DAY = 1_440;
const NANOSECONDS_A_MINUTE = 60_000_000_000;
/** Texts and days of a file repeat. */
const MAX_CACHED = 20_000;

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

type Clock = Pick<Reading, 'hour' | 'minute' | 'second' | 'fraction'>;

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

const isEndOfDay = ({ hour, minute, second, fraction }: Clock) =>
  hour === 24 && minute === 0 && second === 0 && Number(fraction) === 0;

/** @throws {RangeError} where there is no such day. */
function nextMidnight(reading: Reading): Reading {
  const { year, month, day } = Temporal.PlainDate.from(reading, { overflow: 'reject' }).add({ days: 1 });
  return { ...reading, year, month, day, hour: 0 };
}

/** @throws {RangeError} where there is no such day. */
function timeWithOffset(reading: Reading, minutes: number): string {
  const { year, month, day, hour, minute, second, fraction } = reading;
  const date = Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' });
  const shown = date.toPlainDateTime({ hour, minute, second }).subtract({ minutes });
  return `${shown.toString({ smallestUnit: 'second' })}.${fraction}Z`;
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
    this.#forms = forms.map(compiledForm);
  }

  /** A timestamp in UTC, or what is wrong with the text; `undefined` where it has none of the forms. */
  read(text: string): string | { readonly fault: string } | undefined {
    for (const { shortest, longest, read, isCached } of this.#forms) {
      if (text.length < shortest || text.length > longest) continue;
      const known = isCached ? this.#texts.get(text) : undefined;
      if (known !== undefined) return known;
      const found = read(text);
      if (found === undefined) continue;
      const time = this.#timestamp(text, found);
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

  #timestamp(text: string, reading: Reading): string | { readonly fault: string } {
    const { year, month, day, offsetMinutes } = reading;
    try {
      if (isEndOfDay(reading)) return this.#timestamp(text, nextMidnight(reading));
      // An hour that is none is not a number.
      if (!(reading.hour <= 23 && reading.minute <= 59 && reading.second <= 59))
        throw new RangeError('no such time');
      if (offsetMinutes !== undefined) return timeWithOffset(reading, offsetMinutes);
      const even = this.#dayOf(year, month, day);
      if (even !== undefined) return evenTime(even, reading);
      return this.#unevenTime(text, Temporal.PlainDate.from({ year, month, day }), reading);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { fault: `${quoted(text)} does not exist: there is no such day or time.` };
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
