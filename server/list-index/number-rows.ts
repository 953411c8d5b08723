// The numbers of a column as they are read, one a row.

import { type IndexColumn, nullRanks } from './ranks.ts';

export class NumberRows {
  readonly #numbers: (number | null)[] = [];

  add(number: number | null): void {
    this.#numbers.push(number);
  }

  /** The column by rank, with its values where they are wanted. */
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
