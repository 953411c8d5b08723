// The rows of an import, each value still a text -> the checked values of an item, with what is missing filled in. It must
// not know of files, nor whether a text stood in CSV or in NDJSON.

import type { List } from '@linecard/client/contract/list';
import type { RowValues } from '../store/tables.ts';
import { type Finder, findersOf, type ImportColumn, importColumns } from './columns.ts';
import type { Value } from './values.ts';

const MISSING = 'is required, but is missing.';
const EMPTY = 'is required, but was empty.';
const NOT_UNICODE = 'is not well-formed Unicode: it holds broken UTF-8 or half of a surrogate pair.';

/** One value as a file gives it: its text, nothing, or what is wrong before there is a text. */
export type Given = string | undefined | { readonly fault: string };

/** One row as a file gives it, in the order of the columns. */
export interface Row {
  readonly line: number;
  readonly given: readonly Given[];
}

/** Takes what is wrong with a row of a file; the column is left out where the row as a whole is wrong. */
export type ReportFault = (line: number, column: string | undefined, fault: string) => void;

/** Reads the rows of one file, which comes in pieces of whole lines. */
export interface RowFormat {
  rows(piece: string): Iterable<Row>;
  /** To be called when the file has ended. */
  end(): void;
}

/** Checks the rows of one run. */
export class RowReader {
  readonly columns: readonly ImportColumn[];
  readonly #finders: readonly Finder[];

  constructor(list: List, account_id?: string) {
    this.columns = importColumns(list, account_id);
    this.#finders = findersOf(list);
  }

  /**
   * The values of a row, given in the order of the columns; an empty text is a missing value. Every fault is reported,
   * and then the value is not there.
   */
  read(row: readonly Given[], report: (column: string, fault: string) => void): RowValues {
    const values: Record<string, Value> = {};
    for (let i = 0; i < this.columns.length; i++) {
      const column = this.columns[i] as ImportColumn;
      const given = row[i];
      if (given === undefined || given === '') {
        if (column.required) report(column.name, given === '' ? EMPTY : MISSING);
        values[column.name] = column.fallback;
      } else if (typeof given === 'object') {
        report(column.name, given.fault);
      } else if (!given.isWellFormed()) {
        report(column.name, NOT_UNICODE);
      } else {
        const value = column.read(given);
        if (value === undefined) report(column.name, column.complaint(given));
        else values[column.name] = value;
      }
    }
    for (const finder of this.#finders) {
      if (values[finder.name] === '') values[finder.name] = finder.find(values);
    }
    return values;
  }
}
