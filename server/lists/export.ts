// Export: every match of a query in the query's order, from one snapshot, as a file that is streamed while
// the rows are read.

import type { FileFormat } from '@linecard/client/contract/addresses';
import type { List } from '@linecard/client/contract/list';
import { Problem } from '@linecard/client/contract/problems';
import type { Query } from '@linecard/client/contract/query';
import { count } from '@linecard/client/contract/wording';
import { ByteWriter } from '../byte-writer.ts';
import { headStatement } from '../store/heads.ts';
import { rowsStatement } from '../store/sql.ts';
import type { ResultRow, Store } from '../store/store.ts';
import type { Table } from '../store/tables.ts';
import { invalidToken } from '../store/tokens.ts';
import { MAX_XLSX_ITEMS, XlsxWriter } from '../xlsx/xlsx.ts';
import { monitorOf } from './change-token.ts';
import { CsvLines } from './csv-lines.ts';
import { projectionOf } from './fields.ts';
import { readItem } from './item-text.ts';
import { planOf } from './plan.ts';
import { readingAt } from './reading.ts';

/** What comes next in a file: text, or bytes, which are good until the next part is taken. */
export type FilePart = string | Uint8Array;

export interface Export {
  readonly revision: string;
  /** How many items match. */
  readonly total: number;
  /** What leads to the changes since, as a query string. */
  readonly monitor?: string;
  readonly parts: AsyncIterable<FilePart>;
  /** Lets go of the snapshot; must be called, also where no part was taken. */
  close(): Promise<void>;
}

/** A file in the making; items come as the JSON texts that they are stored as. */
interface FileWriter {
  begin(): FilePart;
  items(texts: readonly string[]): FilePart;
  end(): FilePart;
}

/** For each format what makes a file of it, with all fields as columns or those chosen. */
const WRITERS: Readonly<Record<FileFormat, (list: List, columns?: readonly string[]) => FileWriter>> = {
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
  xlsx(list, columns) {
    const names = Object.keys(list.fields);
    const workbook = new XlsxWriter(list, columns);
    return {
      begin: () => workbook.begin(),
      items: (texts) => workbook.rows(texts.map((text) => readItem(text, names))),
      end: () => workbook.end(),
    };
  },
};

async function* partsOf(
  writer: FileWriter,
  rows: AsyncIterable<readonly ResultRow[]>,
): AsyncGenerator<FilePart> {
  yield writer.begin();
  for await (const batch of rows) yield writer.items(batch.map(([item]) => item as string));
  yield writer.end();
}

/** A sheet ends where a list need not. */
function tooLong(total: number): Problem {
  const detail = `A sheet of a workbook holds at most ${count(MAX_XLSX_ITEMS)} items, but ${count(total)} match. Filter them, or take them as CSV, which holds any number.`;
  return new Problem('invalid-parameter', detail, { faults: [{ parameter: '', detail }] });
}

/**
 * Begins an export; the rows are read as the parts are taken.
 * @throws {Problem} `invalid-parameter` where there are more items than the format holds.
 * @throws {StoreUnavailable}
 */
export async function beginExport(
  store: Store,
  cursorKey: string,
  table: Table,
  account_id: string,
  query: Query,
  format: FileFormat,
): Promise<Export> {
  const plan = planOf(table, account_id, query);
  const writer = WRITERS[format](table.list, query.fields);
  const snapshot = await store.snapshot();
  try {
    const [[head]] = await snapshot.read(headStatement(store.dialect, plan));
    if (head === undefined) throw invalidToken();
    const [revision, total, sequence] = [head[0] as string, Number(head[1]), Number(head[2])];
    const reading = readingAt({ revision, sequence }, sequence);
    const monitor = monitorOf(cursorKey, table, account_id, query, reading);
    if (format === 'xlsx' && total > MAX_XLSX_ITEMS) throw tooLong(total);
    const parts = partsOf(writer, snapshot.rows(rowsStatement(store.dialect, plan)));
    return { revision, total, monitor, parts, close: () => snapshot.close() };
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}
