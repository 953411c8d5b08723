// The rows of an import, each value still a text -> the checked values of an item, with what is missing
// filled in. It must not know of files, nor which format a text comes from.

import type { List } from '@linecard/client/contract/list';
import type { RowValues } from '../store/tables.ts';
import { type Finder, findersOf, type ImportColumn, importColumns } from './columns.ts';
import type { ImportValue } from './values.ts';

const MISSING = 'is required, but is missing.';
const EMPTY = 'is required, but was empty.';
const NOT_UNICODE = 'is not well-formed Unicode: it holds broken UTF-8 or half of a surrogate pair.';

/** One value as a file has it: its text, nothing, or what is wrong before there is a text. */
export type RawValue = string | undefined | { readonly fault: string };

/** One row as a file has it, its values in the order of the columns. */
export interface FileRow {
  readonly line: number;
  readonly values: readonly RawValue[];
}

/** Is called with what is wrong with a row of a file; without a column where the row as a whole is wrong. */
export type ReportFault = (line: number, column: string | undefined, fault: string) => void;

/** Reads the rows of one file, which comes in chunks of whole lines. */
export interface RowFormat {
  rows(chunk: string): Iterable<FileRow>;
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
   * The values of a row whose texts are in the order of the columns; an empty text is a missing value. A
   * value with a fault, which is reported, is left out.
   */
  read(row: readonly RawValue[], report: (column: string, fault: string) => void): RowValues {
    const values: Record<string, ImportValue> = {};
    for (let i = 0; i < this.columns.length; i++) {
      const column = this.columns[i] as ImportColumn;
      const raw = row[i];
      if (raw === undefined || raw === '') {
        if (column.required) report(column.name, raw === '' ? EMPTY : MISSING);
        values[column.name] = column.fallback;
      } else if (typeof raw === 'object') {
        report(column.name, raw.fault);
      } else if (!raw.isWellFormed()) {
        report(column.name, NOT_UNICODE);
      } else {
        const value = column.read(raw);
        if (value === undefined) report(column.name, column.complaint(raw));
        else values[column.name] = value;
      }
    }
    for (const finder of this.#finders) {
      if (values[finder.name] === '') values[finder.name] = finder.find(values);
    }
    return values;
  }
}
