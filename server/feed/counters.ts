// What a process that feeds again and again has done so far, by list.

import type { ImportSummary } from '../import/run.ts';

export interface FeedCount {
  /** Imports that were committed, and those that were not. */
  readonly imported: number;
  readonly failed: number;
  /** Rows that were read in the imports that were committed. */
  readonly rows: number;
}

const NONE: FeedCount = { imported: 0, failed: 0, rows: 0 };

export class FeedCounters {
  readonly #lists = new Map<string, FeedCount>();

  /** By the name of the list, as `virtual_numbers`. */
  get lists(): ReadonlyMap<string, FeedCount> {
    return this.#lists;
  }

  imported(list: string, { rows }: ImportSummary): void {
    const before = this.#lists.get(list) ?? NONE;
    this.#lists.set(list, { ...before, imported: before.imported + 1, rows: before.rows + rows });
  }

  failed(list: string): void {
    const before = this.#lists.get(list) ?? NONE;
    this.#lists.set(list, { ...before, failed: before.failed + 1 });
  }

  /** Over all lists, for the last line of the process. */
  get total(): FeedCount {
    return [...this.#lists.values()].reduce(
      (sum, one) => ({
        imported: sum.imported + one.imported,
        failed: sum.failed + one.failed,
        rows: sum.rows + one.rows,
      }),
      NONE,
    );
  }
}
