// Reads one account's list and builds its index, on a worker thread. It must not know which rows are listed,
// or why an index is wanted.

import { summedFields } from '@linecard/client/contract/facets';
import { revisionStatement } from '../store/heads.ts';
import { columnsStatement, type Selection } from '../store/sql.ts';
import type { ResultRow, Store } from '../store/store.ts';
import { filterColumns, type Stored, searchColumns, sortColumns, type Table } from '../store/tables.ts';
import type { IndexColumn, IndexData } from './index-data.ts';
import { packValues, sortValues } from './sorted-values.ts';
import { TextRows } from './trigrams.ts';

const NULL_CODE = 0;
const MAX_BYTE = 255;
const MAX_UINT16 = 65_535;

/** The values of a column as they are read: each different one has a code until all can be ranked. */
class ColumnValues {
  readonly #codes = new Map<string | number, number>();
  #codeOfRow = new Uint32Array(4_096);
  #rows = 0;

  add(value: Stored): void {
    let code = value === null ? NULL_CODE : this.#codes.get(value);
    if (code === undefined) {
      code = this.#codes.size + 1;
      this.#codes.set(value as string | number, code);
    }
    if (this.#rows === this.#codeOfRow.length) {
      const larger = new Uint32Array(2 * this.#rows);
      larger.set(this.#codeOfRow);
      this.#codeOfRow = larger;
    }
    this.#codeOfRow[this.#rows++] = code;
  }

  /** The column by rank, with its values where a filter or a facet needs them. */
  ranked(withValues: boolean): IndexColumn {
    const values = Array.from(this.#codes.keys());
    sortValues(values);
    const count = values.length;
    const rankOfCode = new Uint32Array(count + 1);
    rankOfCode[NULL_CODE] = count;
    for (const [rank, value] of values.entries()) rankOfCode[this.#codes.get(value) as number] = rank;
    const ranks = ranksFor(count, this.#rows);
    for (let row = 0; row < this.#rows; row++) {
      ranks[row] = rankOfCode[this.#codeOfRow[row] as number] as number;
    }
    return { ranks, count, ...(withValues ? { values: packValues(values) } : {}) };
  }
}

/** As many ranks as there are rows, each in as few bytes as the highest takes. */
function ranksFor(highest: number, rows: number): IndexColumn['ranks'] {
  if (highest <= MAX_BYTE) return new Uint8Array(rows);
  return highest <= MAX_UINT16 ? new Uint16Array(rows) : new Uint32Array(rows);
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
  const columns = new Map(Array.from(ranked, (name) => [name, new ColumnValues()]));
  const texts = new Map(searched.map((name) => [name, new TextRows()]));
  const ids: number[] = [];

  function add([id, ...values]: ResultRow): void {
    ids.push(id as number);
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      const value = values[i] as Stored;
      columns.get(name)?.add(value);
      texts.get(name)?.add(value as string);
    }
  }

  const { account_id } = selection;
  const snapshot = await store.snapshot();
  try {
    const [[account]] = await snapshot.read(revisionStatement(store.dialect, account_id));
    if (account === undefined) throw new Error(`The account ${account_id} is gone.`);
    for await (const rows of snapshot.rows(columnsStatement(store.dialect, selection, names))) {
      for (const row of rows) add(row);
      if (texts.values().reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) return undefined;
    }
    return shared({
      revision: account[0] as string,
      ids: Float64Array.from(ids),
      columns: Object.fromEntries(
        Array.from(columns, ([name, values]) => [name, values.ranked(valued.has(name))]),
      ),
      texts: Object.fromEntries(Array.from(texts, ([name, rows]) => [name, rows.trigrams()])),
    });
  } finally {
    await snapshot.close();
  }
}
