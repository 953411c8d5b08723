// The reading half of an import: files -> batches of checked rows, each row drawn as its table stores it. It must not know
// of databases or threads.

import type { Readable } from 'node:stream';
import { type Stored, storedRow, type Table, tables } from '../store/tables.ts';
import { CsvRows } from './csv-rows.ts';
import { type Fault, MAX_TOLD_FAULTS, placeOf } from './faults.ts';
import { type ImportFile, readPieces, UnreadableFile } from './files.ts';
import { NdjsonRows } from './ndjson.ts';
import { type Row, type RowFormat, RowReader } from './rows.ts';

const FORMATS = { csv: CsvRows, ndjson: NdjsonRows } as const;

/** What is to be read. */
export interface Reading {
  readonly list: keyof typeof tables;
  readonly files: readonly ImportFile[];
  readonly account_id: string | undefined;
}

/** The rows of one piece of a file. */
export interface Batch {
  /** As `storedRow` gives them; none once the run has a fault. */
  readonly rows: readonly (readonly Stored[])[];
  /** The id of each row. */
  readonly ids: readonly number[];
  readonly places: readonly number[];
  /** The faults to tell that came with this batch. */
  readonly faults: readonly Fault[];
  /** How many faults the run has so far. */
  readonly total_faults: number;
  /** How many bytes of all files were read so far. */
  readonly bytes: number;
}

/** Collects the rows and faults of a run. */
class Batches {
  readonly #table: Table;
  readonly #reader: RowReader;
  #rows: Stored[][] = [];
  #ids: number[] = [];
  #places: number[] = [];
  #faults: Fault[] = [];
  #told = 0;
  #total_faults = 0;
  #file = 0;
  #line = 0;

  constructor(table: Table, account_id: string | undefined) {
    this.#table = table;
    this.#reader = new RowReader(table.list, account_id);
  }

  /** Begins a file. */
  format(file: number, { format }: ImportFile): RowFormat {
    this.#file = file;
    return new FORMATS[format](this.#table.list, this.#reader.columns, this.report);
  }

  readonly report = (line: number, column: string | undefined, fault: string): void => {
    this.#total_faults += 1;
    if (this.#told === MAX_TOLD_FAULTS) return;
    this.#told += 1;
    const text = column === undefined ? fault : `${column}: ${fault}`;
    this.#faults.push({ place: placeOf(this.#file, line), text });
  };

  readonly #reportColumn = (column: string, fault: string): void => this.report(this.#line, column, fault);

  add({ line, given }: Row): void {
    this.#line = line;
    const values = this.#reader.read(given, this.#reportColumn);
    const id = values['id'];
    // Without an id it cannot be a duplicate either.
    if (typeof id !== 'number') return;
    this.#ids.push(id);
    this.#places.push(placeOf(this.#file, line));
    if (this.#total_faults === 0)
      this.#rows.push(storedRow(this.#table, String(values['account_id']), values));
  }

  /** What was collected since the last time. */
  take(bytes: number): Batch {
    const batch = {
      rows: this.#total_faults === 0 ? this.#rows : [],
      ids: this.#ids,
      places: this.#places,
      faults: this.#faults,
      total_faults: this.#total_faults,
      bytes,
    };
    this.#rows = [];
    this.#ids = [];
    this.#places = [];
    this.#faults = [];
    return batch;
  }
}

/** Reads the files one after the other; faults do not end it. */
export async function* readBatches(
  { list, files, account_id }: Reading,
  stdin: Readable,
): AsyncGenerator<Batch> {
  const batches = new Batches(tables[list], account_id);
  let bytes_before = 0;
  for (const [i, file] of files.entries()) {
    const format = batches.format(i, file);
    let bytes = 0;
    try {
      for await (const piece of readPieces(file.name, stdin)) {
        for (const row of format.rows(piece.text)) batches.add(row);
        bytes = piece.bytes;
        yield batches.take(bytes_before + bytes);
      }
      format.end();
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      batches.report(0, undefined, error.message);
    }
    bytes_before += bytes;
    yield batches.take(bytes_before);
  }
}
