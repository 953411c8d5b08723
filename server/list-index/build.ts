// Reads one account's list and builds its index, on a worker thread.

import { hasRanges } from '@linecard/client/contract/ranges';
import { revisionStatement } from '../store/lists/heads.ts';
import { columnsStatement, type Selection } from '../store/sql.ts';
import type { ResultRow, Store } from '../store/store.ts';
import { filterColumns, searchColumns, sortColumns, summedColumns, type Table } from '../store/tables.ts';
import { type IndexData, valuedColumnOf } from './index-data.ts';
import { runsOf } from './runs.ts';
import { type IndexColumn, nullRanks } from './sorted-values.ts';
import { TextRows } from './text-rows.ts';
import { postingBytesOf, type Trigrams, trigramsOf } from './trigrams.ts';

/** Columns that are read at a time, from one snapshot. */
const COLUMNS_AT_ONCE = 8;

/** The numbers of a column as they are read, one a row. */
export class NumberRows {
  readonly #numbers: (number | null)[] = [];

  add(number: number | null): void {
    this.#numbers.push(number);
  }

  /** The column by rank, with its values if they are needed. */
  ranked(withValues: boolean): IndexColumn {
    const different = new Set(this.#numbers);
    different.delete(null);
    const values = Float64Array.from(different as Set<number>).sort();
    const rankOf = new Map<number | null, number>();
    for (const [rank, value] of values.entries()) rankOf.set(value, rank);
    const ranks = nullRanks(values.length, this.#numbers.length);
    for (const [row, number] of this.#numbers.entries()) {
      if (number !== null) ranks[row] = rankOf.get(number) as number;
    }
    return { ranks, count: values.length, ...(withValues ? { values } : {}) };
  }
}

/**
 * The columns of an index: which are numbers, which are ranked, which of these keep their values, and which
 * are searched.
 */
function columnsToRead(table: Table) {
  const numbers = new Set(table.columns.flatMap(({ name, type }) => (type === 'bigint' ? [name] : [])));
  const { text, digits } = searchColumns(table);
  const valued = new Set([...filterColumns(table), ...digits, ...summedColumns(table)]);
  const ranked = new Set([...valued, ...sortColumns(table)]);
  const searched = [...text, ...digits];
  return { numbers, valued, ranked, searched, names: [...new Set([...ranked, ...searched])] };
}

type RowsOf = (names: readonly string[]) => AsyncIterable<readonly ResultRow[]>;

/** What is read of some columns, and how many bytes the posting lists of their texts take. */
interface ReadColumns {
  readonly ids: IndexData['ids'];
  readonly columns: Record<string, IndexColumn>;
  readonly texts: Record<string, Trigrams>;
  readonly postingBytes: number;
}

/** Reads some columns; `undefined` if their posting lists would take more than `maxBytes`. */
async function readColumns(
  rowsOf: RowsOf,
  names: readonly string[],
  { numbers, valued, ranked, searched }: ReturnType<typeof columnsToRead>,
  maxBytes: number,
): Promise<ReadColumns | undefined> {
  const columns = new Map(
    names.map((name) => [name, numbers.has(name) ? new NumberRows() : new TextRows()] as const),
  );
  const posted = searched.filter((name) => columns.has(name));
  const postingBytes = () =>
    posted.reduce((sum, name) => sum + postingBytesOf(columns.get(name) as TextRows), 0);
  const ids: number[] = [];
  for await (const rows of rowsOf(names)) {
    for (const [id, ...values] of rows) {
      ids.push(id as number);
      let column = 0;
      for (const one of columns.values()) one.add(values[column++] as never);
    }
    if (postingBytes() > maxBytes) return undefined;
  }
  const built: ReadColumns = {
    ids: Float64Array.from(ids),
    columns: {},
    texts: {},
    postingBytes: postingBytes(),
  };
  for (const [name, rows] of columns) {
    if (ranked.has(name)) built.columns[name] = rows.ranked(valued.has(name));
    if (searched.includes(name)) built.texts[name] = trigramsOf(rows as TextRows);
    // Release what was read before the next columns are read.
    columns.delete(name);
  }
  return built;
}

/**
 * Reads all columns, a few at a time: to rank a column takes several times the memory of the result.
 */
async function readAll(
  rowsOf: RowsOf,
  table: Table,
  maxBytes: number,
): Promise<Omit<IndexData, 'revision'> | undefined> {
  const read = columnsToRead(table);
  const all: ReadColumns[] = [];
  let left = maxBytes;
  for (let i = 0; i < read.names.length; i += COLUMNS_AT_ONCE) {
    const some = await readColumns(rowsOf, read.names.slice(i, i + COLUMNS_AT_ONCE), read, left);
    if (some === undefined) return undefined;
    left -= some.postingBytes;
    all.push(some);
  }
  const built = {
    ids: (all[0] as ReadColumns).ids,
    columns: Object.fromEntries(all.flatMap(({ columns }) => Object.entries(columns))),
    texts: Object.fromEntries(all.flatMap(({ texts }) => Object.entries(texts))),
  };
  const [digits = ''] = searchColumns(table).digits;
  return hasRanges(table.list) ? { ...built, runs: runsOf(valuedColumnOf(built, digits)) } : built;
}

/**
 * The index of all listed rows of an account; `undefined` if the posting lists of its texts alone would take
 * more than `maxBytes`: to build it would take several times as much.
 */
export async function buildIndex(
  store: Store,
  table: Table,
  selection: Selection,
  maxBytes: number,
): Promise<IndexData | undefined> {
  const snapshot = await store.snapshot();
  try {
    const { account_id } = selection;
    const [[account]] = await snapshot.read(revisionStatement(account_id));
    if (account === undefined) throw new Error(`The account ${account_id} is gone.`);
    const rowsOf = (names: readonly string[]) =>
      snapshot.rows(columnsStatement(store.dialect, selection, names));
    const data = await readAll(rowsOf, table, maxBytes);
    return data && { revision: account[0] as string, ...data };
  } finally {
    await snapshot.close();
  }
}
