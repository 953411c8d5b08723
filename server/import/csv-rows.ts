// The rows of a CSV file: the header says which cell belongs to which column.

import { unguarded } from '@linecard/client/contract/csv';
import { headerPositions, type ImportColumn, type Titled } from './columns.ts';
import { CsvReader, type CsvRecord } from './csv.ts';
import type { FileRow, RawValue, ReportFault, RowFormat } from './rows.ts';
import { shownName } from './values.ts';

const WORDS = { header: 'the header', cell: 'cell' };
/** A header of more cells is not one of a list. */
const MAX_HEADER_CELLS = 1_000;
/** What may separate cells, what it is called, and how it is typed. */
const DELIMITERS = [
  [',', 'commas', ','],
  [';', 'semicolons', "';'"],
  ['\t', 'tabs', 'tab'],
  ['|', 'vertical bars', "'|'"],
] as const;

export class CsvRows implements RowFormat {
  readonly #csv: CsvReader;
  readonly #delimiter: string;
  readonly #list: Titled;
  readonly #columns: readonly ImportColumn[];
  readonly #report: ReportFault;
  #header: readonly string[] | undefined;
  /** For each column the position of its cell, or -1; absent when the header is of no use. */
  #positions: readonly number[] | undefined;

  constructor(list: Titled, columns: readonly ImportColumn[], report: ReportFault, delimiter = ',') {
    this.#csv = new CsvReader(delimiter);
    this.#delimiter = delimiter;
    this.#list = list;
    this.#columns = columns;
    this.#report = report;
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
    this.#positions = headerPositions(this.#list, this.#columns, cells, WORDS, (column, fault) =>
      this.#report(line, column, fault),
    );
  }

  /** What is wrong with the header itself; `undefined` where its cells can be checked one by one. */
  #misread(cells: readonly string[]): string | undefined {
    if (cells.length > MAX_HEADER_CELLS) {
      const count = cells.length.toLocaleString('en');
      return `The header has ${count} cells, but ${this.#list.title.toLowerCase()} have ${this.#columns.length} columns; the rest of the file was not read.`;
    }
    if (cells.length > 1) return undefined;
    const known = (delimiter: string) =>
      (cells[0] ?? '').split(delimiter).filter((cell) => this.#columns.some(({ name }) => name === cell))
        .length;
    const meant = DELIMITERS.find(([delimiter]) => delimiter !== this.#delimiter && known(delimiter) > 1);
    if (meant !== undefined)
      return `The header has a single cell; this looks like ${meant[1]}: --delimiter ${meant[2]}`;
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
