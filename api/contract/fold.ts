// Folding for search and sort (docs/generated/api.md, "Search"): Unicode NFKC, then lower case, independent
// of locale and database.

const ASCII = /^[\0-\x7f]*$/;

export function fold(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : text.normalize('NFKC').toLowerCase();
}
