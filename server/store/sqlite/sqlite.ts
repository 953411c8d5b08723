// The embedded store: a SQLite file in WAL mode and one of its tokens. Readers see the last committed state
// while one writer of each works.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { scaledToMemory } from '../../memory.ts';
import { type Dialect, sqlite } from '../dialects.ts';
import type { ImportTransaction, TransactionOptions } from '../import-transaction.ts';
import type { Statement } from '../sql.ts';
import type {
  Load,
  LoadOptions,
  Purpose,
  ResultRow,
  RowsOf,
  Snapshot,
  Store,
  StoreOptions,
} from '../store.ts';
import type { Table } from '../tables.ts';
import { guarded, openedAgain, unavailable } from './errors.ts';
import { openFile } from './file.ts';
import { type Connection, runOnTokens, SqliteImport } from './import-transaction.ts';
import { SqliteLoad } from './load.ts';
import { beginWith, type Lock, takeLock } from './lock.ts';
import { bindable, pragma, prepared, rollBack } from './migrate.ts';
import { OpenFiles } from './open-files.ts';
import { rowsOf, SharedSnapshot } from './snapshot.ts';
import { TOKENS_SCHEMA, tokensPath } from './tokens-file.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

const CACHED_STATEMENTS = 256;
const SNAPSHOT_MILLISECONDS = 5;
/** A second look costs a request microseconds; a token that is revoked may be refused that much later. */
const TOKENS_MILLISECONDS = 100;

export class SqliteStore implements Store {
  readonly dialect: Dialect = sqlite;
  readonly isRemote = false;
  readonly showsOneAccount = false;
  readonly #path: string;
  /** For how long reads may share a snapshot. */
  readonly #snapshotMs: number;
  readonly #files: OpenFiles | undefined;
  readonly #database: DatabaseSync;
  readonly #connection: Connection;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #listsVersion: StatementSync;
  readonly #tokensVersion: StatementSync;
  /** How many commits of other connections the tokens have seen, and until when that is taken to be so. */
  #tokens = { version: 0, until: 0 };
  /** The state that the snapshot of the running reads shows, once it is known. */
  #state: number | undefined;
  /** When the snapshot was begun that reads share; absent between iterations of the event loop. */
  #snapshotSince: number | undefined;
  /** Cache of prepared statements by text, the oldest first. */
  readonly #statements = new Map<string, StatementSync>();
  /** The newest snapshot that has readers; while nothing has changed since, the next one reads it too. */
  #shared: SharedSnapshot | undefined;
  /** What `data_version` was before it, so that it is no older. */
  #sharedVersion: number | undefined;

  private constructor(path: string, database: DatabaseSync, snapshotMs: number, files?: OpenFiles) {
    this.#path = path;
    this.#snapshotMs = snapshotMs;
    this.#files = files;
    this.#database = database;
    this.#connection = { path, database, log: new WriteAheadLog(database, path) };
    this.#begin = database.prepare('begin');
    this.#commit = database.prepare('commit');
    this.#listsVersion = prepared(database, 'pragma main.data_version');
    this.#tokensVersion = prepared(database, `pragma ${TOKENS_SCHEMA}.data_version`);
  }

  /**
   * Opens the file; to write, it is made where it is missing and its schema is brought up to date.
   * @throws {StoreRefused} when the file is missing, damaged, of another program or of a newer Linecard.
   */
  static open(path: string, purpose: Purpose, options: StoreOptions = {}): SqliteStore {
    const { cacheKib = scaledToMemory(32_768), create, busyMs, sharesSnapshots = true } = options;
    // One that writes is soon closed, and may itself make what is missing.
    const files = purpose === 'read' ? new OpenFiles([path, tokensPath(path)]) : undefined;
    return guarded(() => {
      const database = openFile(path, purpose, create);
      database.exec(`pragma cache_size = -${cacheKib}`);
      if (busyMs !== undefined) database.exec(`pragma busy_timeout = ${busyMs}`);
      files?.addCompanions();
      return new SqliteStore(path, database, sharesSnapshots ? SNAPSHOT_MILLISECONDS : 0, files);
    });
  }

