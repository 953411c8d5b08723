// The rows of a table, as CSV and the sheets of workbooks are: the header says which cell belongs to which
// column.

import { unguarded } from '@linecard/client/contract/csv';
import { trimmed } from '@linecard/client/contract/trimmed';
import { headerPositions, type ImportColumn, plainName } from './columns.ts';
import { LocalTimes } from './mapping/times.ts';
import type { FileRow, RowContext } from './rows.ts';
import { quoted, type RawValue } from './values.ts';
import type { CellKind } from './workbook/sheet.ts';

const WORDS = { header: 'the header', cell: 'cell' };
/** Of the times of cells, which are local. */
const CELL_FORMS = ['YYYY-MM-DDTHH:mm:ss', 'YYYY-MM-DDTHH:mm:ss.ffffff', 'YYYY-MM-DD'];
const MIDNIGHT = /T00:00:00$/;

export interface TableRecord {
  /** The line where it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** What the cells of a workbook are, which has no empty ones at the end. */
  readonly kinds?: readonly CellKind[];
}

export interface Header {
  readonly names: readonly string[];
  /** How many cells a row has: one more than there are names, where a delimiter ends every row. */
  readonly width: number;
  /** For each column the position of its cell, or -1; absent when the header is of no use. */
  readonly positions: readonly number[] | undefined;
}

export class TableRows {
  readonly #context: RowContext;
  readonly #misread: (names: readonly string[]) => string | undefined;
  readonly #times: LocalTimes;
  header: Header | undefined;

  /** @param misread what is wrong with a header itself, before its names are looked at one by one. */
  constructor(context: RowContext, misread: (names: readonly string[]) => string | undefined) {
    this.#context = context;
    this.#misread = misread;
    this.#times = context.mapped?.localTimes(CELL_FORMS) ?? new LocalTimes(CELL_FORMS);
  }

  /** The row of a record; the first record is the header. */
  row(record: TableRecord): FileRow | undefined {
    if (this.header !== undefined) return this.#rowOf(record, this.header);
    if (!this.#isBefore(record)) this.#readHeader(record);
    return undefined;
  }

  /** Whether a row of a sheet is before the header; a CSV file begins with that here. */
  #isBefore({ line, cells, kinds }: TableRecord): boolean {
    const { skip = 0, header = [] } = this.#context.form ?? {};
    if (kinds === undefined) return false;
    const names = cells.map(plainName);
    return line <= skip || !header.every((name) => names.includes(plainName(name)));
  }

  #readHeader({ line, cells }: TableRecord): void {
    const names = cells.map(plainName);
    const width = names.length;
    // A delimiter that ends every row begins no column.
    if (width > 2 && names.at(-1) === '' && this.#context.mapped?.knows('') !== true) names.pop();
    const { list, columns, mapped, foreign } = this.#context;
    const report = (column: string | undefined, fault: string) => this.#context.report(line, column, fault);
    this.header = { names, width, positions: undefined };
    const misread = this.#misread(names);
    if (misread !== undefined) return report(undefined, misread);
    const positions =
      mapped === undefined
        ? headerPositions(list, columns, names, { ...WORDS, foreign }, report)
        : mapped.positions(names, WORDS, report);
    this.header = { names, width, positions };
  }

  /** Whether the row counts; one of a workbook has no empty cells at its end. */
  #counts({ cells, kinds }: TableRecord, names: readonly string[]): boolean {
    const { mapped } = this.#context;
    if (mapped?.hasChoice !== true) return true;
    const beyond = kinds === undefined ? undefined : '';
    return mapped.counts((name) => cells[names.indexOf(name)] ?? beyond);
  }

  /** What is wrong with the number of its cells; a row of a workbook may have fewer. */
  #faultOf(
    { cells, kinds }: TableRecord,
    { names, width }: Header,
  ): readonly [column: string | undefined, fault: string] | undefined {
    if (kinds === undefined ? cells.length !== width : cells.length > width) {
      const there = cells.length === 1 ? 'is 1 cell' : `are ${cells.length} cells`;
      return [undefined, `There ${there}, but the header has ${width}.`];
    }
    const beyond = width === names.length ? '' : trimmed(cells[names.length] ?? '');
    if (beyond === '') return undefined;
    return [`cell ${width}`, `has the text ${quoted(beyond)}, but the header has no name for it.`];
  }

  #rowOf(record: TableRecord, header: Header): FileRow | undefined {
    const { positions, names } = header;
    const { line, cells, kinds } = record;
    const { columns, report } = this.#context;
    if (positions === undefined || !this.#counts(record, names)) return undefined;
    const fault = this.#faultOf(record, header);
    if (fault !== undefined) {
      report(line, ...fault);
      return undefined;
    }
    const values: RawValue[] = [];
    for (let i = 0; i < positions.length; i++) {
      const position = positions[i] as number;
      const column = columns[i] as ImportColumn;
      const cell = cells[position];
      if (kinds !== undefined)
        values.push(position < 0 ? undefined : this.#valueOf(column, cell ?? '', kinds[position]));
      else values.push(cell !== undefined && column.isGuarded === true ? unguarded(cell) : cell);
    }
    return { line, values };
  }

  /** What a cell of a workbook means for a column: a time is one of the mapping's zone. */
  #valueOf({ kind: of }: ImportColumn, text: string, kind: CellKind): RawValue {
    const { mapped } = this.#context;
    if (kind === undefined) return text;
    if (kind === 'fault') return { fault: text };
    if (kind === 'number') return of === 'charge' && mapped !== undefined ? mapped.spelled(text) : text;
    if (of !== 'timestamp') return text.replace(MIDNIGHT, '').replace('T', ' ');
    return this.#times.read(text) ?? { fault: this.#times.complaint(text) };
  }
}
