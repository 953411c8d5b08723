// The rows that an import finds stored, and how they differ from the incoming ones.

import { RowEvents } from '../events.ts';
import type { ResultRow } from '../store.ts';
import { comparedColumns, type Stored, sourceColumns, storedColumns, type Table } from '../tables.ts';
import type { statementsFor } from './load-statements.ts';

/**
 * A stored row: whether it is listed, whether it is the same as the incoming one, and the events if it is not
 * and stays on its account.
 */
interface FoundRow {
  readonly account_id: string;
  readonly listed: boolean;
  readonly same: boolean;
  readonly what: number;
}

type Statements = ReturnType<typeof statementsFor>['compare'];

/** The positions of the values that a row is compared by, and of those that show whether it is listed. */
interface Positions {
  readonly item: number;
  /** Without the id and the item. */
  readonly compared: readonly number[];
  readonly only: readonly (readonly [position: number, value: string])[];
}

function positionsIn(columns: readonly string[], table: Table): Positions {
  return {
    item: columns.indexOf('item'),
    compared: comparedColumns(table)
      .filter((name) => name !== 'id' && name !== 'item')
      .map((name) => columns.indexOf(name)),
    only: Object.entries(table.list.only).map(([name, value]) => [columns.indexOf(name), value]),
  };
}

const isListed = (row: readonly Stored[], { only }: Positions) =>
  only.every(([position, value]) => row[position] === value);

export class StoredRows {
  readonly #sql: Statements;
  /** In an incoming row, and in one that was read. */
  readonly #incoming: Positions;
  readonly #stored: Positions;
  readonly #events: RowEvents;
  /**
   * The rows that were read last; they stay valid until written, which is once, because no id comes twice.
   */
  #read: ReadonlyMap<number, ResultRow> = new Map();

  constructor(table: Table, statements: Statements) {
    const [incoming, stored] = [storedColumns(table), sourceColumns(table)];
    this.#sql = statements;
    this.#incoming = positionsIn(incoming, table);
    this.#stored = positionsIn(stored, table);
    this.#events = new RowEvents(table, stored, incoming);
  }

  /** The rows of these ids, cached until others are read. */
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

  added(row: readonly Stored[]): number {
    return this.#events.added(row);
  }

  /** What people know a stored item by. */
  labelOf(id: number): string {
    return String(this.#sql.label.get(id)?.['label']);
  }

  /** What is stored under the row's id, where it was read last. */
  known(row: readonly Stored[]): FoundRow | undefined {
    const stored = this.#read.get(row[0] as number);
    return stored && this.#found(row, stored, stored[this.#stored.item] === row[this.#incoming.item]);
  }

  find(row: readonly Stored[]): FoundRow | undefined {
    const [id, item] = [row[0], row[this.#incoming.item]] as [number, string];
    const stored = this.#sql.row.get(id, item) as unknown as ResultRow | undefined;
    return stored && this.#found(row, stored, stored[this.#stored.item] === 1);
  }

  #found(row: readonly Stored[], stored: ResultRow, isSameItem: boolean): FoundRow {
    const { compared } = this.#incoming;
    let same = isSameItem;
    for (let i = 0; same && i < compared.length; i++)
      same = stored[this.#stored.compared[i] as number] === row[compared[i] as number];
    const what = same ? 0 : this.#events.changed(stored, row);
    return { account_id: stored[1] as string, listed: isListed(stored, this.#stored), same, what };
  }
}
