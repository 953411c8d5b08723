// The rows that an import finds stored: what it has read of them, and how they differ from those that come.
// It must not know what becomes of them.

import type { StatementSync } from 'node:sqlite';
import type { ResultRow } from '../store.ts';
import { type Stored, storedColumns, type Table } from '../tables.ts';
import { comparedColumns } from './load-statements.ts';

/** A row that is stored: whether it is listed, and is the same as the one that came. */
interface FoundRow {
  readonly account_id: string;
  readonly listed: boolean;
  readonly same: boolean;
}

interface Statements {
  /** All values of the row of an id. */
  readonly stored: StatementSync;
  /** One row `[account, listed, same]`, where there is one of the id. */
  readonly compare: StatementSync;
}

export class StoredRows {
  readonly #sql: Statements;
  /** Where the values of a row are that it is compared by. */
  readonly #compared: readonly number[];
  /** Where the values of a row show whether it is listed. */
  readonly #only: readonly (readonly [position: number, value: string])[];
  /** The rows that were read last, as they are until they are written: once, because no id comes twice. */
  #read: ReadonlyMap<number, ResultRow> = new Map();

  constructor(table: Table, statements: Statements) {
    const columns = storedColumns(table);
    this.#sql = statements;
    this.#compared = comparedColumns(table).map((name) => columns.indexOf(name));
    this.#only = Object.entries(table.list.only).map(([name, value]) => [columns.indexOf(name), value]);
  }

  /** The rows of these ids, which are known until others are read. */
  read(ids: readonly number[]): ResultRow[] {
    const rows = ids
      .map((id) => this.#sql.stored.get(id) as unknown as ResultRow | undefined)
      .filter((row) => row !== undefined);
    this.#read = new Map(rows.map((row) => [row[0] as number, row]));
    return rows;
  }

  isListed(row: readonly Stored[]): boolean {
    return this.#only.every(([position, value]) => row[position] === value);
  }

  /** What is stored under the row's id, where it was read last. */
  known(row: readonly Stored[]): FoundRow | undefined {
    const stored = this.#read.get(row[0] as number);
    if (stored === undefined) return undefined;
    const same = this.#compared.every((position) => stored[position] === row[position]);
    return { account_id: stored[1] as string, listed: this.isListed(stored), same };
  }

  /** What is stored under the row's id. */
  find(row: readonly Stored[]): FoundRow | undefined {
    const values = this.#compared.map((position) => row[position] as Stored);
    const found = this.#sql.compare.get(...values) as unknown as [string, number, number] | undefined;
    return found && { account_id: found[0], listed: found[1] === 1, same: found[2] === 1 };
  }
}
