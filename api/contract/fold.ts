// Folding: how texts are compared in search and sort (docs/api.md, "Search"). Unicode NFKC, then lower case;
// nothing here depends on a locale or a database.

const ASCII = /^[\0-\x7f]*$/;
const NUMBER_LIKE = /^[\d +\-()./]*\d[\d +\-()./]*$/;
const NOT_DIGITS = /\D+/g;

/** The form in which texts are compared. */
export function fold(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : text.normalize('NFKC').toLowerCase();
}

/** The ASCII digits of a text, after folding: what is compared when the search looks like a number. */
export function digitsOf(text: string): string {
  return fold(text).replace(NOT_DIGITS, '');
}

/** What a search compares with: the folded text and, where it looks like a number, its digits. */
export interface Needle {
  readonly text: string;
  /** Digits to look for in the digits of a number; absent where the text does not look like one. */
  readonly digits?: string;
}

/** The needle of a trimmed, non-empty `q`. One leading `00` is an international prefix and is dropped. */
export function needleOf(q: string): Needle {
  const text = fold(q);
  if (!NUMBER_LIKE.test(text)) return { text };
  const digits = text.replace(NOT_DIGITS, '').replace(/^00/, '');
  return digits === '' ? { text } : { text, digits };
}
