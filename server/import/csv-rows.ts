// The rows of a CSV file: the header says which cell belongs to which column.

import { unguarded } from '@linecard/client/contract/csv';
import { headerPositions, type ImportColumn, type Titled } from './columns.ts';
import { CsvReader, type CsvRecord } from './csv.ts';
import { CUT_OFF } from './files.ts';
import type { MappedColumns } from './mapping/mapped.ts';
import type { FileRow, RawValue, ReportFault, RowFormat } from './rows.ts';
import { shownName } from './values.ts';

const WORDS = { header: 'the header', cell: 'cell' };
/** A header of more cells is not one of a list. */
const MAX_HEADER_CELLS = 1_000;
/** What may separate cells, what it is called, and how it is typed. */
export const DELIMITERS = [
  [',', 'commas', ','],
  [';', 'semicolons', "';'"],
  ['\t', 'tabs', 'tab'],
  ['|', 'vertical bars', "'|'"],
] as const;

/** How the cells of a file are read. */
export interface CsvOptions {
  readonly delimiter?: string | undefined;
  /** What says which cell feeds which column, where it is not their names. */
  readonly mapped?: MappedColumns | undefined;
  /** What is said first of a header of another system. */
  readonly foreign?: string | undefined;
}

export class CsvRows implements RowFormat {
  readonly #csv: CsvReader;
  readonly #delimiter: string;
  readonly #list: Titled;
  readonly #columns: readonly ImportColumn[];
  readonly #report: ReportFault;
  readonly #mapped: MappedColumns | undefined;
  readonly #foreign: string | undefined;
  #header: readonly string[] | undefined;
  /** For each column the position of its cell, or -1; absent when the header is of no use. */
  #positions: readonly number[] | undefined;

  constructor(
    list: Titled,
    columns: readonly ImportColumn[],
    report: ReportFault,
    { delimiter = ',', mapped, foreign }: CsvOptions = {},
  ) {
    this.#csv = new CsvReader(delimiter);
    this.#delimiter = delimiter;
    this.#list = list;
    this.#columns = columns;
    this.#report = report;
    this.#mapped = mapped;
    this.#foreign = foreign;
  }

  get nextLine(): number | undefined {
    return this.#csv.nextLine;
  }

  get blankLines(): number {
    return this.#csv.blankLines;
  }

  *rows(chunk: string): Generator<FileRow> {
    for (const record of this.#csv.records(chunk)) {
      if (record.fault !== undefined) this.#reportQuotes(record);
      else if (this.#header === undefined) this.#readHeader(record);
      else if (this.#positions !== undefined) {
        const row = this.#row(record, this.#header.length, this.#positions);
        if (row !== undefined) yield row;
      }
    }
  }

  /** A line that was cut off mostly has fewer cells; one that ends with half of a line break was, too. */
  *lastRow(line: string): Generator<FileRow> {
    const at = this.#csv.nextLine;
    const [record] = this.#csv.records(line);
    // A quote that is not closed is no fault of its own here.
    this.#csv.rest();
    const isComplete = record?.fault === undefined && record?.cells.length === this.#header?.length;
    // What is wrong with the header was reported, and is wrong with this line, too.
    if (this.#header !== undefined && this.#header.length > 0 && this.#positions === undefined) return;
    if (record === undefined || !isComplete || line.endsWith('\r'))
      return this.#report(at ?? 0, undefined, CUT_OFF);
    const row = this.#positions && this.#row(record, record.cells.length, this.#positions);
    if (row !== undefined) yield row;
  }

  end(): void {
    const rest = this.#csv.rest();
    if (rest !== undefined) this.#reportQuotes(rest);
    else if (this.#header === undefined) this.#report(1, undefined, 'There is no header row.');
  }

  #reportQuotes({ line, cells, fault = '' }: CsvRecord): void {
    this.#header ??= [];
    const name = this.#header[cells.length];
    this.#report(line, name === undefined ? `cell ${cells.length + 1}` : shownName(name), fault);
  }

  #readHeader({ line, cells }: CsvRecord): void {
    this.#header = cells;
    const misread = this.#misread(cells);
    if (misread !== undefined) return this.#report(line, undefined, misread);
    const report = (column: string | undefined, fault: string) => this.#report(line, column, fault);
    const words = this.#foreign === undefined ? WORDS : { ...WORDS, foreign: this.#foreign };
    this.#positions =
      this.#mapped === undefined
        ? headerPositions(this.#list, this.#columns, cells, words, report)
        : this.#mapped.positions(cells, WORDS, report);
  }

  /** What is wrong with the header itself; `undefined` where its cells can be checked one by one. */
  #misread(cells: readonly string[]): string | undefined {
    if (cells.length > MAX_HEADER_CELLS) {
      const count = cells.length.toLocaleString('en');
      return `The header has ${count} cells, but ${this.#list.title.toLowerCase()} have ${this.#columns.length} columns; the rest of the file was not read.`;
    }
    const isEnough = (name: string) =>
      this.#columns.every((one) => one.name === name || !one.required || one.mayBeAbsent === true);
    if (cells.length > 1 || (cells[0] === 'account_id' && isEnough(cells[0]))) return undefined;
    const known = this.#mapped?.fed ?? new Set(this.#columns.map(({ name }) => name));
    const split = (delimiter: string) => (cells[0] ?? '').split(delimiter);
    const others = DELIMITERS.filter(([delimiter]) => delimiter !== this.#delimiter);
    const meant = others.find(([delimiter]) => split(delimiter).filter((cell) => known.has(cell)).length > 1);
    if (meant !== undefined)
      return `The header has a single cell; this looks like ${meant[1]}: --delimiter ${meant[2]}`;
    const [, foreign] = others.find(([delimiter]) => split(delimiter).length > 1) ?? [];
    if (foreign !== undefined && this.#foreign !== undefined)
      return `The header has a single cell; this looks like ${foreign}. ${this.#foreign}`;
    return 'The header has a single cell; cells are separated by commas, or by what --delimiter says.';
  }

  #row({ line, cells }: CsvRecord, width: number, positions: readonly number[]): FileRow | undefined {
    if (cells.length !== width) {
      const there = cells.length === 1 ? 'is 1 cell' : `are ${cells.length} cells`;
      this.#report(line, undefined, `There ${there}, but the header has ${width}.`);
      return undefined;
    }
    const values: RawValue[] = [];
    for (let i = 0; i < positions.length; i++) {
      const cell = cells[positions[i] as number];
      values.push(cell !== undefined && this.#columns[i]?.isGuarded === true ? unguarded(cell) : cell);
    }
    return { line, values };
  }
}
