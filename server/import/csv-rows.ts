// The rows of a CSV file: the header says which cell belongs to which column.

import { CsvReader, type CsvRecord } from '@linecard/client/check/csv-reader';
import { DELIMITERS } from '@linecard/client/check/sniff';
import { trimmed } from '@linecard/client/contract/trimmed';
import { listed } from '@linecard/client/contract/wording';
import { CUT_OFF } from './chunks.ts';
import { isForeign } from './columns.ts';
import { LinesBefore } from './lines-before.ts';
import type { FileRow, RowContext, RowFormat } from './rows.ts';
import { TableRows } from './table-rows.ts';
import { quoted, shownName } from './values.ts';

const NOT_UTF_8 =
  'The header is not valid UTF-8: correct it, or say what the file is, such as --encoding windows-1252.';
/** A header of more cells is not one of a list. */
const MAX_HEADER_CELLS = 1_000;

/** A row of delimiters and blanks alone, which says nothing. */
const isEmptyRow = ({ cells, fault }: CsvRecord): boolean =>
  fault === undefined &&
  trimmed(cells[0] ?? '') === '' &&
  (cells.length > 1 || cells[0] !== '') &&
  cells.every((cell) => trimmed(cell) === '');

/** A delimiter: a line of blanks may be the beginning of a row. */
const VISIBLE = /\S/;

export class CsvRows implements RowFormat {
  readonly #context: RowContext;
  readonly #before: LinesBefore;
  readonly #table: TableRows;
  #csv: CsvReader;
  #emptyRows = 0;

  constructor(context: RowContext) {
    this.#context = context;
    this.#before = new LinesBefore(context.form ?? {}, context.delimiter);
    this.#csv = this.#reader();
    this.#table = new TableRows(context, (names) => this.#misread(names));
  }

  get nextLine(): number | undefined {
    return this.#before.isOver ? this.#csv.nextLine : this.#before.line;
  }

  get blankLines(): number {
    return this.#csv.blankLines + this.#emptyRows;
  }

  /** Reads the rest of the file; which delimiter it has may be said first. */
  #reader(): CsvReader {
    const { delimiter, line } = this.#before;
    return new CsvReader(delimiter, { line, quoteEscape: this.#context.form?.quote_escape });
  }

  *#records(chunk: string): Generator<CsvRecord> {
    let text = chunk;
    if (!this.#before.isOver) {
      text = this.#before.after(chunk);
      if (!this.#before.isOver) return;
      this.#csv = this.#reader();
    }
    for (const record of this.#csv.records(text)) {
      if (isEmptyRow(record)) this.#emptyRows += 1;
      else yield record;
    }
  }

  *rows(chunk: string): Generator<FileRow> {
    for (const record of this.#records(chunk)) {
      const row = record.fault === undefined ? this.#table.row(record) : this.#reportQuotes(record);
      if (row !== undefined) yield row;
    }
  }

  /** A line that was cut off mostly has fewer cells; one that ends with half of a line break was, too. */
  *lastRow(line: string): Generator<FileRow> {
    const at = this.nextLine;
    const emptyRows = this.#emptyRows;
    const [record] = this.#records(line);
    if (this.#emptyRows > emptyRows && VISIBLE.test(line)) return;
    // A quote that is not closed is no fault of its own here.
    this.#csv.rest();
    const { header } = this.#table;
    const isComplete = record?.fault === undefined && record?.cells.length === header?.width;
    // What is wrong with the header was reported, and is wrong with this line, too.
    if (header !== undefined && header.width > 0 && header.positions === undefined) return;
    if (record === undefined || !isComplete || line.endsWith('\r'))
      return this.#context.report(at ?? 0, undefined, CUT_OFF);
    const row = this.#table.row(record);
    if (row !== undefined) yield row;
  }

  end(): void {
    const rest = this.#csv.rest();
    if (rest !== undefined) this.#reportQuotes(rest);
    else if (this.#table.header === undefined) this.#reportNoHeader();
  }

  #reportNoHeader(): void {
    const { header } = this.#context.form ?? {};
    if (header === undefined || this.#before.isOver)
      return this.#context.report(1, undefined, 'There is no header row.');
    const fault = `No line has ${listed(header.map(quoted))}, which the mapping says that the header has.`;
    this.#context.report(0, undefined, fault);
  }

  #reportQuotes({ line, cells, fault = '' }: CsvRecord): undefined {
    this.#table.header ??= { names: [], width: 0, positions: undefined };
    const name = this.#table.header.names[cells.length];
    this.#context.report(line, name === undefined ? `cell ${cells.length + 1}` : shownName(name), fault);
  }

  /** What is wrong with the header itself; `undefined` where its cells can be checked one by one. */
  #misread(cells: readonly string[]): string | undefined {
    const { list, columns, mapped, foreign, delimiter: own = ',' } = this.#context;
    if (cells.length > MAX_HEADER_CELLS) {
      const count = cells.length.toLocaleString('en');
      return `The header has ${count} cells, but ${list.title.toLowerCase()} have ${columns.length} columns; the rest of the file was not read.`;
    }
    const isEnough = (name: string) =>
      columns.every((one) => one.name === name || !one.required || one.mayBeAbsent === true);
    if (cells.length > 1 || (cells[0] === 'account_id' && isEnough(cells[0]))) {
      // A proposal finds out how the file of another system is encoded.
      const isProposed = mapped === undefined && foreign !== undefined && isForeign(columns, cells);
      return isProposed || cells.every((cell) => cell.isWellFormed()) ? undefined : NOT_UTF_8;
    }
    const known = mapped?.fed ?? new Set(columns.map(({ name }) => name));
    const split = (delimiter: string) => (cells[0] ?? '').split(delimiter);
    const others = DELIMITERS.filter(([delimiter]) => delimiter !== own);
    const meant = others.find(([delimiter]) => split(delimiter).filter((cell) => known.has(cell)).length > 1);
    if (meant !== undefined)
      return `The header has a single cell; this looks like ${meant[1]}: --delimiter ${meant[2]}`;
    const [, likely] = others.find(([delimiter]) => split(delimiter).length > 1) ?? [];
    if (likely !== undefined && foreign !== undefined)
      return `The header has a single cell; this looks like ${likely}. ${foreign}`;
    return 'The header has a single cell; cells are separated by commas, or by what --delimiter says.';
  }
}
