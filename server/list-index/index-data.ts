// What an index holds: the columns of one account's list by rank, and the posting lists of the texts that are
// searched. All of it is typed arrays in memory that all threads share. It must not know how it is made or
// searched.

import type { SortedValues } from './sorted-values.ts';
import type { Trigrams } from './trigrams.ts';

/** A column, dictionary-encoded: each row holds the rank of its value among the different values. */
export interface IndexColumn {
  /** Of each row: the rank of its value, or the number of values for `null`. */
  readonly ranks: Uint8Array | Uint16Array | Uint32Array;
  /** How many different values there are. */
  readonly count: number;
  /** The values by rank, where a filter or a facet looks at them. */
  readonly values?: SortedValues;
}

export interface IndexData {
  readonly revision: string;
  /** Ascending: the row number of an id is its position here. */
  readonly ids: Float64Array;
  readonly columns: Readonly<Record<string, IndexColumn>>;
  /** Of each column that is searched. */
  readonly texts: Readonly<Record<string, Trigrams>>;
}

/** A set of rows: one byte a row, 1 where it is in the set. Bytes are faster to combine than bits. */
export type Bitmap = Uint8Array;

export function columnOf({ columns }: IndexData, name: string): IndexColumn {
  const column = columns[name];
  if (column === undefined) throw new Error(`The index has no column ${name}.`);
  return column;
}

/** A column whose values are known. */
export function valuedColumnOf(
  data: IndexData,
  name: string,
): IndexColumn & { readonly values: SortedValues } {
  const { values, ...column } = columnOf(data, name);
  if (values === undefined) throw new Error(`The index has no values of ${name}.`);
  return { ...column, values };
}
