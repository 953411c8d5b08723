// Reads one account's list and makes its index: what list-index.ts looks at, on the thread that has the time.

import { summedFields } from '@linecard/client/contract/facets';
import { selectionOf } from '../lists/plan.ts';
import { columnsStatement, revisionStatement } from '../store/sql.ts';
import type { Row, Store } from '../store/store.ts';
import { filterColumns, type Stored, searchColumns, sortColumns, type Table } from '../store/tables.ts';
import type { IndexColumn, IndexData } from './list-index.ts';
import { packValues, sortValues } from './sorted-values.ts';
import { TextRows } from './trigrams.ts';

const NULL_CODE = 0;
const MAX_RANK_OF_A_BYTE = 255;
const MAX_RANK_OF_TWO_BYTES = 65_535;

/** The values of a column as they come: each different one has a code until all are known. */
class ColumnValues {
  readonly #codes = new Map<string | number, number>();
  #of_rows = new Uint32Array(4_096);
  #rows = 0;

  add(value: Stored): void {
    let code = value === null ? NULL_CODE : this.#codes.get(value);
    if (code === undefined) {
      code = this.#codes.size + 1;
      this.#codes.set(value as string | number, code);
    }
    if (this.#rows === this.#of_rows.length) {
      const larger = new Uint32Array(2 * this.#rows);
      larger.set(this.#of_rows);
      this.#of_rows = larger;
    }
    this.#of_rows[this.#rows++] = code;
  }

  /** The column by ranks, with its values where they are asked for. */
  ranked(with_values: boolean): IndexColumn {
    const values = Array.from(this.#codes.keys());
    sortValues(values);
    const count = values.length;
    const rank_of_code = new Uint32Array(count + 1);
    rank_of_code[NULL_CODE] = count;
    for (const [rank, value] of values.entries()) rank_of_code[this.#codes.get(value) as number] = rank;
    const ranks = ranksFor(count, this.#rows);
    for (let row = 0; row < this.#rows; row++) {
      ranks[row] = rank_of_code[this.#of_rows[row] as number] as number;
    }
    return { ranks, count, ...(with_values ? { values: packValues(values) } : {}) };
  }
}

/** As many ranks as there are rows, each in as few bytes as the highest takes. */
function ranksFor(highest: number, rows: number): IndexColumn['ranks'] {
  if (highest <= MAX_RANK_OF_A_BYTE) return new Uint8Array(rows);
  return highest <= MAX_RANK_OF_TWO_BYTES ? new Uint16Array(rows) : new Uint32Array(rows);
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

/**
 * The index of an account's list as it is now; `undefined` where its texts alone would take more bytes: making it would
 * take several times as much.
 * @throws {StoreUnavailable}
 */
export async function buildIndex(
  store: Store,
  table: Table,
  account_id: string,
  max_bytes: number,
): Promise<IndexData | undefined> {
  const told = [...filterColumns(table), ...summedFields(table.list)];
  const ranked = [...new Set([...told, ...sortColumns(table)])];
  const { text, digits } = searchColumns(table.list);
  const searched = [...text, ...digits];
  const names = [...new Set([...ranked, ...searched])];
  const columns = new Map(ranked.map((name) => [name, new ColumnValues()]));
  const texts = new Map(searched.map((name) => [name, new TextRows()]));
  const ids: number[] = [];

  function add([id, ...values]: Row): void {
    ids.push(id as number);
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      const value = values[i] as Stored;
      columns.get(name)?.add(value);
      texts.get(name)?.add(value as string);
    }
  }

  const selection = selectionOf(table, account_id, { filters: [] });
  const snapshot = await store.snapshot();
  try {
    const [[account]] = await snapshot.read(revisionStatement(store.dialect, account_id));
    if (account === undefined) throw new Error(`The account ${account_id} is gone.`);
    for await (const rows of snapshot.rows(columnsStatement(store.dialect, selection, names))) {
      for (const row of rows) add(row);
      if (texts.values().reduce((sum, { bytes }) => sum + bytes, 0) > max_bytes) return undefined;
    }
    const made: Record<string, IndexColumn> = {};
    for (const [name, values] of columns) {
      made[name] = values.ranked(told.includes(name));
    }
    return shared({
      revision: account[0] as string,
      ids: Float64Array.from(ids),
      columns: made,
      texts: Object.fromEntries(Array.from(texts, ([name, rows]) => [name, rows.trigrams()])),
    });
  } finally {
    await snapshot.close();
  }
}