  read<const S extends readonly Statement[]>(...statements: S): RowsOf<S> {
    return guarded(() => {
      this.#beginSnapshot();
      return statements.map((one) => this.#rows(one)) as RowsOf<S>;
    });
  }

  state(): number {
    return guarded(() => {
      this.#beginSnapshot();
      this.#state ??= this.#version();
      return this.#state;
    });
  }

  async snapshot(): Promise<Snapshot> {
    this.#endSnapshot();
    return guarded(() => {
      // A connection that writes does not count its own changes.
      if (this.#files === undefined) return new SharedSnapshot(this.#path).reader();
      this.#files.mustBeThere(performance.now());
      const version = pragma(this.#database, 'data_version');
      if (this.#shared?.isOpen !== true || this.#sharedVersion !== version) {
        this.#shared = openedAgain(() => new SharedSnapshot(this.#path));
        this.#sharedVersion = version;
      }
      return this.#shared.reader();
    });
  }

  async write(...statements: Statement[]): Promise<number[]> {
    this.#endSnapshot();
    const separate = statements.filter((one) => one.separate);
    if (separate.length === 0) return this.#transaction('lists', () => this.#run(statements));
    const isMixed = separate.length < statements.length;
    // An import has this connection, but not the tokens.
    if (!isMixed && this.#database.isTransaction) return runOnTokens(this.#path, statements);
    if (!isMixed) return this.#transaction('tokens', () => this.#run(statements));
    const changes = this.#transaction('lists', () => this.#runOnBoth(statements, separate));
    return changes.length > 0 ? changes : this.write(...statements);
  }

  async load(table: Table, options?: LoadOptions): Promise<Load> {
    this.#endSnapshot();
    return SqliteLoad.begin(this.#connection, table, options);
  }

  async beginImport(options?: LoadOptions & TransactionOptions): Promise<ImportTransaction> {
    this.#endSnapshot();
    return SqliteImport.begin(this.#connection, options);
  }

  async close(): Promise<void> {
    this.#endSnapshot();
    await this.#connection.log.settled();
    this.#database.close();
  }

  /**
   * All reads of one iteration of the event loop share a snapshot, because to begin and end one costs three
   * system calls. Every request of an iteration had reached this process before it began, so none can miss an
   * import that had ended before the request. An iteration that never ends, because nothing in it waits for
   * the outside, does not hold its snapshot.
   */
  #beginSnapshot(): void {
    const now = performance.now();
    if (this.#snapshotSince !== undefined) {
      if (now - this.#snapshotSince < this.#snapshotMs) return;
      this.#endSnapshot();
    }
    this.#files?.mustBeThere(now);
    this.#begin.run();
    this.#snapshotSince = now;
    setImmediate(() => this.#endSnapshot());
  }

  #endSnapshot(): void {
    if (this.#snapshotSince === undefined) return;
    this.#snapshotSince = undefined;
    this.#state = undefined;
    try {
      this.#commit.run();
    } catch {
      // A page could not be read; the read that wanted it has failed with that already.
      rollBack(this.#database);
    }
  }

  /** Runs work that returns changes, under the write lock of a file; without changes it is rolled back. */
  #transaction(file: Lock, work: () => number[]): number[] {
    try {
      beginWith(this.#database, file);
      const changes = work();
      this.#database.exec(changes.length > 0 ? 'commit' : 'rollback');
      return changes;
    } catch (error) {
      rollBack(this.#database);
      throw unavailable(error);
    }
  }

  #run(statements: readonly Statement[]): number[] {
    return statements.map(({ text, values }) =>
      Number(this.#prepared(text).run(...values.map(bindable)).changes),
    );
  }

  /**
   * Two files are not committed atomically: a process that is killed in between would leave tokens of a
   * deleted account. So the tokens are committed first, and then the rest, in a transaction that must change
   * no token; if it would, because one was created in between, no changes are returned.
   */
  #runOnBoth(statements: readonly Statement[], separate: readonly Statement[]): number[] {
    if (!this.#wouldChange(statements.filter((one) => one.isRequired))) return statements.map(() => 0);
    const ofTokens = runOnTokens(this.#path, separate);
    takeLock(this.#database, 'tokens');
    const changes = this.#run(statements);
    if (statements.some((one, i) => one.separate && changes[i] !== 0)) return [];
    return statements.map((one, i) => Number((one.separate ? ofTokens.shift() : changes[i]) ?? 0));
  }

  /** Whether each of these statements changes a row; they are undone. */
  #wouldChange(statements: readonly Statement[]): boolean {
    if (statements.length === 0) return true;
    this.#database.exec('savepoint tried');
    const changes = this.#run(statements);
    this.#database.exec('rollback to tried; release tried');
    return changes.every((count) => count > 0);
  }

  /** Of both files; each only ever grows, and so does their sum. */
  #version(): number {
    const now = performance.now();
    if (now >= this.#tokens.until) {
      const version = Number(rowsOf(this.#tokensVersion, { values: [] })[0]?.[0]);
      this.#tokens = { version, until: now + TOKENS_MILLISECONDS };
    }
    return this.#tokens.version + Number(rowsOf(this.#listsVersion, { values: [] })[0]?.[0]);
  }

  #rows(statement: Statement): ResultRow[] {
    return rowsOf(this.#prepared(statement.text), statement);
  }

  /** `all()` leaves no statement half-way, so each can be cached and used again. */
  #prepared(text: string): StatementSync {
    const cached = this.#statements.get(text);
    if (cached !== undefined) return cached;
    // First in, first out: an eviction by use would cost every request more than it ever saves one.
    if (this.#statements.size >= CACHED_STATEMENTS) {
      const [oldest] = this.#statements;
      this.#statements.delete(oldest?.[0] as string);
      oldest?.[1].close();
    }
    const statement = prepared(this.#database, text);
    this.#statements.set(text, statement);
    return statement;
  }
}
