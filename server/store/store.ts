// A store: what Linecard needs of every database.

import type { Dialect } from './dialects.ts';
import type { ImportTransaction, TransactionOptions } from './import-transaction.ts';
import type { ExampledColumns, LoadSummary } from './load-summary.ts';
import type { AnyStatement, Statement } from './sql.ts';
import type { Stored, Table } from './tables.ts';

export type ResultRow = readonly Stored[];

export type RowOf<S> =
  S extends Statement<infer Row> ? (unknown extends Row[number] ? ResultRow : Row) : never;
export type RowsOf<S extends readonly AnyStatement[]> = { -readonly [I in keyof S]: RowOf<S[I]>[] };

/** What an import does to the items of one account; one that moves is an update of its new account. */
export interface AccountChanges {
  readonly account_id: string;
  readonly inserted: number;
  readonly updated: number;
  readonly removed: number;
  /** Items that come from other accounts, and that go to them. */
  readonly moved_in: number;
  readonly moved_out: number;
}

export interface AccountMoves {
  readonly from_account_id: string;
  readonly to_account_id: string;
  readonly items: number;
}

/** An account that an import concerns: whether rows are of it (1), or only take an item from it (0). */
export interface OtherAccount {
  readonly account_id: string;
  readonly named: number;
}

/** Rows whose id had come before, in the order of their lines. */
export interface Duplicates {
  readonly total: number;
  readonly first: readonly { id: number | string; line: number; firstLine: number }[];
}

export interface LoadOptions {
  /** Whether it only compares with a snapshot: it takes no lock, and ends with a rollback. */
  readonly isTrial?: boolean | undefined;
  /** How long to wait for the write lock. */
  readonly lockTimeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called once if the lock is not free within a second. */
  readonly onWait?: (() => void) | undefined;
}

/** What an import does in addition to storing its rows. */
export interface CommitOptions {
  /** Accounts that are created if they do not exist, in addition to those of the rows. */
  readonly accounts?: readonly string[];
  /**
   * Which rows that the import does not have are removed: those of the named accounts, or of every account.
   */
  readonly removeOthers?: 'none' | 'named' | 'all';
  /** How long changes are retained; 30 days by default. */
  readonly retentionMs?: number | undefined;
  /** Of which columns examples are wanted. */
  readonly exampled?: ExampledColumns | undefined;
}

/**
 * One import into one table: nothing of it can be seen until it is committed. A line is a reference to where
 * a row comes from: any number that grows.
 */
export interface Load {
  /**
   * Takes rows in, their values as `storedColumns` names them. A row of an id and an account alone removes
   * that item of that account.
   */
  add(rows: readonly (readonly Stored[])[], lines: readonly number[]): Promise<void>;
  /** Takes in the ids of rows that cannot be stored, to find duplicates; a rollback must follow. */
  addFaulty(ids: readonly number[], lines: readonly number[]): Promise<void>;
  /** The rows of a statement, read in the transaction of the import. */
  read(one: Statement): Promise<readonly ResultRow[]>;
  /** The best number of rows to read with `stored`, and then to add. */
  readonly readSize: number;
  /** The stored rows of these ids, as `sourceColumns` names their values, in any order. */
  stored(ids: readonly number[]): Promise<readonly ResultRow[]>;
  /** The rows whose id had come before, up to the limit; a run that has any must end with a rollback. */
  duplicates(limit: number): Promise<Duplicates>;
  /** Computes everything and shows nothing of it yet; a commit or a rollback follows. */
  prepare(options?: CommitOptions): Promise<LoadSummary>;
  /**
   * How many rows there were before the import, of the accounts that it names or of all; and how many items
   * it moves away from the accounts that it names. To be called after `prepare`.
   */
  before(accounts: 'named' | 'all'): Promise<{ readonly items: number; readonly movedOut: number }>;
  /** What moves, by account; to be called after `prepare`. */
  moves(): Promise<readonly AccountMoves[]>;
  /** What it does to each account that it changes, by account; to be called after `prepare`. */
  changes(): Promise<readonly AccountChanges[]>;
  /**
   * An account other than these that rows of the import are of, or take an item from; `undefined` where
   * there is none. To be called after `prepare`.
   */
  outside(accounts: readonly string[]): Promise<OtherAccount | undefined>;
  /**
   * Runs statements in the transaction of the import, which is no trial; returns the number of rows that each
   * changed. To be called after `prepare`.
   */
  write(...statements: Statement[]): Promise<number[]>;
  /**
   * Makes everything visible together: the rows, their accounts where they are missing, and a new revision of
   * every account whose list looks different now. Prepares with the options what is not prepared yet.
   */
  commit(options?: CommitOptions): Promise<LoadSummary>;
  /** Leaves everything as it was. */
  rollback(): Promise<void>;
}

