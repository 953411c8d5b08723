// The rows of one file, some at a time, whatever its format is.

import type { Readable } from 'node:stream';
import { readChunks } from './chunks.ts';
import { CsvRows } from './csv-rows.ts';
import type { ImportFile } from './files.ts';
import { JsonRows } from './json-rows.ts';
import { NdjsonRows } from './ndjson.ts';
import type { FileRow, RowFormat } from './rows.ts';
import { WorkbookRows } from './workbook/workbook-rows.ts';

export const ROWS = { csv: CsvRows, ndjson: NdjsonRows, json: JsonRows, xlsx: WorkbookRows };
export type FileRows = RowFormat | WorkbookRows;

/** How files are read, whatever is in them. */
export interface FileOptions {
  /** How the bytes of the files are text, where it is not UTF-8. */
  readonly encoding?: string | undefined;
  /** Whether a CSV file may end without a line break. */
  readonly takesOpenEnd?: boolean;
  /** How many bytes each file may have, once unpacked. */
  readonly maxBytes?: number | undefined;
  /** How much of them is read at a time: less takes less memory where rows are stored slowly. */
  readonly chunkBytes?: number | undefined;
}

const rowsOf = (format: RowFormat, text: string) =>
  format.lastRow === undefined || text.endsWith('\n') ? format.rows(text) : format.lastRow(text);

export interface RowChunk {
  readonly rows: Iterable<FileRow>;
  readonly bytes: number;
}

/** The rows of a file, some at a time. */
export async function* rowChunks(
  { encoding, maxBytes, chunkBytes, ...job }: FileOptions,
  file: ImportFile,
  format: FileRows,
  stdin: Readable,
): AsyncGenerator<RowChunk> {
  if (format instanceof WorkbookRows) {
    for await (const { rows, part } of format.chunks(file, stdin, { maxBytes }))
      yield { rows, bytes: Math.floor(part * (file.bytes ?? 0)) };
    return;
  }
  const isDocument = file.format === 'json';
  // A stream, whose size is not known, may have been cut off anywhere.
  const takesOpenEnd = job.takesOpenEnd === true && file.format === 'csv' && file.bytes !== undefined;
  const options = { ...file, encoding, maxBytes, chunkBytes, takesOpenEnd, isDocument };
  for await (const { text, bytes } of readChunks(file.name, stdin, options))
    yield { rows: rowsOf(format, text), bytes };
  format.end();
}
