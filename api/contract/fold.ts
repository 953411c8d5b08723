// Folding for search and sort (docs/generated/api.md, "Search"): Unicode NFKC, then lower case, independent
// of locale, database, and of the characters around.

const ASCII = /^[\0-\x7f]*$/;

/** Folding what is folded changes nothing, and the folded text of a part is a part of the folded text. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  // Lower-casing writes Σ as ς or σ by the letters around it, and may leave a text that is not in NFKC: a
  // capital and its accent can be two characters where the small letter is one.
  return text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
}
