// The different values of a column in their order: a dictionary that is packed so that all threads can share
// it. A value's rank is its position in it. It must not know of rows.

import { lowerBound } from './binary-search.ts';

/** Numbers, or texts by code points: their UTF-8 laid end to end, and where each ends. */
export type SortedValues = Float64Array | { readonly bytes: Uint8Array; readonly ends: Uint32Array };

/** The value of a rank. */
export function valueAt(values: SortedValues, rank: number): string | number {
  if (values instanceof Float64Array) return values[rank] as number;
  const { bytes, ends } = values;
  return Buffer.from(bytes.buffer).toString('utf8', ends[rank - 1] ?? 0, ends[rank]);
}

function comparison(values: SortedValues, value: string | number): (rank: number) => number {
  if (values instanceof Float64Array) return (rank) => (values[rank] as number) - Number(value);
  const { bytes, ends } = values;
  const wanted = Buffer.from(String(value));
  return (rank) => Buffer.compare(bytes.subarray(ends[rank - 1] ?? 0, ends[rank]), wanted);
}

/** How many of the values come before one, and whether it is among them. */
export function rankOf(values: SortedValues, value: string | number): { rank: number; found: boolean } {
  const compare = comparison(values, value);
  const count = values instanceof Float64Array ? values.length : values.ends.length;
  const rank = lowerBound(0, count, (other) => compare(other) < 0);
  return { rank, found: rank < count && compare(rank) === 0 };
}
