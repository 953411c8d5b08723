// Telephone numbers as people write them, compared by their digits (docs/generated/api.md, "Search").
//
// All of it applies after folding: full-width digits, brackets and plus signs are the ASCII ones, and a
// no-break space is a space. Digits of other scripts, which folding does not change, are not digits here.

import { fold } from './fold.ts';

/** What is pasted with a number: direction marks, zero-width spaces, soft hyphens; then other dashes. */
const INVISIBLE = /\p{Cf}/gu;
const ASCII = /^[\0-\x7f]*$/;
const DASH = /[\p{Pd}\u2212]/gu;
const URI_SCHEME = 'tel:';
const NUMBER_LIKE = /^[ +\-()./]*\d[\d +\-()./]*$/;
const INTERNATIONAL_PREFIX = '00';
/** A trunk zero, as in `+44 (0)20 7946 0018`, is not dialled from abroad. A number has one. */
const BRACKETED_TRUNK_ZERO = '(0)';
const TRUNK_ZERO = '0';
/** Fewer digits, such as `0207`, are as likely in the middle of a number as at its beginning. */
const MIN_TRUNK_DIGITS = 5;
/** Without the trunk zero: fewer are a part of a number. */
export const MIN_NATIONAL_DIGITS = 6;

/** Other characters of a written number, for a sentence. */
export const NUMBER_SIGNS = '+ - ( ) . /';

/** How a search compares digits: as a prefix, or anywhere. */
export interface DigitsWanted {
  readonly test: 'begins' | 'contains';
  readonly digits: string;
}

const withoutPrefix = (digits: string) =>
  digits.startsWith(INTERNATIONAL_PREFIX) ? digits.slice(INTERNATIONAL_PREFIX.length) : digits;

/** Character by character, which is faster than a regular expression where digits and others alternate. */
export function digitsOf(text: string): string {
  let digits = '';
  for (let i = 0; i < text.length; i++) {
    const letter = text.charAt(i);
    if (letter >= '0' && letter <= '9') digits += letter;
  }
  return digits;
}

/** A number as it was typed: pasted numbers carry characters that nobody sees, and `tel:` (RFC 3966). */
export function typed(text: string): string {
  const visible = ASCII.test(text)
    ? text.toLowerCase().trim()
    : fold(text.replaceAll(INVISIBLE, '')).trim().replaceAll(DASH, '-');
  return visible.startsWith(URI_SCHEME) ? visible.slice(URI_SCHEME.length).trim() : visible;
}

/** Without a trunk zero where it is known to be one. */
const writtenDigits = (folded: string) => digitsOf(folded.replace(BRACKETED_TRUNK_ZERO, ''));

/** `numberDigits` of a text that is folded, such as one from `typed`: folding is most of its cost. */
export const foldedDigits = (folded: string): string => withoutPrefix(writtenDigits(folded));

/** Digits without a prefix: most numbers, which are compared as they are. */
const PLAIN_NUMBER = /^\+?([1-9]\d*)$/;

/** The digits that numbers are compared by, without a leading `00` and a bracketed trunk zero. */
export function numberDigits(number: string): string {
  return PLAIN_NUMBER.exec(number)?.[1] ?? foldedDigits(fold(number));
}

/**
 * The digits that a search looks for.
 * @param q trimmed and not empty
 * @returns `undefined` where no digits are left
 */
export function digitsWanted(q: string): DigitsWanted | undefined {
  const number = typed(q);
  if (!NUMBER_LIKE.test(number)) return undefined;
  const written = writtenDigits(number);
  const international = number.startsWith('+') || written.startsWith(INTERNATIONAL_PREFIX);
  if (international) return wanted('begins', withoutPrefix(written));
  const isNational = written.startsWith(TRUNK_ZERO) && written.length >= MIN_TRUNK_DIGITS;
  // A number that contains the digits with the zero also contains them without it.
  return wanted('contains', isNational ? written.slice(TRUNK_ZERO.length) : written);
}

function wanted(test: DigitsWanted['test'], digits: string): DigitsWanted | undefined {
  return digits === '' ? undefined : { test, digits };
}

/**
 * The shortest spelling of a complete number: `442079460018` for `+44 (0)20 7946 0018`. All spellings of a
 * number have the same one.
 * @returns `undefined` where it does not look like a number, or no digits are left
 */
export function plainNumber(number: string): string | undefined {
  const digits = PLAIN_NUMBER.exec(number)?.[1] ?? foldedDigits(typed(number));
  if (digits === '') return undefined;
  return digits.startsWith(INTERNATIONAL_PREFIX) ? INTERNATIONAL_PREFIX + digits : digits;
}

/**
 * The last digits of a complete number that was written as within its country, `2079460018` for
 * `020 7946 0018`; `undefined` where it has a country code, or too few digits to be complete.
 */
export function nationalDigits(number: string): string | undefined {
  const { test, digits = '' } = digitsWanted(number.trim()) ?? {};
  return test === 'contains' && digits.length >= MIN_NATIONAL_DIGITS ? digits : undefined;
}
