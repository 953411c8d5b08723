// The rows that an import finds stored: what it has read of them, and how they differ from those that come.

import type { StatementSync } from 'node:sqlite';
import type { ResultRow } from '../store.ts';
import { comparedColumns, type Stored, sourceColumns, storedColumns, type Table } from '../tables.ts';

/** A row that is stored: whether it is listed, and is the same as the one that came. */
interface FoundRow {
  readonly account_id: string;
  readonly listed: boolean;
  readonly same: boolean;
}

interface Statements {
  /** The row of an id, its values as `sourceColumns` names them. */
  readonly stored: StatementSync;
  /** One row `[account, listed, same]`, where there is one of the id. */
  readonly compare: StatementSync;
}

/** Where a row has the values that it is compared by, and those that show whether it is listed. */
interface Positions {
  readonly compared: readonly number[];
  readonly only: readonly (readonly [position: number, value: string])[];
}

function positionsIn(columns: readonly string[], table: Table): Positions {
  return {
    compared: comparedColumns(table).map((name) => columns.indexOf(name)),
    only: Object.entries(table.list.only).map(([name, value]) => [columns.indexOf(name), value]),
  };
}

const isListed = (row: readonly Stored[], { only }: Positions) =>
  only.every(([position, value]) => row[position] === value);

export class StoredRows {
  readonly #sql: Statements;
  /** In a row that comes, and in one that was read. */
  readonly #incoming: Positions;
  readonly #stored: Positions;
  /** The rows that were read last, as they are until they are written: once, because no id comes twice. */
  #read: ReadonlyMap<number, ResultRow> = new Map();

  constructor(table: Table, statements: Statements) {
    this.#sql = statements;
    this.#incoming = positionsIn(storedColumns(table), table);
    this.#stored = positionsIn(sourceColumns(table), table);
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
    return isListed(row, this.#incoming);
  }

  /** What is stored under the row's id, where it was read last. */
  known(row: readonly Stored[]): FoundRow | undefined {
    const stored = this.#read.get(row[0] as number);
    if (stored === undefined) return undefined;
    const came = this.#incoming.compared;
    const same = this.#stored.compared.every((position, i) => stored[position] === row[came[i] as number]);
    return { account_id: stored[1] as string, listed: isListed(stored, this.#stored), same };
  }

  /** What is stored under the row's id. */
  find(row: readonly Stored[]): FoundRow | undefined {
    const values = this.#incoming.compared.map((position) => row[position] as Stored);
    const found = this.#sql.compare.get(...values) as unknown as [string, number, number] | undefined;
    return found && { account_id: found[0], listed: found[1] === 1, same: found[2] === 1 };
  }
}
