// What a text is that is given for a telephone number and is none: a decimal, a date, an amount, a range, two
// numbers. Imports and queries refuse the same. What people write is taken, so what may be a number is one:
// `+44.2079460018` (RFC 5733), an extension after a dash, `00` and `(0)`.

import { digitsOf, foldedDigits, typed } from './digits.ts';

/** Digits with the country code (E.164), without `00`; an import takes no fewer. */
export const NUMBER_LENGTH = { min: 3, max: 15 } as const;

const PLAIN = /^\+?\d{1,15}$/;
/** A longer text is no number. */
export const MAX_NUMBER_CHARACTERS = 100;
/** Without any of these it is no date, decimal, amount or address. */
const SIGNS = /[-.,/\p{L}\p{Sc}]/u;
/** Digits with no more between them than blanks and brackets: most numbers that are not plain. */
const SPACED = /^\+?[\d ()]*$/;
/** What a spreadsheet makes of a long number. A space is a `+` that form decoding replaced. */
const SHORTENED = /^[+-]?\d+(?:[.,]\d*)?e[+ -]?\d+$/;
const RFC_5733 = /^\+\d{1,3}\.\d{3,14}$/;
const DECIMAL = /^[+-]?\d+[.,]\d+$/;

const [DAY, MONTH] = ['(?:0?[1-9]|[12]\\d|3[01])', '(?:0?[1-9]|1[0-2])'];
/** Those of this and its neighbouring centuries, and the ones that stand for no date. */
const YEAR = '(?:1[89]\\d\\d|2[01]\\d\\d|[01]000|9999)';
const SHORT_YEAR = `(?:${YEAR}|\\d\\d)`;
const DATE = new RegExp(
  `^(?:${[
    `${YEAR}(-|/|\\. ?)${MONTH}\\1${DAY}`,
    `${DAY}(-|/|\\. ?)${MONTH}\\2${SHORT_YEAR}`,
    `${MONTH}(-|/|\\. ?)${DAY}\\3${SHORT_YEAR}`,
    '0000[-./]00[-./]00',
    '00[-./]00[-./]0000',
    `\\d{1,2}[-./ ]{1,2}\\p{L}{3,10}[-./, ]{1,2}${SHORT_YEAR}`,
  ].join('|')})(?:[t -]\\d\\d?[:.h].*)?$`,
  'u',
);

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ADDRESS = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}(?:[:/]\\d{1,5})?$`);

/** A fraction of one or two digits, with or without groups of three; a minus alone tells it, too. */
const AMOUNT = new RegExp(
  `^(?:${[
    '[-+(]?\\d{1,6}[.,]\\d{1,2}[-)]?',
    "[-(]?(?!0)\\d{1,3}(?:([,.' ’])\\d{3})(?:\\1\\d{3})*(?!\\1)[.,]\\d{1,2}[-)]?",
    '-\\d{1,6}',
    '\\d{1,3}(?:,\\d{3})+',
  ].join('|')})$`,
);
const CURRENCY = /^[-+(]? ?(?:\p{L}{0,3}\p{Sc} ?[-+]?\d[\d.,' ’]*|\d[\d.,' ’]*\p{Sc})[-)]?$/u;
const CURRENCY_CODE = /^[a-z]{3} ?[-+]?\d[\d.,' ’]*[.,]\d\d$|^[-+]?\d[\d.,' ’]*[.,]\d\d ?[a-z]{3}$/;

const BETWEEN_NUMBERS = /[,;|&/\n\t]| (?:and|or|und|oder|y|et|e) /;
/** No number has these in it. */
const NEVER_IN_ONE = /[;|&\n\t]|, /;
const BETWEEN_ENDS = /-|\.{2,}|~| (?:to|bis|until|hasta|al?|au|à|até) /g;
const OF_A_RANGE = new RegExp(BETWEEN_ENDS, '');
/** A plus after this many digits begins another number; fewer are what is dialled before it. */
const MIN_BEFORE_PLUS = 5;
/** The digits of a whole number without its area. */
const MIN_WHOLE = 7;
/** Two numbers without their areas, if they begin alike. */
const LOCAL_PAIR = { digits: 2 * MIN_WHOLE, alike: 4 } as const;
/** The end of a range, by its last digits. */
const LAST_DIGITS = /(-|\.\.|\/) ?(\d{2,4})$/;
/** With fewer digits in all, those after a dash may be an extension. */
const MIN_ABBREVIATED = 14;
/** Where numbers have no fixed length, extensions follow a dash however long the number is. */
const HAS_EXTENSIONS = /^4[39]/;
const NORTH_AMERICAN = /^1\d{10}$/;

const column = (what: string) => `it looks like ${what}, so check which column it is from`;
/** What a text is instead of a number; each follows the text and a colon. */
export const NOT_NUMBERS = {
  range: 'it looks like a range; give each of its numbers by itself',
  numbers: 'it looks like more than one number; give each of them by itself',
  shortened:
    'a spreadsheet has shortened the number, and its digits are lost. Export it again, with the column formatted as text',
  amount: column('an amount'),
  date: column('a date'),
  address: column('an IPv4 address'),
  decimal:
    'it looks like a decimal. Give the digits of the number alone: export it with the column formatted as text',
} as const;
export const { range: RANGE } = NOT_NUMBERS;
const { numbers: NUMBERS } = NOT_NUMBERS;

const areWhole = (parts: readonly string[]) =>
  parts.filter((part) => digitsOf(part).length >= MIN_WHOLE).length > 1;

/** What stands between two halves that begin alike; `undefined` where there are no two such halves. */
function betweenHalves(text: string, digits: string): string | undefined {
  const half = digits.length / 2;
  const alike = digits.length === LOCAL_PAIR.digits ? LOCAL_PAIR.alike : Math.ceil(half / 2);
  if (!digits.startsWith(digits.slice(0, alike), half)) return undefined;
  let at = 0;
  for (let seen = 0; seen < half; at++) if (/\d/.test(text.charAt(at))) seen += 1;
  return /^\D+/.exec(text.slice(at))?.[0];
}

/** Whether the last digits of a number that is complete without them are those of another. */
function isAbbreviated(before: string, last: string): boolean {
  const number = foldedDigits(before);
  if (NORTH_AMERICAN.test(number) || number.length + last.length >= MIN_ABBREVIATED)
    return !HAS_EXTENSIONS.test(number) && last > number.slice(-last.length);
  return false;
}

/** What is wrong with a text that has the digits of more than one number. */
function severalFault(text: string): string | undefined {
  const digits = digitsOf(text);
  const isLong = foldedDigits(text).length > NUMBER_LENGTH.max;
  if (isLong || digits.length === LOCAL_PAIR.digits) {
    const between = digits.length % 2 === 0 ? betweenHalves(text, digits) : undefined;
    if (between !== undefined) return OF_A_RANGE.test(between) ? RANGE : NUMBERS;
  }
  if (isLong && areWhole(text.split(OF_A_RANGE))) return RANGE;
  if (isLong && (areWhole(text.split(BETWEEN_NUMBERS)) || areWhole(text.split(' ')))) return NUMBERS;
  const parts = text.split(NEVER_IN_ONE);
  if (parts.length > 1 && parts.every((part) => digitsOf(part).length >= NUMBER_LENGTH.min)) return NUMBERS;
  const plus = text.lastIndexOf('+');
  if (plus > 0 && digitsOf(text.slice(0, plus)).length >= MIN_BEFORE_PLUS) return NUMBERS;
  const [, sign, last = ''] = LAST_DIGITS.exec(text) ?? [];
  if (sign === undefined || !isAbbreviated(text.slice(0, text.lastIndexOf(sign)), last)) return undefined;
  return sign === '/' ? NUMBERS : RANGE;
}

function looksLike(text: string): string | undefined {
  if (SHORTENED.test(text)) return NOT_NUMBERS.shortened;
  if (!SIGNS.test(text)) return severalFault(text);
  if (CURRENCY.test(text) || CURRENCY_CODE.test(text)) return NOT_NUMBERS.amount;
  if (DATE.test(text)) return NOT_NUMBERS.date;
  if (ADDRESS.test(text)) return NOT_NUMBERS.address;
  if (AMOUNT.test(text)) return NOT_NUMBERS.amount;
  const several = severalFault(text);
  if (several !== undefined || !DECIMAL.test(text) || RFC_5733.test(text)) return several;
  return NOT_NUMBERS.decimal;
}

const isPlain = (text: string) =>
  PLAIN.test(text) || (SPACED.test(text) && digitsOf(text).length < LOCAL_PAIR.digits);

/**
 * Why a text is no number of any length, where it is known to be none; follows the text and a colon.
 * @param text at most 100 characters.
 */
export const formFault = (text: string): string | undefined =>
  isPlain(text) ? undefined : looksLike(typed(text));

/** The same for a telephone number. */
export function numberFault(text: string): string | undefined {
  if (isPlain(text)) return undefined;
  const number = typed(text);
  const fault = looksLike(number);
  if (fault !== undefined) return fault;
  const { length } = foldedDigits(number);
  return length <= NUMBER_LENGTH.max
    ? undefined
    : `it has ${length} digits, and a telephone number has at most ${NUMBER_LENGTH.max}`;
}

/** Whether a text is a range of numbers, such as `+442079460000-99`; `rangeOf` reads it. */
export const isRange = (text: string): boolean =>
  text.length <= MAX_NUMBER_CHARACTERS && numberFault(text) === RANGE;

/** The digits of the first and the last number of a range, the last as it is written out. */
export function rangeOf(text: string): readonly [first: string, last: string] | undefined {
  const written = typed(text);
  for (const { 0: sign, index } of written.matchAll(BETWEEN_ENDS)) {
    const first = foldedDigits(written.slice(0, index));
    const end = foldedDigits(written.slice(index + sign.length));
    const last = first.slice(0, Math.max(0, first.length - end.length)) + end;
    const isWhole = first.length >= MIN_WHOLE && first.length <= NUMBER_LENGTH.max;
    if (isWhole && end !== '' && last.length === first.length && last >= first) return [first, last];
  }
  return undefined;
}
