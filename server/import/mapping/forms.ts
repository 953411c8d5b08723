// Forms of dates in the letters of a mapping, such as `DD.MM.YYYY HH:mm` -> what reads texts of them.

import { monthNamed } from './months.ts';
import { type Form, NAMED_FORMS, offsetOf, type Reading } from './named-forms.ts';

const NAME = '(\\p{L}{3,11}\\.?)';
const SHORT = '(\\d\\d?)';
const BLANK = '[ \\u00a0\\u202f]';

interface Part {
  /** What it gives; parts that give the same are not in one form. */
  readonly gives:
    | 'year'
    | 'month'
    | 'day'
    | 'weekday'
    | 'hour'
    | 'half'
    | 'minute'
    | 'second'
    | 'fraction'
    | 'zone';
  readonly pattern: string;
  readonly shortest: number;
  readonly longest: number;
  /** What two forms that read the same texts have in common. */
  readonly shape: string;
}

const part = (
  gives: Part['gives'],
  pattern: string,
  [shortest, longest]: readonly [number, number],
  shape: string,
): Part => ({
  gives,
  pattern,
  shortest,
  longest,
  shape,
});
const two = (gives: Part['gives']) => part(gives, '(\\d\\d)', [2, 2], '##');
const short = (gives: Part['gives']) => part(gives, SHORT, [1, 2], '##');

const PARTS = {
  YYYY: part('year', '(\\d{4})', [4, 4], '####'),
  YY: two('year'),
  MMMM: part('month', NAME, [3, 12], '@'),
  MMM: part('month', NAME, [3, 12], '@'),
  MM: two('month'),
  M: short('month'),
  DD: two('day'),
  D: short('day'),
  ddd: part('weekday', '([\\p{L}-]{2,15}\\.?)', [2, 16], '@'),
  HH: two('hour'),
  H: short('hour'),
  hh: two('hour'),
  h: short('hour'),
  mm: two('minute'),
  ss: two('second'),
  ffffff: part('fraction', '(\\d{1,6})', [1, 6], 'f'),
  a: part('half', `([AaPp]\\.?${BLANK}?[Mm]\\.?)`, [2, 5], 'a'),
  Z: part('zone', '(Z|UTC|GMT|[+-]\\d\\d(?::?\\d\\d)?)', [1, 6], 'Z'),
} as const satisfies Record<string, Part>;
type Letters = keyof typeof PARTS;

/** The part that each one needs, because it is a part of it. */
const NEEDS: readonly (readonly [Part['gives'], Part['gives']])[] = [
  ['minute', 'hour'],
  ['second', 'minute'],
  ['fraction', 'second'],
  ['zone', 'hour'],
];
/** In a form of 24 hours an `h` separates, and without a clock an `a` does. */
const OF_12 = /hh|h/;
const LETTERS = {
  all: /YYYY|YY|MMMM|MMM|MM|M|DD|D|ddd|HH|H|hh|h|mm|ss|ffffff|a|Z/g,
  of24: /YYYY|YY|MMMM|MMM|MM|M|DD|D|ddd|HH|H|mm|ss|ffffff|Z/g,
  /** In a word that is not made of parts alone. */
  long: /YYYY|YY|MMMM|MMM|MM|DD|ddd|HH|mm|ss|ffffff/g,
} as const;
/** Words may separate, as in `DD de MM de YYYY`, but not what looks like a misspelt part, or a zone. */
const NO_SEPARATOR = /[\p{N}DMYSZz]|([dmyhsf])\1/u;
/** Letters that may separate parts in one word. */
const BETWEEN = { of12: /^T*$/, of24: /^[Th]*$/ } as const;

/** What a form may be, to follow "must be". */
export const FORM_ALLOWED = `made of D or DD, M, MM or MMM, YYYY or YY, and H or HH, or h with a, mm, ss, ffffff, ddd, Z with separators, such as DD.MM.YYYY HH:mm, or one of ${Object.keys(NAMED_FORMS).join(', ')}`;

/** Two digits of a year: 69 to 99 are of the last century, as POSIX has it. */
const FIRST_SHORT_YEAR = 69;
const CENTURY = 100;

interface Split {
  readonly parts: readonly Letters[];
  /** One more than there are parts. */
  readonly literals: readonly string[];
}

function splitForm(form: string): Split {
  const is24 =
    /H/.test(form) ||
    !OF_12.test(form.replaceAll(/\p{L}+/gu, (word) => (/^(?:hh?|hh?mm(?:ss)?a?)$/.test(word) ? word : '')));
  const [own, between] = is24 ? [LETTERS.of24, BETWEEN.of24] : [LETTERS.all, BETWEEN.of12];
  const parts: Letters[] = [];
  const literals = [''];
  const add = (text: string) => literals.push(`${literals.pop() ?? ''}${text}`);
  for (const [word] of form.matchAll(/\p{L}+|\P{L}+/gu)) {
    const letters = between.test(word.replaceAll(own, '')) ? own : LETTERS.long;
    let at = 0;
    for (const { 0: found, index } of word.matchAll(letters)) {
      add(word.slice(at, index));
      parts.push(found as Letters);
      literals.push('');
      at = index + found.length;
    }
    add(word.slice(at));
  }
  return { parts, literals };
}

