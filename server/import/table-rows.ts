// The rows of a table, as CSV and the sheets of workbooks are: the header says which cell belongs to which
// column.

import { unguarded } from '@linecard/client/contract/csv';
import { headerPositions, type ImportColumn, plainName } from './columns.ts';
import { LocalTimes } from './mapping/times.ts';
import type { FileRow, RowContext } from './rows.ts';
import type { RawValue } from './values.ts';
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
    this.#times = new LocalTimes(CELL_FORMS, context.mapped?.timeZone);
  }

  /** The row of a record; the first record is the header. */
  row(record: TableRecord): FileRow | undefined {
    if (this.header === undefined) this.#readHeader(record);
    else if (this.header.positions !== undefined)
      return this.rowOf(record, this.header.names.length, this.header.positions);
    return undefined;
  }

  #readHeader({ line, cells }: TableRecord): void {
    const names = cells.map(plainName);
    const { list, columns, mapped, foreign } = this.#context;
    const report = (column: string | undefined, fault: string) => this.#context.report(line, column, fault);
    this.header = { names, positions: undefined };
    const misread = this.#misread(names);
    if (misread !== undefined) return report(undefined, misread);
    const positions =
      mapped === undefined
        ? headerPositions(list, columns, names, { ...WORDS, foreign }, report)
        : mapped.positions(names, WORDS, report);
    this.header = { names, positions };
  }

  /** @param width how many cells it must have; one of a workbook may have fewer. */
  rowOf(record: TableRecord, width: number, positions: readonly number[]): FileRow | undefined {
    const { line, cells, kinds } = record;
    const { columns, report } = this.#context;
    if (kinds === undefined ? cells.length !== width : cells.length > width) {
      const there = cells.length === 1 ? 'is 1 cell' : `are ${cells.length} cells`;
      report(line, undefined, `There ${there}, but the header has ${width}.`);
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
