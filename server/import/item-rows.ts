// The rows of an import on their way into the load of a list: what a row lacks of an item that is there is
// read first, for many rows at a time.

import type { Load, ResultRow } from '../store/store.ts';
import type { RowValues, Table } from '../store/tables.ts';
import type { RowBatch } from './reading.ts';
import { StoredItems } from './stored-items.ts';

type ListBatch = Pick<RowBatch, 'rows' | 'changes' | 'absent' | 'lines'> & {
  readonly ids: readonly number[];
};

/** Is called with a change of an item that is not there, its line, and the item of another account. */
export type OnAbsent = (change: RowValues, line: number, row: ResultRow | undefined) => void;

/** Rows that wait until there are enough to read what is stored of them. */
const emptyPart = () => ({
  ids: [] as number[],
  lines: [] as number[],
  rows: [] as ListBatch['rows'][number][],
  absent: [] as (readonly string[])[],
});

export class ItemRows {
  readonly #load: Load;
  readonly #stored: StoredItems;
  readonly #onAbsent: OnAbsent | undefined;
  #part = emptyPart();

  /** @param onAbsent of a run that changes items that are there. */
  constructor(load: Load, table: Table, onAbsent: OnAbsent | undefined) {
    this.#load = load;
    this.#stored = new StoredItems(table);
    this.#onAbsent = onAbsent;
  }

  accountOf(stored: ResultRow): string {
    return this.#stored.accountOf(stored);
  }

  /** @param isFaulty whether the run has faults, so that no row is stored. */
  async add(batch: ListBatch, isFaulty: boolean): Promise<void> {
    if (this.#onAbsent !== undefined) return this.#addChanges(batch, isFaulty, this.#onAbsent);
    if (isFaulty) {
      await this.end(isFaulty);
      return this.#load.addFaulty(batch.ids, batch.lines);
    }
    // The order of rows that wait is that of the file, and these come after them.
    if (batch.absent.length === 0) {
      await this.end(isFaulty);
      return this.#load.add(batch.rows, batch.lines);
    }
    for (const [i, row] of batch.rows.entries()) {
      this.#part.ids.push(batch.ids[i] as number);
      this.#part.lines.push(batch.lines[i] as number);
      this.#part.rows.push(row);
      this.#part.absent.push(batch.absent[i] as readonly string[]);
      if (this.#part.rows.length >= this.#load.readSize) await this.end(isFaulty);
    }
  }

  /** Adds the rows that wait. */
  async end(isFaulty: boolean): Promise<void> {
    const { ids, lines, rows, absent } = this.#part;
    this.#part = emptyPart();
    if (rows.length === 0) return;
    if (isFaulty) return this.#load.addFaulty(ids, lines);
    const lacking = ids.filter((_, i) => (absent[i] as readonly string[]).length > 0);
    const stored = await this.#load.stored(lacking);
    await this.#load.add(this.#stored.completedRows(stored, rows, absent), lines);
  }

  /**
   * Adds the rows of a batch that has only what changes, in parts of the size that the store reads; what
   * is not there is a fault.
   */
  async #addChanges(batch: ListBatch, isFaulty: boolean, onAbsent: OnAbsent): Promise<void> {
    let isRefused = isFaulty;
    for (let start = 0; start < batch.ids.length; start += this.#load.readSize) {
      const end = start + this.#load.readSize;
      const [ids, lines, changes] = [batch.ids, batch.lines, batch.changes].map((all) =>
        all.slice(start, end),
      ) as [number[], number[], RowValues[]];
      const stored = await this.#load.stored(ids);
      const rows = this.#stored.changedRows(stored, ids, changes, (i, row) => {
        isRefused = true;
        onAbsent(changes[i] as RowValues, lines[i] as number, row);
      });
      await (isRefused ? this.#load.addFaulty(ids, lines) : this.#load.add(rows, lines));
    }
  }
}
