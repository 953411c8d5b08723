// Numbers as people write them, compared by their digits (docs/generated/api.md, "Search"): pure functions,
// which must not know where the digits of a number are stored or how they are looked up.
//
// Everything here is judged after folding, as in the rest of the search: full-width digits, brackets and plus
// signs are the ASCII ones, and so is a no-break space. Digits of other scripts, which folding leaves alone,
// are no digits here.

import { fold } from './fold.ts';

const NUMBER_LIKE = /^[ +\-()./]*\d[\d +\-()./]*$/;
/** What a spreadsheet leaves of a long number; a space is a `+` that a form decoded. */
const SHORTENED = /^\d(?:[.,]\d+)?e[+ ]?\d+$/i;
const INTERNATIONAL_PREFIX = '00';
/**
 * Stands between country code and number in `+44 (0)20 7946 0018`, and is dialled by nobody. A number has
 * one.
 */
const BRACKETED_TRUNK_ZERO = '(0)';
const TRUNK_ZERO = '0';
/** Fewer digits, such as `0207`, are as likely to be the middle of a number as its beginning. */
const MIN_TRUNK_DIGITS = 5;

/** What a written number may have beside digits and spaces, for a sentence. */
export const NUMBER_SIGNS = '+ - ( ) . /';

/** Which numbers a search finds by their digits: those that begin with some, or that contain them. */
export interface DigitsWanted {
  readonly test: 'begins' | 'contains';
  /** At least one. */
  readonly digits: string;
}

const withoutPrefix = (digits: string) =>
  digits.startsWith(INTERNATIONAL_PREFIX) ? digits.slice(INTERNATIONAL_PREFIX.length) : digits;

/** The ASCII digits of a text; letter by letter, which is faster than any expression where they alternate. */
function digitsOf(text: string): string {
  let digits = '';
  for (let i = 0; i < text.length; i++) {
    const letter = text.charAt(i);
    if (letter >= '0' && letter <= '9') digits += letter;
  }
  return digits;
}

/** The digits of a written number; a trunk zero is left out where it is known to be one. */
const writtenDigits = (folded: string) => digitsOf(folded.replace(BRACKETED_TRUNK_ZERO, ''));

/** Digits and nothing else, without a prefix: what most numbers are compared by is what they are. */
const PLAIN_NUMBER = /^\+?([1-9]\d*)$/;

/**
 * The digits that numbers are compared by: neither a leading `00` nor a bracketed trunk zero makes a
 * difference.
 */
export function numberDigits(number: string): string {
  return PLAIN_NUMBER.exec(number)?.[1] ?? withoutPrefix(writtenDigits(fold(number)));
}

/**
 * What a search wants among the digits of numbers.
 * @param q trimmed and not empty.
 * @returns `undefined` where nothing of it is left to compare.
 */
export function digitsWanted(q: string): DigitsWanted | undefined {
  const folded = fold(q);
  if (!NUMBER_LIKE.test(folded)) return undefined;
  const written = writtenDigits(folded);
  const international = folded.startsWith('+') || written.startsWith(INTERNATIONAL_PREFIX);
  if (international) return wanted('begins', withoutPrefix(written));
  const isNational = written.startsWith(TRUNK_ZERO) && written.length >= MIN_TRUNK_DIGITS;
  // What contains the digits with the zero also contains them without it.
  return wanted('contains', isNational ? written.slice(TRUNK_ZERO.length) : written);
}

function wanted(test: DigitsWanted['test'], digits: string): DigitsWanted | undefined {
  return digits === '' ? undefined : { test, digits };
}

/**
 * A number that is searched as a whole, in its shortest spelling: `442079460018` for `+44 (0)20 7946 0018`.
 * All spellings of one number have the same, which stands for itself.
 * @returns `undefined` where it does not look like a number, or nothing of it is left to compare.
 */
export function plainNumber(number: string): string | undefined {
  const digits = numberDigits(number);
  if (digits === '') return undefined;
  return digits.startsWith(INTERNATIONAL_PREFIX) ? INTERNATIONAL_PREFIX + digits : digits;
}

/** Why a text is not the number that it was, where that is known; to follow the text and a colon. */
export function numberFault(text: string): string | undefined {
  return SHORTENED.test(text)
    ? 'a spreadsheet has shortened the number, and its digits are lost. Export it again, with the column formatted as text'
    : undefined;
}
