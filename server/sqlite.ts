// The embedded store: one SQLite file in WAL mode, through node:sqlite. Readers see the last committed state while one
// writer works.

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { schemaSteps } from './schema.ts';
import { type Dialect, type Statement, sqlite } from './sql.ts';
import { SQLITE_BUSY, SQLITE_CORRUPT, SQLITE_NOTADB, sqliteCode } from './sqlite-errors.ts';
import { SqliteLoad } from './sqlite-load.ts';
import { bindable, prepared, rowsOf, SqliteMoment } from './sqlite-moment.ts';
import {
  type Load,
  type LoadOptions,
  type Purpose,
  type Row,
  type RowsOf,
  type Snapshot,
  type Store,
  StoreEmpty,
  type StoreOptions,
  StoreRefused,
  StoreUnavailable,
} from './store.ts';
import type { Table } from './tables.ts';

/** `LNCD`: marks the file as ours. */
const APPLICATION_ID = 0x4c4e4344;
const PAGE_BYTES = 8_192;
const CACHE_KIB = 65_536;
/** How a file is opened for each purpose; a note waits for nobody and for no disk. */
const PURPOSES = {
  read: { readOnly: true, timeout: 5_000, synchronous: 'full' },
  write: { readOnly: false, timeout: 5_000, synchronous: 'full' },
  note: { readOnly: false, timeout: 0, synchronous: 'normal' },
} as const satisfies Record<Purpose, object>;
const KEPT_STATEMENTS = 256;
const SNAPSHOT_MILLISECONDS = 5;

function pragma(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]);
}

function damaged(path: string, what = 'is damaged', cause?: unknown): StoreRefused {
  return new StoreRefused(
    `${path} ${what}. It was left as it is: restore it from a backup, or name another file with --database-url.`,
    { cause },
  );
}

/** Says what is wrong with a file in words that help; anything unknown passes. */
function refusal(path: string, error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === SQLITE_NOTADB) return damaged(path, 'is not a SQLite database', error);
  return code === SQLITE_CORRUPT ? damaged(path, 'is damaged', error) : error;
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new StoreRefused(
      `${folder} cannot be made a folder (${(error as Error).message}): name another file with --database-url.`,
      { cause: error },
    );
  }
}

/**
 * Where everything is in the file itself, it must be as long as it says; a part of a copy would fail only later. A file
 * that somebody is just writing has a log beside it, or is long enough on the second look.
 */
function mustBeWhole(database: DatabaseSync, path: string): void {
  const bytes = pragma(database, 'page_count') * pragma(database, 'page_size');
  const isWhole = () => statSync(path).size >= bytes;
  if (isWhole()) return;
  const being_written = ['-wal', '-journal'].some(
    (end) => (statSync(path + end, { throwIfNoEntry: false })?.size ?? 0) > 0,
  );
  if (!being_written && !isWhole()) throw damaged(path);
}

/** The step that the schema of the file stands at; 0 for an empty file. */
function schemaStep(database: DatabaseSync, path: string): number {
  const application_id = pragma(database, 'application_id');
  const step = pragma(database, 'user_version');
  const empty = pragma(database, 'schema_version') === 0;
  if (application_id !== APPLICATION_ID && !empty) {
    throw new StoreRefused(
      `${path} is a SQLite database of another program. It was left as it is: name another file with --database-url.`,
    );
  }
  const newest = schemaSteps('sqlite').length;
  if (step > newest) {
    throw new StoreRefused(
      `${path} has schema step ${step}, but this program knows only ${newest} steps: it was written by a newer Linecard. Start that version, or restore a backup made before the upgrade.`,
    );
  }
  return step;
}

/** Leaves everything as it was; some errors, such as of a full disk, have ended the transaction by themselves. */
function rollBack(database: DatabaseSync): void {
  if (database.isTransaction) database.exec('rollback');
}

/** Brings the schema up to date, one transaction a step; two who try at once take turns. */
function migrate(database: DatabaseSync, path: string): void {
  const steps = schemaSteps('sqlite');
  if (schemaStep(database, path) === steps.length) return;
  database.exec(`pragma page_size = ${PAGE_BYTES}; pragma journal_mode = wal`);
  for (let done = schemaStep(database, path); done < steps.length; done++) {
    database.exec('begin immediate');
    try {
      done = schemaStep(database, path);
      const next = steps[done];
      if (next !== undefined) {
        database.exec(next);
        database.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${done + 1}`);
      }
      database.exec('commit');
    } catch (error) {
      rollBack(database);
      throw error;
    }
  }
}

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
    if (path === '' || path.startsWith(':')) {
      throw new StoreRefused(
        'The database URL must name a file: sqlite:PATH, such as sqlite:data/linecard.db.',
      );
    }
    const file = statSync(path, { throwIfNoEntry: false });
    if (file?.isDirectory()) {
      throw new StoreRefused(`${path} is a folder: name a file in it with --database-url.`);
    }
    if (file === undefined) {
      if (purpose !== 'write') throw new StoreEmpty(`There is no database at ${path}.`);
      if (existsSync(`${path}-wal`)) {
        throw new StoreRefused(
          `${path} is missing, but ${path}-wal is there: the database was moved or removed without it. Bring it back, or remove the -wal file to start empty.`,
        );
      }
      makeFolder(dirname(path));
    }
    let database: DatabaseSync | undefined;
    try {
      const { readOnly, timeout, synchronous } = PURPOSES[purpose];
      database = new DatabaseSync(path, { readOnly, timeout });
      mustBeWhole(database, path);
      if (purpose === 'write') migrate(database, path);
      else if (schemaStep(database, path) < schemaSteps('sqlite').length) {
        throw new StoreRefused(`The schema of ${path} is not up to date: run linecard-server migrate.`);
      }
      database.exec(
        `pragma cache_size = -${cache_kib}; pragma foreign_keys = on; pragma synchronous = ${synchronous}`,
      );
      return new SqliteStore(path, database, readOnly);
    } catch (error) {
      database?.close();
      throw refusal(path, error);
    }
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
