// A snapshot of a SQLite file, on a connection of its own until its last reader closes it. Readers share it:
// what costs memory and descriptors is the connection, not another statement on it.

import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Statement } from '../sql.ts';
import type { ResultRow, Snapshot } from '../store.ts';
import { ForeignRows } from '../store-errors.ts';
import type { Stored } from '../tables.ts';
import { readFault } from './errors.ts';
import { allRows, bindable, prepared } from './migrate.ts';
import { attachTokens } from './tokens-file.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

declare module 'node:sqlite' {
  interface StatementSync {
    /** Frees what the collector does not know the size of. */
    close(): void;
  }
}

/** A stream reads each page once, so it needs little of a cache. */
const CACHE_KIB = 1_024;
const BUSY_MILLISECONDS = 5_000;
/** A shorter log is left to the next writer. */
const LONG_LOG_BYTES = 16_777_216;
/** A slow reader has little waiting for it: many may be reading. Fewer rows cost a tenth of the speed. */
const READ_ROWS = 16;

/**
 * Takes the owner off a row. The entry of an index that is damaged may lead to another row than it says.
 * @throws {ForeignRows}
 */
function guard(row: ResultRow, owner: string): void {
  if ((row as Stored[]).shift() === owner) return;
  throw new ForeignRows(
    'An index of the database file leads to a row of another account. Bring back a backup with linecard-server restore.',
  );
}

export function rowsOf(
  statement: StatementSync,
  { values, owner }: Pick<Statement, 'values' | 'owner'>,
): ResultRow[] {
  const rows = allRows(statement, ...values.map(bindable));
  if (owner !== undefined) for (const row of rows) guard(row, owner.value);
  return rows;
}

/** Truncates the log that has grown while a snapshot of the file was open, because its writer could not. */
async function truncateLog(path: string): Promise<void> {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) < LONG_LOG_BYTES) return;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    const log = new WriteAheadLog(database, path);
    await log.truncate();
    await log.settled();
  } catch {
    // The file may be one that this user cannot write.
  } finally {
    database?.close();
  }
}

export class SharedSnapshot {
  readonly #path: string;
  /** Tokens are attached when they are first read: no list needs them. */
  #hasTokens = false;
  readonly #database: DatabaseSync;
  readonly #readers = new Set<Snapshot>();

  /** The file as it is now. */
  constructor(path: string) {
    this.#path = path;
    this.#database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MILLISECONDS });
    try {
      this.#database.exec(`pragma cache_size = -${CACHE_KIB}; begin`);
      // The snapshot is taken by the first read.
      this.#database.exec('select 1 from deployment');
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  /** A reader of it; the last one to be closed closes the connection. */
  reader(): Snapshot {
    const reader: Snapshot = {
      read: (...statements) => statements.map((one) => this.#read(one)) as never,
      rows: (statement) => this.#rows(statement) as AsyncIterable<never>,
      close: async () => {
        if (!this.#readers.delete(reader) || this.#readers.size > 0) return;
        this.#database.close();
        void truncateLog(this.#path);
      },
    };
    this.#readers.add(reader);
    return reader;
  }

  #read(one: Statement): ResultRow[] {
    const statement = this.#prepared(one);
    try {
      return rowsOf(statement, one);
    } catch (error) {
      throw readFault(error);
    } finally {
      statement.close();
    }
  }

  async *#rows(one: Statement): AsyncGenerator<ResultRow[]> {
    const statement = this.#prepared(one);
    const each = statement.iterate(...one.values.map(bindable)) as Iterable<unknown> as Iterable<ResultRow>;
    try {
      let batch: ResultRow[] = [];
      for (const row of each) {
        if (one.owner !== undefined) guard(row, one.owner.value);
        if (batch.push(row) < READ_ROWS) continue;
        yield batch;
        batch = [];
      }
      yield batch;
    } catch (error) {
      throw readFault(error);
    } finally {
      statement.close();
    }
  }

  #prepared({ text, separate }: Statement): StatementSync {
    if (separate && !this.#hasTokens) {
      attachTokens(this.#database, this.#path);
      this.#hasTokens = true;
    }
    return prepared(this.#database, text);
  }
}
