// Whether a run does more to the items of a list than it may: moves, changes and removals.

import type { ExampledColumns } from '../store/load-summary.ts';
import type { Load } from '../store/store.ts';
import type { Table } from '../store/tables.ts';
import { ImportRejected } from './faults.ts';
import { type ImportJob, type ImportMode, type ImportSummary, modeOf } from './job.ts';
import {
  changesFault,
  exceededColumns,
  limitedColumns,
  limitedColumnsFault,
  movesFault,
  removalFault,
} from './size-limits.ts';

/** Which items that no row names are removed. */
export const REMOVED_OTHERS = {
  insert: 'none',
  update: 'none',
  replace: 'named',
  'replace-all': 'all',
} as const satisfies Record<ImportMode, 'none' | 'named' | 'all'>;

export class RunLimits {
  readonly #job: ImportJob;
  readonly #columns: ReturnType<typeof limitedColumns>;

  /** @throws {ImportRejected} when a limit is of a column that the list does not have. */
  constructor(job: ImportJob, table: Table) {
    const fault = limitedColumnsFault(table, job.max_changed);
    if (fault !== undefined) throw new ImportRejected(fault);
    this.#job = job;
    this.#columns = limitedColumns(table.list.fields, job.max_changed);
  }

  /** A dry run shows how each column changes, and a refusal the columns that are at fault. */
  readonly exampled: ExampledColumns = (changed, of) =>
    this.#job.dry_run === true
      ? Object.keys(changed)
      : exceededColumns({ changed, of, limits: this.#columns });

  /** Why it does more than it may; `undefined` where it does not. */
  async fault(load: Load, summary: ImportSummary): Promise<string | undefined> {
    const { rows, moved, removed, updated, unchanged } = summary;
    const { max_moved, max_removed, dry_run, provenance } = this.#job;
    // A dry run shows it already, and a watched folder has none.
    const canTry = dry_run !== true && provenance?.origin !== 'watch';
    const fault =
      movesFault({ items: moved, of: rows, limit: max_moved, canTry }) ??
      changesFault({ ...summary, of: updated + unchanged, limits: this.#columns, canTry });
    const others = REMOVED_OTHERS[modeOf(this.#job)];
    const mayRemoveAll = others === 'none' && max_removed === undefined;
    if (fault !== undefined || mayRemoveAll || removed + moved === 0) return fault;
    const { items: of, movedOut } = await load.before(others === 'all' ? 'all' : 'named');
    return removalFault({ items: removed, of, movedOut, limit: max_removed, canTry });
  }
}
