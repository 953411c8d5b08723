// A list as a file: what writes the items of one format, and which content type it has.

import { FILE_TYPES, type FileFormat } from '@linecard/client/contract/addresses';
import type { List } from '@linecard/client/contract/list';
import { Problem } from '@linecard/client/contract/problems';
import { count } from '@linecard/client/contract/wording';
import { ByteWriter } from '../byte-writer.ts';
import type { StoredItem } from '../store/tables.ts';
import { MAX_XLSX_ITEMS, type People, TOTALS_ROWS, XlsxWriter } from '../xlsx/xlsx.ts';
import { CsvLines } from './csv-lines.ts';
import { projectionOf, readItem, type VisibleFields } from './fields.ts';

/** The content type of each format; of text, in which encoding. */
export const FILE_CONTENT_TYPES: Readonly<Record<FileFormat, string>> = {
  csv: `${FILE_TYPES.csv}; charset=utf-8; header=present`,
  ndjson: `${FILE_TYPES.ndjson}; charset=utf-8`,
  xlsx: FILE_TYPES.xlsx,
};

/** The next part of a file: text, or bytes, which are valid until the next part is taken. */
export type FilePart = string | Uint8Array;

/** Writes a file of items as they are stored. */
export interface FileWriter {
  begin(): FilePart;
  items(items: readonly StoredItem[]): FilePart;
  end(): FilePart;
}

/** The writer of each format, whose columns are what the caller sees; a workbook may be for people. */
export const WRITERS: Readonly<
  Record<FileFormat, (list: List, visible: VisibleFields, people?: People) => FileWriter>
> = {
  csv(list, visible) {
    const csv = new CsvLines(list, visible);
    return { begin: () => csv.header, items: (items) => csv.of(items), end: () => '' };
  },
  ndjson: (list, visible) => {
    const project = projectionOf(list, visible);
    const lines = new ByteWriter();
    return {
      begin: () => '',
      items(items) {
        for (const item of items) lines.write(`${project(item)}\n`);
        return lines.take();
      },
      end: () => '',
    };
  },
  xlsx(list, { names: columns }, people) {
    const names = Object.keys(list.fields);
    const workbook = new XlsxWriter(list, columns, people);
    return {
      begin: () => workbook.begin(),
      items: (items) => workbook.rows(items.map((item) => readItem(item, names))),
      end: () => workbook.end(),
    };
  },
};

/** How many items a file of a format holds. */
export function mostItems(format: FileFormat, people?: People): number {
  if (format !== 'xlsx') return Number.POSITIVE_INFINITY;
  return people === undefined ? MAX_XLSX_ITEMS : MAX_XLSX_ITEMS - TOTALS_ROWS;
}

/**
 * Refuses a list that is too long for a format.
 * @throws {Problem} `invalid-parameter`
 */
export function mustFit(format: FileFormat, total: number, people: People | undefined): void {
  const most = mostItems(format, people);
  if (total <= most) return;
  const detail = `A sheet of a workbook holds at most ${count(most)} items, but ${count(total)} match. Filter them, or take them as CSV, which holds any number.`;
  throw new Problem('invalid-parameter', detail, { faults: [{ parameter: '', detail }] });
}
