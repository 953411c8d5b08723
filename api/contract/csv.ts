// CSV as an export writes it (RFC 4180; docs/generated/api.md, "Everything at once"), for the server and the
// command. A spreadsheet would run a text that begins like a formula, so such a text gets one `'` in front,
// which import takes off again.

import type { List } from './list.ts';

const NEEDS_QUOTES = /[",\r\n]/;
/** With what a spreadsheet takes a text for a formula. */
export const FORMULA_BEGINS = '=+-@\t\r';
const FORMULA = new RegExp(`^'*[${FORMULA_BEGINS.replace('-', '\\-')}]`);
/** A telephone number, which no spreadsheet takes for a formula, and which must stay what it is. */
const PHONE_NUMBER = /^\+?\d+$/;
/** Most texts begin with a letter and can be no formula. */
const LETTER = /^[A-Za-z]/;

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function guarded(text: string): string {
  return !LETTER.test(text) && FORMULA.test(text) ? `'${text}` : text;
}

export type Item = Readonly<Record<string, string | number | boolean | null>>;

/** Writes items of one list as CSV lines. */
export class CsvWriter {
  readonly header: string;
  readonly #cells: readonly ((item: Item) => string)[];

  /** @param columns fields of the list; all of them, in the order of the contract, when left out. */
  constructor(list: List, columns: readonly string[] = Object.keys(list.fields)) {
    this.header = `${columns.join(',')}\r\n`;
    this.#cells = columns.map((name) => {
      if (list.fields[name]?.kind !== 'text') return (item) => String(item[name] ?? '');
      const isNumber = name === list.searchDigits;
      return (item) => {
        const text = String(item[name]);
        return isNumber && PHONE_NUMBER.test(text) ? text : quoted(guarded(text));
      };
    });
  }

  line(item: Item): string {
    return `${this.#cells.map((cell) => cell(item)).join(',')}\r\n`;
  }
}
