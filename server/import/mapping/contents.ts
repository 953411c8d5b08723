// What texts of a file show: how its dates are written, which of its words are flags, and whether they are
// ids. What a check of a file shows as well is in api/check/contents.ts.

import { type Finding, mostly } from '@linecard/client/check/contents';
import { parseTimestamp } from '@linecard/client/contract/timestamp';
import { flag, timestamp } from '../values.ts';
import { formShape } from './forms.ts';
import { LocalTimes } from './times.ts';
import type { IdKind } from './written.ts';

const DAYS = [
  'DD.MM.YYYY',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'DD-MM-YYYY',
  'MM-DD-YYYY',
  'YYYY-MM-DD',
  'YYYY/MM/DD',
  'YYYYMMDD',
  'DD.MM.YY',
  'DD/MM/YY',
  'MM/DD/YY',
  'D MMM YYYY',
  'D. MMM YYYY',
  'DD-MMM-YYYY',
  'DD-MMM-YY',
  'MMM D, YYYY',
  'D de MMM de YYYY',
  'ddd, D MMM YYYY',
];
const CLOCKS = [
  '',
  ' HH:mm',
  ' HH:mm:ss',
  ' HH:mm:ss.ffffff',
  'THH:mm',
  'THH:mm:ss',
  'THH:mm:ss.ffffff',
  ' h:mm a',
  ' h:mm:ss a',
  ', HH:mm',
  ', HH:mm:ss',
  ', h:mm a',
  ', h:mm:ss a',
];

/** Flags as they are written in five languages, in any case. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ...'yes y on true ja j wahr x sí si oui o vrai sim s verdadero'
    .split(' ')
    .map((word) => [word, 'true'] as const),
  ...'no n off false nein falsch non faux não nao falso'.split(' ').map((word) => [word, 'false'] as const),
]);

const INTEGER = /^[1-9]\d{0,14}$/;

/** Whether these are flags and nothing else, such as `yes` and `no`, or `1` and `0`. */
export const areFlags = (texts: readonly string[]) =>
  texts.length > 0 &&
  texts.every((text) => flag.read(text) !== undefined || FLAGS.has(text.trim().toLowerCase()));

export const areCountryCodes = (texts: readonly string[]) => mostly(texts, (text) => /^[A-Z]{2}$/.test(text));

/** How an id is made of these texts: they are ids already, or any other texts. */
export const idKindOf = (texts: readonly string[]): IdKind | undefined =>
  texts.every((text) => INTEGER.test(text)) ? undefined : 'digest';

const FORMS = DAYS.flatMap((day) => CLOCKS.map((clock) => ({ day, form: day + clock }))).map((one) => ({
  ...one,
  times: new LocalTimes([one.form]),
}));
/** Forms that have a name, and what all texts of a column must look like to be of one. */
const COUNTED: readonly (readonly [form: string, text: RegExp])[] = [
  ['rfc2822', /^[A-Z][a-z]{2}, \d/],
  ['unix', /^(?:9\d{8}|[1-3]\d{9})(?:\.\d+)?$/],
  ['unix_ms', /^(?:9\d{11}|[1-3]\d{12})$/],
  ['excel', /^[2-6]\d{4}(?:[.,]\d+)?$/],
];

const fits = (times: LocalTimes, text: string) => typeof times.read(text) === 'string';

type DayForm = (typeof FORMS)[number];

/** Of forms that read the same texts, those whose order of the day others of the texts do not contradict. */
function uncontradicted(ways: readonly DayForm[], texts: readonly string[]): readonly DayForm[] {
  const reads = (day: string, text: string) => FORMS.some((one) => one.day === day && fits(one.times, text));
  const telling = texts.filter((text) => ways.some(({ day }) => reads(day, text)));
  const left = ways.filter(({ day }) => telling.every((text) => reads(day, text)));
  return left.length === 1 ? left : ways;
}

/** The forms that read all of the texts: first the one that reads most of them. */
export function dateForms(texts: readonly string[]): Finding<readonly string[]> {
  const found: string[] = [];
  // What has an offset is read without a form.
  let rest = texts.filter((text) => parseTimestamp(text) === undefined && timestamp.read(text) === undefined);
  const counted = COUNTED.find(([, like]) => rest.length > 0 && rest.every((text) => like.test(text)));
  if (counted !== undefined && rest.every((text) => fits(new LocalTimes([counted[0]]), text)))
    return { found: [counted[0]] };
  while (rest.length > 0) {
    const [best, ...others] = FORMS.map((one) => ({
      ...one,
      count: rest.filter((text) => fits(one.times, text)).length,
    })).toSorted((a, b) => b.count - a.count);
    if (best === undefined || best.count === 0) return { found, unclear: rest[0] ?? '' };
    const same = others.filter(
      ({ form, count }) => count === best.count && formShape(form) === formShape(best.form),
    );
    const [one = best, ...more] = uncontradicted([best, ...same], texts);
    if (more.length > 0)
      return { found, unclear: rest[0] ?? '', ways: [one.form, ...more.map(({ form }) => form)] };
    found.push(one.form);
    rest = rest.filter((text) => !fits(one.times, text));
  }
  return { found };
}

/** The words of flags that a mapping must say; `unclear` is one that is no flag in any language. */
export function flagValues(texts: readonly string[]): Finding<Readonly<Record<string, string>>> {
  const others = [...new Set(texts.map((text) => text.trim()))].filter(
    (text) => flag.read(text) === undefined,
  );
  const words = others.map((text) => [text, FLAGS.get(text.toLowerCase())] as const);
  const found = Object.fromEntries(
    words.flatMap(([text, value]) => (value === undefined ? [] : [[text, value]])),
  );
  const unclear = words.find(([, value]) => value === undefined)?.[0];
  return unclear === undefined ? { found } : { found, unclear };
}
