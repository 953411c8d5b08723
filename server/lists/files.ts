// A list as a file: what writes the items of one format, and which content type it has.

import { FILE_TYPES, type FileFormat } from '@linecard/client/contract/addresses';
import type { List } from '@linecard/client/contract/list';
import { Problem } from '@linecard/client/contract/problems';
import { count } from '@linecard/client/contract/wording';
import { ByteWriter } from '../byte-writer.ts';
import { MAX_XLSX_ITEMS, type People, TOTALS_ROWS, XlsxWriter } from '../xlsx/xlsx.ts';
import { CsvLines } from './csv-lines.ts';
import { projectionOf, readItem } from './fields.ts';

/** The content type of each format; of text, in which encoding. */
export const FILE_CONTENT_TYPES: Readonly<Record<FileFormat, string>> = {
  csv: `${FILE_TYPES.csv}; charset=utf-8; header=present`,
  ndjson: `${FILE_TYPES.ndjson}; charset=utf-8`,
  xlsx: FILE_TYPES.xlsx,
};

/** The next part of a file: text, or bytes, which are valid until the next part is taken. */
export type FilePart = string | Uint8Array;

/** Writes a file; items come as the JSON texts that they are stored as. */
export interface FileWriter {
  begin(): FilePart;
  items(texts: readonly string[]): FilePart;
  end(): FilePart;
}

/** The writer of each format, with all fields as columns or those chosen; a workbook may be for people. */
export const WRITERS: Readonly<
  Record<FileFormat, (list: List, columns?: readonly string[], people?: People) => FileWriter>
> = {
  csv(list, columns) {
    const csv = new CsvLines(list, columns);
    return { begin: () => csv.header, items: (texts) => csv.of(texts), end: () => '' };
  },
  ndjson: (list, columns) => {
    const project = projectionOf(list, columns);
    const lines = new ByteWriter();
    return {
      begin: () => '',
      items(texts) {
        for (const text of texts) lines.write(`${project(text)}\n`);
        return lines.take();
      },
      end: () => '',
    };
  },
  xlsx(list, columns, people) {
    const names = Object.keys(list.fields);
    const workbook = new XlsxWriter(list, columns, people);
    return {
      begin: () => workbook.begin(),
      items: (texts) => workbook.rows(texts.map((text) => readItem(text, names))),
      end: () => workbook.end(),
    };
  },
};

/**
 * Refuses a list that is too long for a format.
 * @throws {Problem} `invalid-parameter`
 */
export function mustFit(format: FileFormat, total: number, people: People | undefined): void {
  const most = people === undefined ? MAX_XLSX_ITEMS : MAX_XLSX_ITEMS - TOTALS_ROWS;
  if (format !== 'xlsx' || total <= most) return;
  const detail = `A sheet of a workbook holds at most ${count(most)} items, but ${count(total)} match. Filter them, or take them as CSV, which holds any number.`;
  throw new Problem('invalid-parameter', detail, { faults: [{ parameter: '', detail }] });
}
