// Folding: how texts are compared in search and sort (docs/generated/api.md, "Search"). Unicode NFKC, then
// lower case; nothing here depends on a locale or a database.

const ASCII = /^[\0-\x7f]*$/;

/** The form in which texts are compared. */
export function fold(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : text.normalize('NFKC').toLowerCase();
}
