// A column by rank: of each row, which of the column's different values it has.

import type { SortedValues } from './sorted-values.ts';

const MAX_BYTE = 255;
const MAX_UINT16 = 65_535;

/** A column, dictionary-encoded: each row holds the rank of its value among the different values. */
export interface IndexColumn {
  /** Of each row: the rank of its value, or the number of values for `null`. */
  readonly ranks: Uint8Array | Uint16Array | Uint32Array;
  /** How many different values there are. */
  readonly count: number;
  /** The values by rank, where a filter or a facet looks at them. */
  readonly values?: SortedValues;
}

/** The ranks of so many rows, all `null` so far, each in as few bytes as the highest takes. */
export function nullRanks(count: number, rows: number): IndexColumn['ranks'] {
  const fits = count <= MAX_BYTE ? Uint8Array : count <= MAX_UINT16 ? Uint16Array : Uint32Array;
  return new fits(rows).fill(count);
}
