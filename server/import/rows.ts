// The rows of an import, each value still a text -> the checked values of an item, with what is missing
// filled in.

import { trimmed } from '@linecard/client/contract/trimmed';
import type { RowValues } from '../store/tables.ts';
import { type Finder, type ImportColumn, KEYS, REMOVED, type Titled } from './columns.ts';
import type { MappedColumns } from './mapping/mapped.ts';
import type { Mapping } from './mapping/written.ts';
import type { ImportTarget } from './targets.ts';
import { flag, type ImportValue, type RawValue } from './values.ts';

const MISSING = 'is required, but is missing.';
const EMPTY = 'is required, but was empty.';
const NOT_UNICODE =
  'is not well-formed Unicode: it holds broken UTF-8 or half of a surrogate pair. If all such letters of the file are, say what it is, such as --encoding windows-1252; otherwise correct this one.';
/** No value, as MySQL writes it; in a text it is text. */
const NULL = '\\N';

/** Rows of NDJSON may have each other columns. */
const MAX_KINDS_OF_ROWS = 1_000;

/** One row as a file has it, its values in the order of the columns. */
export interface FileRow {
  readonly line: number;
  readonly values: RawValue[];
}

/** Is called with what is wrong with a row of a file; without a column where the row itself is wrong. */
export type ReportFault = (line: number, column: string | undefined, fault: string) => void;

/** What the rows of a file are of, and how they are read. */
export interface RowContext {
  readonly list: Titled;
  readonly columns: readonly ImportColumn[];
  readonly report: ReportFault;
  /** What says which name feeds which column, where it is not the names themselves. */
  readonly mapped?: MappedColumns | undefined;
  /** What is said first of a file whose names are of another system. */
  readonly foreign?: string | undefined;
  /** What stands between the cells of CSV, where it is not a comma. */
  readonly delimiter?: string | undefined;
  /** Where the header is, and how quotes are written. */
  readonly form?: Pick<Mapping, 'skip' | 'header' | 'quote_escape'> | undefined;
  /** The path of the array of a JSON document that has the rows, where it is not the document. */
  readonly records?: string | undefined;
  /** The sheet of a workbook that has the rows, where it is not the first one with their header. */
  readonly sheet?: string | undefined;
}

/** Reads the rows of one file, which comes in chunks of complete lines, or of parts of a document. */
export interface RowFormat {
  /** The line, or record, that comes next, from 1; absent where the rest of the file is not read. */
  readonly nextLine: number | undefined;
  /** How many lines were skipped so far, because nothing is in them. */
  readonly blankLines: number;
  rows(chunk: string): Iterable<FileRow>;
  /** The row of a last line without a line break, where the format can tell whether it is complete. */
  lastRow?(line: string): Iterable<FileRow>;
  /** To be called when the file has ended. */
  end(): void;
}

/** How the rows of a run are to be read. */
export interface RowRules {
  /** The account of all rows, where the files need not name it. */
  readonly account_id?: string | undefined;
  /** Whether rows change items that are there, and so need not have all of their values. */
  readonly isUpdate?: boolean;
  /** Whether an item that is there keeps what a row does not have. */
  readonly keepsAbsent?: boolean;
}

export class RowReader {
  readonly columns: readonly ImportColumn[];
  readonly #finders: readonly Finder[];
  readonly #removed: number;
  readonly #charges: readonly string[];
  readonly #kinds = new Map<string, readonly string[]>();
  #absent: readonly string[] = [];
  /** The columns that no row so far has; undefined before the first. */
  #lacking: readonly string[] | undefined;
  #negative = 0;

  constructor(target: ImportTarget, { account_id, isUpdate = false }: RowRules = {}) {
    this.columns = target.columns(account_id).map((column) =>
      // What a row that changes an item does not have, the item has.
      isUpdate && !KEYS.includes(column.name) ? { ...column, mayBeAbsent: true } : column,
    );
    this.#finders = isUpdate ? [] : target.finders;
    this.#removed = this.columns.findIndex(({ name }) => name === REMOVED);
    this.#charges = this.columns.filter(({ kind }) => kind === 'charge').map(({ name }) => name);
  }

  /**
   * The values of a row whose texts are in the order of the columns; an empty text is a missing value. A
   * value with a fault, which is reported, is left out. A row that removes an item has its keys alone, and a
   * row that changes one the values that the file has.
   */
  read(row: readonly RawValue[], report: (column: string, fault: string) => void): RowValues {
    const values: Record<string, ImportValue> = {};
    const removed = row[this.#removed];
    const removes = typeof removed === 'string' && flag.read(trimmed(removed)) === true;
    for (let i = 0; i < this.columns.length; i++) {
      const column = this.columns[i] as ImportColumn;
      if (removes && !KEYS.includes(column.name) && i !== this.#removed) continue;
      if (row[i] === undefined && column.mayBeAbsent === true) continue;
      const value = this.#value(column, row[i], report);
      if (value !== undefined) values[column.name] = value;
    }
    if (removes) {
      this.#absent = [];
      return values;
    }
    this.#recordAbsent(row);
    for (const finder of this.#finders) {
      if (values[finder.name] === '') values[finder.name] = finder.find(values);
    }
    if (this.#charges.some((name) => Number(values[name]) < 0)) this.#negative += 1;
    return values;
  }

  /** The columns that the row which was read last does not have, other than its keys. */
  get absent(): readonly string[] {
    return this.#absent;
  }

  /** The columns that any row has had, without that of removals, and how many have a charge below zero. */
  get seen(): { readonly columns: readonly string[]; readonly negative: number } {
    const names = this.columns.map(({ name }) => name);
    // Of an item that is removed, its keys are all that is read.
    const has = (name: string) => KEYS.includes(name) || this.#lacking?.includes(name) === false;
    const columns = names.filter((name) => name !== REMOVED && has(name));
    return { columns, negative: this.#negative };
  }

  /** Always the same array of the same columns. */
  #absentOf(row: readonly RawValue[]): readonly string[] {
    let bits = '';
    for (let i = 0; i < this.columns.length; i++) bits += row[i] === undefined ? '1' : '0';
    const known = this.#kinds.get(bits);
    if (known !== undefined) return known;
    const names = this.columns.flatMap(({ name }, i) => (bits[i] === '1' ? [name] : []));
    const absent = names.filter((name) => !KEYS.includes(name) && name !== REMOVED);
    if (this.#kinds.size < MAX_KINDS_OF_ROWS) this.#kinds.set(bits, absent);
    return absent;
  }

  #recordAbsent(row: readonly RawValue[]): void {
    const absent = this.#absentOf(row);
    if (absent !== this.#absent || this.#lacking === undefined)
      this.#lacking = this.#lacking?.filter((name) => absent.includes(name)) ?? absent;
    this.#absent = absent;
  }

  #value(
    column: ImportColumn,
    given: RawValue,
    report: (column: string, fault: string) => void,
  ): ImportValue | undefined {
    const raw = typeof given === 'string' && given !== '' ? trimmed(given) : given;
    if (raw === undefined || raw === '' || (raw === NULL && column.kind !== 'text')) {
      if (column.required) report(column.name, raw === undefined ? MISSING : EMPTY);
      return column.fallback;
    }
    if (typeof raw === 'object') {
      report(column.name, raw.fault);
      return undefined;
    }
    if (!raw.isWellFormed()) {
      report(column.name, NOT_UNICODE);
      return undefined;
    }
    const value = column.read(raw);
    if (value === undefined) report(column.name, column.complaint(raw));
    return value;
  }
}
