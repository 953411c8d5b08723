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
];
const CLOCKS = ['', ' HH:mm', ' HH:mm:ss', ' HH:mm:ss.ffffff', 'THH:mm', 'THH:mm:ss', 'THH:mm:ss.ffffff'];

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

const FORMS = DAYS.flatMap((day) => CLOCKS.map((clock) => day + clock)).map((form) => ({
  form,
  times: new LocalTimes([form]),
}));

const fits = (times: LocalTimes, text: string) => typeof times.read(text) === 'string';

/** The forms that read all of the texts: first the one that reads most of them. */
export function dateForms(texts: readonly string[]): Finding<readonly string[]> {
  const found: string[] = [];
  // What has an offset is read without a form.
  let rest = texts.filter((text) => parseTimestamp(text) === undefined && timestamp.read(text) === undefined);
  while (rest.length > 0) {
    const counted = FORMS.map(({ form, times }) => ({
      form,
      times,
      count: rest.filter((text) => fits(times, text)).length,
    })).toSorted((a, b) => b.count - a.count);
    const [best, ...others] = counted;
    if (best === undefined || best.count === 0) return { found, unclear: rest[0] ?? '' };
    const same = others.filter(
      ({ form, count }) => count === best.count && formShape(form) === formShape(best.form),
    );
    if (same.length > 0)
      return { found, unclear: rest[0] ?? '', ways: [best.form, ...same.map(({ form }) => form)] };
    found.push(best.form);
    rest = rest.filter((text) => !fits(best.times, text));
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
