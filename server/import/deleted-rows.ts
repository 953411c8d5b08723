// Rows of an import that name an account which was deleted: each is a fault, or they are left out and
// counted.

import type { RowBatch } from './reading.ts';
import { quoted } from './values.ts';

type Rows = Pick<RowBatch, 'rows' | 'changes' | 'absent' | 'ids' | 'lines'>;

interface Options {
  /** Where a row has its account. */
  readonly position: number;
  /** Whether the rows are left out. */
  readonly skips: boolean | undefined;
  /** Whether the sender may learn of an account. */
  readonly mayWrite: ((account_id: string) => boolean) | undefined;
}

export class DeletedRows {
  readonly #deletedAt: ReadonlyMap<string, string>;
  readonly #options: Options;
  /** How many rows were left out. */
  skipped = 0;

  /** @param deleted the rows of `deletedStatement`. */
  constructor(deleted: readonly (readonly unknown[])[], options: Options) {
    this.#deletedAt = new Map(deleted.map(([id, at]) => [String(id), String(at)]));
    this.#options = options;
  }

  /** The rows without those; `report` gets what is wrong with each, unless they are to be left out. */
  remaining<R extends Rows>(batch: R, report: (line: number, fault: string) => void): R {
    if (this.#deletedAt.size === 0) return batch;
    const accounts =
      batch.rows.length > 0
        ? batch.rows.map((row) => row[this.#options.position])
        : batch.changes.map(({ account_id }) => account_id);
    const isOf = accounts.map((account) => this.#deletionOf(account));
    if (isOf.every((at) => at === undefined)) return batch;
    const remains = <T>(all: readonly T[]) => all.filter((_, i) => isOf[i] === undefined);
    if (this.#options.skips === true) this.skipped += isOf.length - remains(isOf).length;
    else
      for (const [i, at] of isOf.entries())
        if (at !== undefined) report(batch.lines[i] as number, faultOf(String(accounts[i]), at));
    const { rows, changes, absent, ids, lines } = batch;
    return {
      ...batch,
      rows: remains(rows),
      changes: remains(changes),
      absent: remains(absent),
      ids: remains(ids),
      lines: remains(lines),
    };
  }

  #deletionOf(account: unknown): string | undefined {
    const { mayWrite } = this.#options;
    if (typeof account !== 'string' || mayWrite?.(account) === false) return undefined;
    return this.#deletedAt.get(account);
  }
}

const faultOf = (account: string, at: string) =>
  `${quoted(account)} was deleted on ${at.slice(0, 'YYYY-MM-DD'.length)}. Leave its rows out, as --skip-deleted does, or create it again: linecard-server account create ${account}`;
