// Reads one account's list and builds its index, on a worker thread. It must not know which rows are listed,
// or why an index is wanted.

import { summedFields } from '@linecard/client/contract/facets';
import { revisionStatement } from '../store/heads.ts';
import { columnsStatement, type Selection } from '../store/sql.ts';
import type { ResultRow, Store } from '../store/store.ts';
import { filterColumns, type Stored, searchColumns, sortColumns, type Table } from '../store/tables.ts';
import type { IndexData } from './index-data.ts';
import { NumberRows } from './number-rows.ts';
import type { IndexColumn } from './ranks.ts';
import { TextRows } from './text-rows.ts';
import { postingBytesOf, trigramsOf } from './trigrams.ts';

/** The values of a column as they are read: the first that is not `null` tells whether they are texts. */
class ColumnRows {
  #rows: NumberRows | TextRows | undefined;
  #nulls = 0;

  add(value: Stored): void {
    if (this.#rows === undefined && value === null) this.#nulls += 1;
    else this.#rowsFor(value).add(value as never);
  }

  get texts(): TextRows {
    return this.#rowsFor('') as TextRows;
  }

  ranked(withValues: boolean): IndexColumn {
    return this.#rowsFor(null).ranked(withValues);
  }

  #rowsFor(value: Stored): NumberRows | TextRows {
    if (this.#rows === undefined) {
      this.#rows = typeof value === 'number' ? new NumberRows() : new TextRows();
      for (let row = 0; row < this.#nulls; row++) this.#rows.add(null);
    }
    return this.#rows;
  }
}

/** The same value, its arrays copied into memory that all threads share. */
function shared<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (!ArrayBuffer.isView(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shared(one)])) as T;
  }
  const array = value as unknown as Uint8Array;
  const copy = new (array.constructor as Uint8ArrayConstructor)(new SharedArrayBuffer(array.byteLength));
  copy.set(array);
  return copy as T;
}

/** The columns of an index: which are ranked, which of these keep their values, and which are searched. */
function columnsToRead(table: Table) {
  const { text, digits } = searchColumns(table.list);
  const valued = new Set([...filterColumns(table), ...digits, ...summedFields(table.list)]);
  const ranked = new Set([...valued, ...sortColumns(table)]);
  const searched = [...text, ...digits];
  return { valued, ranked, searched, names: [...new Set([...ranked, ...searched])] };
}

/**
 * The index of the rows of a selection, all that are listed of an account; `undefined` where the posting
 * lists of its texts alone would take more than so many bytes: building it would take several times as much.
 * @throws {StoreUnavailable}
 */
export async function buildIndex(
  store: Store,
  table: Table,
  selection: Selection,
  maxBytes: number,
): Promise<IndexData | undefined> {
  const { valued, ranked, searched, names } = columnsToRead(table);
  const columns = new Map(names.map((name) => [name, new ColumnRows()]));
  const columnOf = (name: string) => columns.get(name) as ColumnRows;
  const textsOf = (name: string) => columnOf(name).texts;
  const postingBytes = () => searched.reduce((sum, name) => sum + postingBytesOf(textsOf(name)), 0);
  const perName = <T>(of: Iterable<string>, make: (name: string) => T) =>
    Object.fromEntries(Array.from(of, (name) => [name, make(name)]));
  const ids: number[] = [];

  function add([id, ...values]: ResultRow): void {
    ids.push(id as number);
    let column = 0;
    for (const rows of columns.values()) rows.add(values[column++] as Stored);
  }

  const { account_id } = selection;
  const snapshot = await store.snapshot();
  try {
    const [[account]] = await snapshot.read(revisionStatement(store.dialect, account_id));
    if (account === undefined) throw new Error(`The account ${account_id} is gone.`);
    for await (const rows of snapshot.rows(columnsStatement(store.dialect, selection, names))) {
      for (const row of rows) add(row);
      if (postingBytes() > maxBytes) return undefined;
    }
    return shared({
      revision: account[0] as string,
      ids: Float64Array.from(ids),
      columns: perName(ranked, (name) => columnOf(name).ranked(valued.has(name))),
      texts: perName(searched, (name) => trigramsOf(textsOf(name))),
    });
  } finally {
    await snapshot.close();
  }
}
