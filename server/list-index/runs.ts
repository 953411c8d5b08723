// The rows of an index in the order of their numbers, and which numbers follow each other: what ranges are
// read from.

import { followsNumber } from '@linecard/client/contract/ranges';
import { type IndexColumn, type SortedValues, valueAt } from './sorted-values.ts';

export interface Runs {
  /** By the length of the digits, then by digits, then by row. */
  readonly rows: Uint32Array;
  /** How far the number of each of them is from the one before it: one of `STEPS`. */
  readonly steps: Uint8Array;
}

/** `APART`: the two are of no one range. */
export const STEPS = { SAME: 0, NEXT: 1, APART: 2 } as const;

/** The ranks of digits by length, then by rank. */
function ranksByLength(digits: readonly string[]): number[] {
  const ranks = Map.groupBy(digits.keys(), (rank) => (digits[rank] as string).length);
  const lengths = [...ranks.keys()].sort((a, b) => a - b);
  return lengths.flatMap((length) => ranks.get(length) as number[]);
}

/** The runs of a column of digits that has no `null`. */
export function runsOf({ ranks, count, values }: IndexColumn & { readonly values: SortedValues }): Runs {
  const digits = Array.from({ length: count }, (_, rank) => valueAt(values, rank) as string);
  const byLength = ranksByLength(digits);
  // The position of the next row of each rank.
  const next = new Uint32Array(count);
  for (const rank of ranks) next[rank] = (next[rank] as number) + 1;
  let position = 0;
  for (const rank of byLength) [next[rank], position] = [position, position + (next[rank] as number)];
  const [rows, steps] = [new Uint32Array(ranks.length), new Uint8Array(ranks.length)];
  for (const [row, rank] of ranks.entries()) {
    const at = next[rank] as number;
    const number = digits[rank] as string;
    // Two that are a range each are apart even if they are the same.
    [rows[at], steps[at], next[rank]] = [
      row,
      followsNumber(number, number) ? STEPS.SAME : STEPS.APART,
      at + 1,
    ];
  }
  // `next` is now the position after the last row of each rank, where the following rank begins.
  for (let [i, first, before] = [0, 0, '']; i < count; i++) {
    const rank = byLength[i] as number;
    const number = digits[rank] as string;
    steps[first] = followsNumber(before, number) ? STEPS.NEXT : STEPS.APART;
    [first, before] = [next[rank] as number, number];
  }
  return { rows, steps };
}