const isDigits = (letters: Letters | undefined) =>
  letters !== undefined && PARTS[letters].pattern.startsWith('(\\d');

/** Whether digits of other parts are not next to a part. */
const isSeparate = ({ parts, literals }: Split, i: number) =>
  (literals[i] !== '' || !isDigits(parts[i - 1])) && (literals[i + 1] !== '' || !isDigits(parts[i + 1]));

export function isDateForm(form: string): boolean {
  if (Object.hasOwn(NAMED_FORMS, form)) return true;
  const split = splitForm(form);
  const { parts, literals } = split;
  const gives = parts.map((one): Part['gives'] => PARTS[one].gives);
  const has = (one: Part['gives']) => gives.includes(one);
  return (
    new Set(gives).size === gives.length &&
    has('day') &&
    has('month') &&
    has('year') &&
    NEEDS.every(([one, other]) => !has(one) || has(other)) &&
    has('half') === parts.some((one) => one === 'h' || one === 'hh') &&
    parts.every((one, i) => PARTS[one].pattern !== SHORT || isSeparate(split, i)) &&
    !literals.some((literal) => NO_SEPARATOR.test(literal))
  );
}

/** Whether times of a form are those of a zone, and not of an offset or a count. */
export const isLocalForm = (form: string): boolean =>
  Object.hasOwn(NAMED_FORMS, form) ? /^(?:iso|excel)/.test(form) : !splitForm(form).parts.includes('Z');

/** The same for two forms that could both read one text, as different times. */
export function formShape(form: string): string {
  if (Object.hasOwn(NAMED_FORMS, form)) return form.startsWith('excel') ? 'excel' : form;
  const { parts, literals } = splitForm(form);
  return literals
    .map((literal, i) => literal + (i < parts.length ? PARTS[parts[i] as Letters].shape : ''))
    .join('');
}

/** Twice as fast as `Number`, which has more to look for. */
function integerOf(digits: string): number {
  let integer = 0;
  for (let i = 0; i < digits.length; i++) integer = 10 * integer + digits.charCodeAt(i) - 48;
  return integer;
}

const yearOf = (short: number) => short + (short < FIRST_SHORT_YEAR ? 20 : 19) * CENTURY;

/** An hour of a clock that shows twelve; one that it does not show is none. */
function hourOf(hour: number, half: string): number {
  if (hour < 1 || hour > 12) return Number.NaN;
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0);
}

const escaped = (literal: string) =>
  literal
    .split(' ')
    .map((one) => RegExp.escape(one))
    .join(BLANK);

export function compiledForm(form: string): Form {
  const named = Object.hasOwn(NAMED_FORMS, form) ? NAMED_FORMS[form] : undefined;
  if (named !== undefined) return named;
  const split = splitForm(form);
  const { parts, literals } = split;
  const mayBeShort = (one: Letters, i: number) =>
    /^(?:DD|MM|HH|hh)$/.test(one) && isSeparate(split, i) ? SHORT : PARTS[one].pattern;
  const patterns = parts.map(mayBeShort);
  const text = patterns.map((one, i) => escaped(literals[i] ?? '') + one).join('');
  const pattern = new RegExp(`^${text}${escaped(literals.at(-1) ?? '')}$`, 'u');
  const groupOf = (gives: Part['gives']) => parts.findIndex((one) => PARTS[one].gives === gives) + 1;
  const sum = (widths: readonly number[]) => widths.reduce((all, one) => all + one, literals.join('').length);
  return {
    shortest: sum(parts.map((one, i) => (patterns[i] === SHORT ? 1 : PARTS[one].shortest))),
    longest: sum(parts.map((one) => PARTS[one].longest)),
    isCached: !parts.includes('ss'),
    read: readerOf(pattern, groupOf, parts),
  };
}

function readerOf(
  pattern: RegExp,
  groupOf: (gives: Part['gives']) => number,
  parts: readonly Letters[],
): (text: string) => Reading | undefined {
  const [year, month, day] = [groupOf('year'), groupOf('month'), groupOf('day')];
  const [hour, minute, second] = [groupOf('hour'), groupOf('minute'), groupOf('second')];
  const [fraction, half, zone] = [groupOf('fraction'), groupOf('half'), groupOf('zone')];
  const isShortYear = parts.includes('YY');
  const isName = parts.some((one) => one === 'MMM' || one === 'MMMM');
  return (text) => {
    const found = pattern.exec(text);
    if (found === null) return undefined;
    // A part that the form does not have is group 0, the complete text.
    const of = (group: number) => found[group] ?? '';
    const number = (group: number) => (group === 0 ? 0 : integerOf(of(group)));
    const named = isName ? monthNamed(of(month)) : number(month);
    const offsetMinutes = zone === 0 ? undefined : offsetOf(of(zone));
    if (named === undefined || (zone !== 0 && offsetMinutes === undefined)) return undefined;
    return {
      year: isShortYear ? yearOf(number(year)) : number(year),
      month: named,
      day: number(day),
      hour: half === 0 ? number(hour) : hourOf(number(hour), of(half)),
      minute: number(minute),
      second: number(second),
      fraction: fraction === 0 ? '000000' : of(fraction).padEnd(6, '0'),
      offsetMinutes,
    };
  };
}
