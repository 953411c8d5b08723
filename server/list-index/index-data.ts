// What an index holds: the columns of one account's list by rank, and the posting lists of the texts that are
// searched. All of it is typed arrays.

import type { Stored } from '../store/tables.ts';
import type { Runs } from './runs.ts';
import { type IndexColumn, type SortedValues, valueAt } from './sorted-values.ts';
import type { Trigrams } from './trigrams.ts';

export interface IndexData {
  readonly revision: string;
  /** Ascending: the row number of an id is its position here. */
  readonly ids: Float64Array;
  readonly columns: Readonly<Record<string, IndexColumn>>;
  /** Of each column that is searched. */
  readonly texts: Readonly<Record<string, Trigrams>>;
  /** Of a list whose numbers have ranges. */
  readonly runs?: Runs | undefined;
}

/** A set of rows: one byte a row, 1 where it is in the set. Bytes are faster to combine than bits. */
export type Bitmap = Uint8Array;

export function columnOf({ columns }: Pick<IndexData, 'columns'>, name: string): IndexColumn {
  const column = columns[name];
  if (column === undefined) throw new Error(`The index has no column ${name}.`);
  return column;
}

/** A column whose values are known. */
export function valuedColumnOf(
  data: Pick<IndexData, 'columns'>,
  name: string,
): IndexColumn & { readonly values: SortedValues } {
  const { values, ...column } = columnOf(data, name);
  if (values === undefined) throw new Error(`The index has no values of ${name}.`);
  return { ...column, values };
}

/** All different values of a column, by rank. */
export function valuesOf({ count, values }: ReturnType<typeof valuedColumnOf>): Stored[] {
  return Array.from({ length: count }, (_, rank) => valueAt(values, rank));
}

function arraysOf(value: unknown): ArrayBufferView<ArrayBuffer>[] {
  if (typeof value !== 'object' || value === null) return [];
  return ArrayBuffer.isView(value)
    ? [value as ArrayBufferView<ArrayBuffer>]
    : Object.values(value).flatMap(arraysOf);
}

/** The memory of all arrays of an index, to move it to another thread; none where there is no index. */
export function buffersOf(data: IndexData | undefined): ArrayBuffer[] {
  return [...new Set(arraysOf(data).map(({ buffer }) => buffer))];
}

export function bytesOf(data: IndexData): number {
  return arraysOf(data).reduce((sum, { byteLength }) => sum + byteLength, 0);
}
