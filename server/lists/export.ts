// Export: every match of a query in the query's order, from one snapshot, as text that is streamed while it
// is read. It must not know where the text goes.

import { CsvWriter } from '@linecard/client/contract/csv';
import type { List } from '@linecard/client/contract/list';
import type { Query } from '@linecard/client/contract/query';
import { headStatement, rowsStatement } from '../store/sql.ts';
import type { ResultRow, Store } from '../store/store.ts';
import type { Table } from '../store/tables.ts';
import { projectionOf } from './fields.ts';
import { readItem } from './item-text.ts';
import { planOf } from './plan.ts';

/** A media type that a list can be exported as. */
export type ExportFormat = 'csv' | 'ndjson';

export interface Export {
  readonly revision: string;
  /** How many items will come. */
  readonly total: number;
  readonly chunks: AsyncIterable<string>;
  /** Lets go of the snapshot; must be called, also where no chunk was taken. */
  close(): Promise<void>;
}

/** The text of an export: items are JSON text already, so NDJSON only needs line ends. */
async function* chunksOf(
  list: List,
  fields: Query['fields'],
  format: ExportFormat,
  rows: AsyncIterable<readonly ResultRow[]>,
) {
  const csv = format === 'csv' ? new CsvWriter(list, fields) : undefined;
  const project = projectionOf(list, fields);
  const names = Object.keys(list.fields);
  if (csv !== undefined) yield csv.header;
  for await (const batch of rows) {
    yield batch
      .map(([item]) =>
        csv === undefined ? `${project(item as string)}\n` : csv.line(readItem(item as string, names)),
      )
      .join('');
  }
}

/**
 * Begins an export; the rows are read as the chunks are taken.
 * @throws {StoreUnavailable}
 */
export async function beginExport(
  store: Store,
  table: Table,
  account_id: string,
  query: Query,
  format: ExportFormat,
): Promise<Export> {
  const plan = planOf(table, account_id, query);
  const snapshot = await store.snapshot();
  try {
    const [[head]] = await snapshot.read(headStatement(store.dialect, plan));
    if (head === undefined) throw new Error(`The account ${account_id} is gone.`);
    const [revision, total] = head as [string, number];
    const chunks = chunksOf(
      table.list,
      query.fields,
      format,
      snapshot.rows(rowsStatement(store.dialect, plan)),
    );
    return { revision, total: Number(total), chunks, close: () => snapshot.close() };
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}