/** A snapshot of the database: reads of it see one state until it is closed, which it must be. */
export interface Snapshot {
  /** @throws {StoreUnavailable} when the database cannot be reached in time. */
  read<const S extends readonly AnyStatement[]>(...statements: S): RowsOf<S> | Promise<RowsOf<S>>;
  /** The rows of a statement, some at a time; several may be read next to each other. */
  rows<S extends AnyStatement>(statement: S): AsyncIterable<RowOf<S>[]>;
  close(): Promise<void>;
}

export interface ServerFigures {
  /** Reads that wait for a connection. */
  readonly waiting: number;
  /** Connections that are open, and how many of them are in use. */
  readonly open: number;
  readonly busy: number;
  /** Of each replica, in the order of the settings, if this store checks them. */
  readonly replicas: readonly { readonly isHealthy: boolean; readonly lagBytes: number | undefined }[];
}

/** Everything that reads or writes throws `StoreUnavailable`, and so does whatever calls it. */
export interface Store {
  readonly dialect: Dialect;
  /**
   * Whether rows come over a connection: to receive many takes time of this thread, and a read may take any
   * time, so that a request must not wait for it without a deadline.
   */
  readonly isRemote: boolean;
  /** Whether the database shows a statement only the rows of its owner (row security). */
  readonly showsOneAccount: boolean;
  /**
   * The rows of each statement, all from one snapshot.
   * @throws {StoreUnavailable} when the database cannot be reached in time.
   */
  read<const S extends readonly AnyStatement[]>(...statements: S): RowsOf<S> | Promise<RowsOf<S>>;
  /**
   * A number for the current state of the database: it changes with each commit of another connection; with a
   * commit of tokens alone within a tenth of a second. What is read in the same iteration of the event loop
   * is of that state or of a later one. Absent if it would take a round trip.
   * @throws {StoreUnavailable}
   */
  state?(): number;
  /**
   * A snapshot of the database as it is now.
   * @throws {StoreUnavailable} when the database cannot be reached in time.
   */
  snapshot(): Promise<Snapshot>;
  /**
   * Runs statements in one transaction; returns the number of rows that each changed.
   * @throws {StoreUnavailable} when another writer does not end in time.
   */
  write(...statements: Statement[]): Promise<number[]>;
  /**
   * Begins an import; waits for the write lock.
   * @throws {StoreUnavailable} when that takes too long.
   */
  load(table: Table, options?: LoadOptions): Promise<Load>;
  /** Begins an import that is none into a list. */
  beginImport(options?: LoadOptions & TransactionOptions): Promise<ImportTransaction>;
  /** Absent if there is no server. */
  figures?(): ServerFigures;
  close(): Promise<void>;
}

/** What computing an answer needs of a store. */
export type ReadOnlyStore = Pick<Store, 'dialect' | 'isRemote' | 'showsOneAccount' | 'read' | 'snapshot'>;

/** Runs work on a store that is open for as long as that takes; a file that was replaced is opened again. */
export type WithStore = <T>(work: (store: Store) => Promise<T>) => Promise<T>;

/**
 * What a store is opened for: to read; to write, which creates it if it does not exist and migrates its
 * schema; to change an existing one; or to note what may be lost, without waiting for another writer.
 */
export type Purpose = 'read' | 'write' | 'change' | 'note';

/** Replicas of a database, which lists may be read from. */
export interface Replicas {
  readonly urls: readonly string[];
  /** The replica lag that takes one out of rotation. */
  readonly maxLagMs: number;
  /** The health of each, in memory that all threads of a process share. */
  readonly health: Int32Array<SharedArrayBuffer>;
  /**
   * Called with the health of each replica at the start and at every change. Only the store of a process that
   * has this checks them.
   */
  readonly onChange?: (change: ReplicaChange) => void;
}

export interface ReplicaChange {
  /** Its host and database. */
  readonly replica: string;
  /** Why it is out of rotation; absent if it is healthy. */
  readonly reason?: string;
}

/** How a database is reached. */
export interface StoreOptions {
  /** The page cache of a file, in KiB. */
  readonly cacheKib?: number;
  /** How long a write to a file blocks the thread while another holds its lock: 5 s by default. */
  readonly busyMs?: number;
  /**
   * Whether a missing file is created when the store is opened to write: by default, if nothing of the
   * database exists; false, never; true, also one that existed before and is lost.
   */
  readonly create?: boolean;
  /** Whether a copy will write to it; anything else refuses a database with an incomplete copy. */
  readonly isCopyTarget?: true;
  /** False if a file is read for requests that arrived after the iteration of the event loop began. */
  readonly sharesSnapshots?: boolean;
  /** Connections of each kind that may be open at once. */
  readonly connections?: number;
  /** How long a read or a write may take, the wait for a connection included. */
  readonly timeoutMs?: number;
  /** How many reads, of a few milliseconds each, may share a round trip. */
  readonly batchReads?: number;
  readonly pooler?: 'none' | 'session' | 'transaction';
  /**
   * Whether the database must, or may, show only the rows of one account at a time. Absent if all rows are
   * needed: a store that hides some is refused.
   */
  readonly rowSecurity?: boolean;
  /** Replicas to read lists from; only used by a store that is opened to read. */
  readonly replicas?: Replicas | undefined;
}
