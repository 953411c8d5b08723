// CSV of exports (RFC 4180; docs/generated/api.md, "Files"), for the server and the command. A spreadsheet
// would run a text that looks like a formula, so such a text gets a leading `'`, which import removes.

import type { List } from './list.ts';

/** Includes what a spreadsheet may take for the delimiter. */
const NEEDS_QUOTES = /[",;\t\r\n]/;
/**
 * Spreadsheets take a text that begins with one of these for a formula; some of them fold full-width ones.
 */
export const FORMULA_BEGINS = '=+-@\t\r\n＝＋－＠';
const BEGIN = `[${FORMULA_BEGINS.replace('-', '\\-')}]`;
const FORMULA = new RegExp(`^'*${BEGIN}`);
/** What `guarded` returns for a formula. */
const GUARDED = new RegExp(`^'+${BEGIN}`);
/** Never a formula, and must stay as it is. */
const PHONE_NUMBER = /^\+?\d+$/;
/** Most texts begin with a letter and are never a formula. */
const LETTER = /^[A-Za-z]/;

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function guarded(text: string): string {
  return !LETTER.test(text) && FORMULA.test(text) ? `'${text}` : text;
}

/** A text of an item that no spreadsheet runs. */
export function safeText(text: string, isNumber: boolean): string {
  return isNumber && PHONE_NUMBER.test(text) ? text : guarded(text);
}

/** A text as a cell of a file that is no export, quoted where it needs be. */
export function cellText(text: string, isNumber: boolean): string {
  return quoted(safeText(text, isNumber));
}

/** The text of a cell without the `'` that an export put in front. */
export function unguarded(cell: string): string {
  return cell.startsWith("'") && GUARDED.test(cell) ? cell.slice(1) : cell;
}

export type Item = Readonly<Record<string, string | number | boolean | null>>;

export class CsvWriter {
  readonly header: string;
  readonly #cells: readonly ((item: Item) => string)[];

  /** @param columns all fields in contract order by default */
  constructor(list: List, columns: readonly string[] = Object.keys(list.fields)) {
    this.header = `${columns.join(',')}\r\n`;
    this.#cells = columns.map((name) => {
      if (list.fields[name]?.kind !== 'text') return (item) => String(item[name] ?? '');
      const isNumber = name === list.searchDigits;
      return (item) => cellText(String(item[name]), isNumber);
    });
  }

  line(item: Item): string {
    return `${this.#cells.map((cell) => cell(item)).join(',')}\r\n`;
  }
}
