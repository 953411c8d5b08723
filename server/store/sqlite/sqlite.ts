// The embedded store: one SQLite file in WAL mode, through node:sqlite. Readers see the last committed state while one
// writer works.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Dialect, type Statement, sqlite } from '../sql.ts';
import {
  type Load,
  type LoadOptions,
  type Purpose,
  type Row,
  type RowsOf,
  type Snapshot,
  type Store,
  type StoreOptions,
  StoreUnavailable,
} from '../store.ts';
import type { Table } from '../tables.ts';
import { SQLITE_BUSY, sqliteCode } from './errors.ts';
import { openFile, pragma, rollBack } from './file.ts';
import { SqliteLoad } from './load.ts';
import { bindable, prepared, rowsOf, SqliteMoment } from './snapshot.ts';

const CACHE_KIB = 65_536;
const KEPT_STATEMENTS = 256;
const SNAPSHOT_MILLISECONDS = 5;

/** A lock that somebody else holds is a passing trouble; anything else is left as it is. */
function unavailable(error: unknown): unknown {
  if (sqliteCode(error) !== SQLITE_BUSY) return error;
  return new StoreUnavailable(
    'Another command, such as an import, is writing to the database. Try again when it has ended.',
    { cause: error },
  );
}

export class SqliteStore implements Store {
  readonly dialect: Dialect = sqlite;
  readonly #path: string;
  readonly #read_only: boolean;
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #data_version: StatementSync;
  /** The state that the shared snapshot shows, once somebody has asked. */
  #state: number | undefined;
  /** When the snapshot was begun that reads share; absent between turns. */
  #snapshot_since: number | undefined;
  /** Prepared statements by text, the oldest first. */
  readonly #statements = new Map<string, StatementSync>();

  /** The newest moment that somebody looks at: who asks for one while nothing has changed since looks at the same. */
  #moment: SqliteMoment | undefined;
  /** What `data_version` was before it, so that it is no older. */
  #moment_version: number | undefined;

  private constructor(path: string, database: DatabaseSync, read_only: boolean) {
    this.#path = path;
    this.#read_only = read_only;
    this.#database = database;
    this.#begin = database.prepare('begin');
    this.#commit = database.prepare('commit');
    this.#data_version = prepared(database, 'pragma data_version');
  }

  /**
   * Opens the file; to write, it is made where it is missing and its schema is brought up to date.
   * @throws {StoreRefused} when the file is missing, damaged, of another program or of a newer Linecard.
   */
  static open(path: string, purpose: Purpose, { cache_kib = CACHE_KIB }: StoreOptions = {}): SqliteStore {
    const database = openFile(path, purpose);
    database.exec(`pragma cache_size = -${cache_kib}`);
    return new SqliteStore(path, database, purpose === 'read');
  }

  read<const S extends readonly Statement[]>(...statements: S): RowsOf<S> {
    try {
      this.#beginSnapshot();
      return statements.map((one) => this.#rows(one)) as RowsOf<S>;
    } catch (error) {
      throw unavailable(error);
    }
  }

  state(): number {
    try {
      this.#beginSnapshot();
      this.#state ??= Number(rowsOf(this.#data_version, [])[0]?.[0]);
      return this.#state;
    } catch (error) {
      throw unavailable(error);
    }
  }

  async snapshot(): Promise<Snapshot> {
    this.#endSnapshot();
    try {
      // A connection that writes does not count its own changes.
      if (!this.#read_only) return new SqliteMoment(this.#path).look();
      const version = pragma(this.#database, 'data_version');
      if (this.#moment?.isOpen !== true || this.#moment_version !== version) {
        this.#moment = new SqliteMoment(this.#path);
        this.#moment_version = version;
      }
      return this.#moment.look();
    } catch (error) {
      throw unavailable(error);
    }
  }

  async write(...statements: Statement[]): Promise<number[]> {
    this.#endSnapshot();
    try {
      this.#database.exec('begin immediate');
    } catch (error) {
      throw unavailable(error);
    }
    try {
      const changes = statements.map(({ text, values }) =>
        Number(this.#prepared(text).run(...values.map(bindable)).changes),
      );
      this.#database.exec('commit');
      return changes;
    } catch (error) {
      rollBack(this.#database);
      throw error;
    }
  }

  async load(table: Table, options?: LoadOptions): Promise<Load> {
    this.#endSnapshot();
    return SqliteLoad.begin(this.#database, table, options);
  }

  async close(): Promise<void> {
    this.#endSnapshot();
    this.#database.close();
  }

  /**
   * All reads of one turn of the event loop share a snapshot, because taking and leaving one costs three system calls.
   * Every request of a turn had reached this process before the turn began, so none can miss an import that had ended
   * before it was asked. A turn that never ends, because nothing in it waits for the outside, does not keep its snapshot.
   */
  #beginSnapshot(): void {
    const now = performance.now();
    if (this.#snapshot_since !== undefined) {
      if (now - this.#snapshot_since < SNAPSHOT_MILLISECONDS) return;
      this.#endSnapshot();
    }
    this.#begin.run();
    this.#snapshot_since = now;
    setImmediate(() => this.#endSnapshot());
  }

  #endSnapshot(): void {
    if (this.#snapshot_since === undefined) return;
    this.#snapshot_since = undefined;
    this.#state = undefined;
    try {
      this.#commit.run();
    } catch {
      // A page could not be read, as whoever wanted it was told.
      rollBack(this.#database);
    }
  }

  #rows({ text, values }: Statement): Row[] {
    return rowsOf(this.#prepared(text), values);
  }

  /** `all()` leaves no statement half-way, so each can be kept and used again. */
  #prepared(text: string): StatementSync {
    const kept = this.#statements.get(text);
    if (kept !== undefined) return kept;
    // The oldest goes, used or not: to put each in order again would cost every request more than it ever saves one.
    if (this.#statements.size >= KEPT_STATEMENTS) {
      const [oldest] = this.#statements.keys();
      this.#statements.delete(oldest as string);
    }
    const statement = prepared(this.#database, text);
    this.#statements.set(text, statement);
    return statement;
  }
}
