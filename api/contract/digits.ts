// Numbers as people write them, compared by their digits (docs/api.md, Search): pure functions, which must not know where
// the digits of a number are stored or how they are looked up.
//
// Everything here is judged after folding, as in the rest of the search: full-width digits, brackets and plus signs are
// the ASCII ones, and so is a no-break space. Digits of other scripts, which folding leaves alone, are no digits here.

import { fold } from './fold.ts';

const NUMBER_LIKE = /^[\d +\-()./]*\d[\d +\-()./]*$/;
const NOT_DIGITS = /\D+/g;
const INTERNATIONAL_PREFIX = '00';
/** Stands between country code and number in `+44 (0)20 7946 0018`, and is dialled by nobody. A number has one. */
const BRACKETED_TRUNK_ZERO = '(0)';
const TRUNK_ZERO = '0';
/** Fewer digits, such as `0207`, are as likely to be the middle of a number as its beginning. */
const MIN_TRUNK_DIGITS = 5;

/** Which numbers a search finds by their digits: those that begin with some, or that contain them. */
export interface DigitsWanted {
  readonly kind: 'prefix' | 'contains';
  /** At least one. */
  readonly digits: string;
}

const withoutPrefix = (digits: string) =>
  digits.startsWith(INTERNATIONAL_PREFIX) ? digits.slice(INTERNATIONAL_PREFIX.length) : digits;

/** The digits of a written number; a trunk zero is left out where it is known to be one. */
const writtenDigits = (folded: string) => folded.replace(BRACKETED_TRUNK_ZERO, '').replace(NOT_DIGITS, '');

/** The digits that a stored number is compared by: all it has, less a leading `00`. */
export function numberDigits(did: string): string {
  return withoutPrefix(fold(did).replace(NOT_DIGITS, ''));
}

/**
 * What a search wants among the digits of numbers.
 * @param q trimmed and not empty.
 * @returns `undefined` where it does not look like a number, or nothing of it is left to compare.
 */
export function digitsWanted(q: string): DigitsWanted | undefined {
  const folded = fold(q);
  if (!NUMBER_LIKE.test(folded)) return undefined;
  const written = writtenDigits(folded);
  const international = folded.startsWith('+') || written.startsWith(INTERNATIONAL_PREFIX);
  if (international) return wanted('prefix', withoutPrefix(written));
  const isNational = written.startsWith(TRUNK_ZERO) && written.length >= MIN_TRUNK_DIGITS;
  // What contains the digits with the zero also contains them without it.
  return wanted('contains', isNational ? written.slice(TRUNK_ZERO.length) : written);
}

function wanted(kind: DigitsWanted['kind'], digits: string): DigitsWanted | undefined {
  return digits === '' ? undefined : { kind, digits };
}

/**
 * What a number that was asked for as a whole is looked up by: numbers of the same `numberDigits` are meant.
 * @returns `undefined` where it has no digit.
 */
export function wholeNumberDigits(value: string): string | undefined {
  const folded = fold(value);
  return /\d/.test(folded) ? withoutPrefix(writtenDigits(folded)) : undefined;
}
