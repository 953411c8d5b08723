// Rows of an import that name an account which was deleted: each is a fault, or they are left out and
// counted. Those of one that was renamed are always faults: its customer would lose them.

import { endText } from '../store/access/deleted-accounts.ts';
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

interface End {
  readonly at: string;
  readonly renamed_to: string | null;
}

export class DeletedRows {
  readonly #ends: ReadonlyMap<string, End>;
  readonly #options: Options;
  /** How many rows were left out. */
  skipped = 0;

  /** @param deleted the rows of `deletedStatement`. */
  constructor(deleted: readonly (readonly unknown[])[], options: Options) {
    const ends = deleted as readonly (readonly [id: string, at: string, renamed_to: string | null])[];
    this.#ends = new Map(ends.map(([id, at, renamed_to]) => [id, { at, renamed_to }]));
    this.#options = options;
  }

  /** The rows without those; `report` gets what is wrong with each, unless they are to be left out. */
  remaining<R extends Rows>(batch: R, report: (line: number, fault: string) => void): R {
    if (this.#ends.size === 0) return batch;
    const accounts =
      batch.rows.length > 0
        ? batch.rows.map((row) => row[this.#options.position])
        : batch.changes.map(({ account_id }) => account_id);
    const ends = accounts.map((account) => this.#endOf(account));
    if (ends.every((end) => end === undefined)) return batch;
    const remains = <T>(all: readonly T[]) => all.filter((_, i) => ends[i] === undefined);
    for (const [i, end] of ends.entries())
      if (end?.renamed_to === null && this.#options.skips === true) this.skipped += 1;
      else if (end !== undefined) report(batch.lines[i] as number, faultOf(String(accounts[i]), end));
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

  #endOf(account: unknown): End | undefined {
    const { mayWrite } = this.#options;
    if (typeof account !== 'string' || mayWrite?.(account) === false) return undefined;
    return this.#ends.get(account);
  }
}

function faultOf(account: string, { at, renamed_to }: End): string {
  const how =
    renamed_to === null
      ? 'Leave its rows out, as --skip-deleted does, or create it again'
      : 'Write the new id into its rows. Only for another customer with the old id, create that account';
  const end = endText(at, renamed_to, quoted);
  return `${quoted(account)} ${end}. ${how}: linecard-server account create ${account}`;
}
