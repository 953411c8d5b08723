// One moment of a SQLite file, kept on a connection of its own for as long as anybody looks at it. Several may: what costs
// memory and descriptors is the connection, not another statement on it.

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Bound, Statement } from '../sql.ts';
import type { Row, RowsOf, Snapshot } from '../store.ts';

/** A stream reads each page once, so it needs little of a cache. */
const CACHE_KIB = 1_024;
const BUSY_MILLISECONDS = 5_000;
/** What waits for a slow reader is kept small: many may be reading. */
const ROWS_AT_ONCE = 4;

export function bindable(value: Bound): string | number | null {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** A statement that gives its rows as arrays. */
export function prepared(database: DatabaseSync, text: string): StatementSync {
  const statement = database.prepare(text);
  statement.setReturnArrays(true);
  return statement;
}

export function rowsOf(statement: StatementSync, values: readonly Bound[]): Row[] {
  return statement.all(...values.map(bindable)) as unknown as Row[];
}

class SqliteSnapshot implements Snapshot {
  readonly #database: DatabaseSync;
  readonly #leave: () => void;

  constructor(database: DatabaseSync, leave: () => void) {
    this.#database = database;
    this.#leave = leave;
  }

  read<const S extends readonly Statement[]>(...statements: S): RowsOf<S> {
    return statements.map(({ text, values }) => rowsOf(prepared(this.#database, text), values)) as RowsOf<S>;
  }

  async *rows({ text, values }: Statement): AsyncGenerator<Row[]> {
    const statement = prepared(this.#database, text);
    let batch: Row[] = [];
    for (const row of statement.iterate(...values.map(bindable)) as Iterable<unknown> as Iterable<Row>) {
      if (batch.push(row) < ROWS_AT_ONCE) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }

  async close(): Promise<void> {
    this.#leave();
  }
}

export class SqliteMoment {
  readonly #database: DatabaseSync;
  readonly #looking = new Set<SqliteSnapshot>();

  /** The file as it is now. */
  constructor(path: string) {
    this.#database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MILLISECONDS });
    try {
      this.#database.exec(`pragma cache_size = -${CACHE_KIB}; begin`);
      // The moment is that of the first read.
      this.#database.exec('select 1 from deployment');
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  /** A look at it; the last one to be closed closes the connection. */
  look(): Snapshot {
    const snapshot: SqliteSnapshot = new SqliteSnapshot(this.#database, () => {
      if (this.#looking.delete(snapshot) && this.#looking.size === 0) this.#database.close();
    });
    this.#looking.add(snapshot);
    return snapshot;
  }
}
