// Dates of a mapping: texts of the forms that a file has, which are local times of a zone -> timestamps in
// UTC. The calendar and the clocks are those of Temporal.

import { listed } from '@linecard/client/contract/wording';
import { quoted } from '../values.ts';
import { compiledForm } from './forms.ts';
import type { Form, Reading } from './named-forms.ts';
import { type Mapping, REPEATED, SKIPPED } from './written.ts';

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

/** What a mapping says of the clocks. */
export type Clocks = Pick<Mapping, 'time_zone' | 'repeated' | 'skipped'>;

/** A time that clocks show twice or not at all, and what was taken for it. */
interface ChosenTime {
  readonly time: string;
  readonly because: 'repeated' | 'skipped';
}

type Read = string | { readonly fault: string };

export class LocalTimes {
  readonly #clocks: Required<Clocks>;
  /** How many times were chosen. */
  readonly #chosen = { repeated: 0, skipped: 0 };
  readonly #names: readonly string[];
  readonly #forms: readonly Form[];
  readonly #texts = new Map<string, Read | ChosenTime>();
  /** By date; `undefined` for a day on which the clocks change. */
  readonly #days = new Map<number, EvenDay | undefined>();

  constructor(forms: readonly string[], clocks: Clocks = {}) {
    const { time_zone = 'UTC', repeated = REPEATED[0], skipped = SKIPPED[0] } = clocks;
    this.#clocks = { time_zone, repeated, skipped };
    this.#names = forms;
    this.#forms = forms.map(compiledForm);
  }

  /** A timestamp in UTC, or what is wrong with the text; `undefined` where it has none of the forms. */
  read(text: string): Read | undefined {
    for (const { shortest, longest, read, isCached } of this.#forms) {
      if (text.length < shortest || text.length > longest) continue;
      const known = isCached ? this.#texts.get(text) : undefined;
      if (known !== undefined) return this.#counted(known);
      const found = read(text);
      if (found === undefined) continue;
      const time = this.#timestamp(text, found);
      if (isCached) {
        if (this.#texts.size === MAX_CACHED) this.#texts.clear();
        this.#texts.set(text, time);
      }
      return this.#counted(time);
    }
    return undefined;
  }

  /** What was read and may not be what was meant, in a sentence each. */
  get warnings(): string[] {
    const { time_zone, repeated } = this.#clocks;
    const times = (count: number) => (count === 1 ? '1 time' : `${count.toLocaleString('en')} times`);
    const sentences = {
      repeated: `that clocks show twice in ${time_zone}: each is the ${repeated} of the two ("repeated" of the mapping).`,
      skipped: `that clocks skip in ${time_zone}: each is as much later as clocks are set forward ("skipped" of the mapping).`,
    };
    return (['repeated', 'skipped'] as const).flatMap((kind) =>
      this.#chosen[kind] === 0 ? [] : [`${times(this.#chosen[kind])} ${sentences[kind]}`],
    );
  }

  #counted(time: Read | ChosenTime): Read {
    if (typeof time === 'string' || 'fault' in time) return time;
    this.#chosen[time.because] += 1;
    return time.time;
  }

  /** What is wrong with a text of none of the forms. */
  complaint(text: string): string {
    return `${quoted(text)} is not a date of the form ${listed(this.#names, 'or')}, nor a timestamp with an offset.`;
  }

  #timestamp(text: string, reading: Reading): Read | ChosenTime {
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
    const earlier = local.toZonedDateTime(this.#clocks.time_zone, { disambiguation: 'earlier' });
    const later = local.toZonedDateTime(this.#clocks.time_zone, { disambiguation: 'later' });
    return earlier.equals(later) ? earlier : undefined;
  }

  #unevenTime(text: string, date: Temporal.PlainDate, clock: Clock): Read | ChosenTime {
    const { hour, minute, second, fraction } = clock;
    const { time_zone, ...choices } = this.#clocks;
    const local = date.toPlainDateTime(`${two(hour)}:${two(minute)}:${two(second)}.${fraction}`);
    const only = this.#only(local);
    const utc = (time: Temporal.ZonedDateTime) => time.toInstant().toString({ fractionalSecondDigits: 6 });
    if (only !== undefined) return utc(only);
    const earlier = local.toZonedDateTime(time_zone, { disambiguation: 'earlier' });
    const because = earlier.toPlainDateTime().equals(local) ? 'repeated' : 'skipped';
    const choice = choices[because];
    if (choice !== 'refuse')
      return { time: utc(local.toZonedDateTime(time_zone, { disambiguation: choice })), because };
    const fault =
      because === 'repeated'
        ? `${quoted(text)} happens twice in ${time_zone}, where clocks are set back: write it with its offset, or say "repeated": "earlier" in the mapping.`
        : `${quoted(text)} does not exist in ${time_zone}, where clocks are set forward: correct it, or say "skipped": "later" in the mapping.`;
    return { fault };
  }
}
