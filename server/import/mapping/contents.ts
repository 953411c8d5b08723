// What texts of a file show: how its dates and decimals are written, which of its words are flags, and
// whether they are numbers or ids.

import { parseTimestamp } from '@linecard/client/contract/timestamp';
import { flag, timestamp } from '../values.ts';
import type { DecimalSign, IdKind } from './mapped.ts';
import { formShape, LocalTimes } from './times.ts';

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

const PHONE = /^(?:\+|00)?[\d\s()./-]+$/;
const PHONE_DIGITS = { min: 7, max: 15 } as const;
const INTEGER = /^[1-9]\d{0,14}$/;

/** The part of the texts that must be of a kind before a column is taken to be of it. */
const MOST = 0.9;

/** The texts that are there, each once. */
export const present = (texts: readonly string[]): string[] =>
  [...new Set(texts)].filter((text) => text.trim() !== '' && text !== '\\N');

const mostly = (texts: readonly string[], is: (text: string) => boolean) =>
  texts.length > 0 && texts.filter(is).length >= MOST * texts.length;

export function arePhoneNumbers(texts: readonly string[]): boolean {
  return mostly(texts, (text) => {
    const digits = text.replaceAll(/\D/g, '').length;
    return PHONE.test(text) && digits >= PHONE_DIGITS.min && digits <= PHONE_DIGITS.max;
  });
}

/** Whether these are flags and nothing else, such as `yes` and `no`, or `1` and `0`. */
export const areFlags = (texts: readonly string[]) =>
  texts.length > 0 &&
  texts.every((text) => flag.read(text) !== undefined || FLAGS.has(text.trim().toLowerCase()));

export const areCountryCodes = (texts: readonly string[]) => mostly(texts, (text) => /^[A-Z]{2}$/.test(text));

/** How an id is made of these texts: they are ids already, or any other texts. */
export const idKindOf = (texts: readonly string[]): IdKind | undefined =>
  texts.every((text) => INTEGER.test(text)) ? undefined : 'digest';

/** What the texts tell, and what they leave open. */
export interface Finding<T> {
  readonly found: T;
  /** A text that fits nothing, or that may be read in two ways; then which. */
  readonly unclear?: string;
  readonly ways?: readonly string[];
}

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

/** A charge with a currency before or after it. */
const WITH_CURRENCY = /^-?([\p{L}\p{Sc}]{1,5})\s*-?\d[\d.,'\s]*$|^-?\d[\d.,'\s]*([\p{L}\p{Sc}]{1,5})$/u;

/** The currency next to charges; a mapping says one for all of them. */
export function currencyOf(texts: readonly string[]): Finding<string | undefined> {
  const found = texts.flatMap((text) => {
    const [, before, after] = WITH_CURRENCY.exec(text.trim()) ?? [];
    return before ?? after ?? [];
  });
  const [one, ...others] = new Set(found);
  return others.length === 0 ? { found: one } : { found: undefined, ways: [one ?? '', ...others] };
}

/** Three digits after the only sign may be thousands, or a fraction. */
const EITHER = /^-?\d{1,3}[.,]\d{3}$/;

/** The decimal sign of charges; none where a mapping need not say it. */
export function decimalSign(texts: readonly string[]): Finding<DecimalSign | undefined> {
  const last = (text: string) => text.match(/[.,](?=[^.,]*$)/)?.[0] as DecimalSign | undefined;
  const isSign = (text: string, sign: DecimalSign) =>
    last(text) === sign && !EITHER.test(text) && text.split(sign).length === 2;
  const comma = texts.find((text) => isSign(text, ','));
  const point = texts.find((text) => isSign(text, '.'));
  if (comma !== undefined && point !== undefined)
    return { found: undefined, unclear: point, ways: [comma, point] };
  if (comma !== undefined) return { found: ',' };
  if (point !== undefined)
    return { found: texts.some((text) => /[,' \u00a0\u202f]/.test(text)) ? '.' : undefined };
  const either = texts.find((text) => EITHER.test(text));
  return either === undefined
    ? { found: undefined }
    : { found: undefined, unclear: either, ways: ['a fraction', 'thousands'] };
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
