// Sums of charges, in two parts: whole units and millionths, because a sum of many charges can be more
// millionths than an integer holds.

import { chargeText } from '@linecard/client/contract/charge';
import type { Stored } from '../store/tables.ts';

export const MILLIONTHS = 1_000_000;

/** `[whole, millionths]` of a column, as SQL. */
export function sumColumns(column: string, filter = ''): string {
  return `sum(${column} / ${MILLIONTHS})${filter}, sum(${column} % ${MILLIONTHS})${filter}`;
}

export function inMillionths(whole: Stored | undefined, millionths: Stored | undefined): bigint {
  return BigInt(whole ?? 0) * BigInt(MILLIONTHS) + BigInt(millionths ?? 0);
}

/** The decimal text of a sum in its two parts; nothing sums to 0. */
export function sumText([whole, millionths]: readonly Stored[]): string {
  return chargeText(inMillionths(whole, millionths));
}

/** Sums and counts, by a number from 0 to below `size`. */
export class Sums {
  readonly counts: Uint32Array;
  readonly whole: Float64Array;
  readonly millionths: Float64Array;

  constructor(size: number) {
    this.counts = new Uint32Array(size);
    this.whole = new Float64Array(size);
    this.millionths = new Float64Array(size);
  }

  add(at: number, charge: number): void {
    this.counts[at] = (this.counts[at] as number) + 1;
    this.whole[at] = (this.whole[at] as number) + Math.trunc(charge / MILLIONTHS);
    this.millionths[at] = (this.millionths[at] as number) + (charge % MILLIONTHS);
  }

  of(at: number): [count: number, whole: number, millionths: number] {
    return [this.counts[at] as number, this.whole[at] as number, this.millionths[at] as number];
  }
}
