// What every database must do for Linecard. It must not know which one it is.

import type { Dialect, Statement } from './sql.ts';
import type { Stored, Table } from './tables.ts';

export type Row = readonly Stored[];

/** For each statement its rows. */
export type RowsOf<S extends readonly Statement[]> = { -readonly [I in keyof S]: Row[] };

/** What an import did to the stored rows. */
export interface LoadSummary {
  readonly inserted: number;
  readonly updated: number;
  /** Rows that were stored exactly so already. */
  readonly unchanged: number;
  readonly removed: number;
  readonly accounts_created: number;
}

/** Rows whose id had come before, in the order of their places. */
export interface Duplicates {
  readonly total: number;
  readonly first: readonly { readonly id: number; readonly place: number; readonly first_place: number }[];
}

export interface LoadOptions {
  /** How long a lock that another writer holds is waited for. */
  readonly patience_ms?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called once when the lock is not there within a second. */
  readonly onWait?: (() => void) | undefined;
}

/** How an import ends. */
export interface LoadEnd {
  /** Accounts that are named beside those of the rows. */
  readonly accounts?: readonly string[];
  /** Whether rows of all these accounts whose ids did not come are removed. */
  readonly remove_others?: boolean;
}

/** One import into one table: nothing of it can be seen until it is committed. A place is any number that grows. */
export interface Load {
  /** Takes rows in, their values as `storedColumns` names them. */
  add(rows: readonly (readonly Stored[])[], places: readonly number[]): Promise<void>;
  /** Takes in the ids of rows that cannot be stored, to find duplicates; such a run must end with a rollback. */
  addFaulty(ids: readonly number[], places: readonly number[]): Promise<void>;
  /** The rows whose id had come before, the first so many of them; a run that has any must end with a rollback. */
  duplicates(limit: number): Promise<Duplicates>;
  /**
   * Makes everything visible at once: the rows, their accounts where they are missing, and a new revision of every
   * account whose list looks different now.
   */
  commit(end?: LoadEnd): Promise<LoadSummary>;
  /** Leaves everything as it was. */
  rollback(): Promise<void>;
}

/** One moment of the database, which stays for as long as it is looked at; it must be closed. */
export interface Snapshot {
  /** @throws {StoreUnavailable} when the database cannot be reached in time. */
  read<const S extends readonly Statement[]>(...statements: S): RowsOf<S> | Promise<RowsOf<S>>;
  /** The rows of a statement, some at a time; those of one statement after those of another. */
  rows(statement: Statement): AsyncIterable<readonly Row[]>;
  close(): Promise<void>;
}

export interface Store {
  readonly dialect: Dialect;
  /**
   * The rows of each statement, all from one snapshot.
   * @throws {StoreUnavailable} when the database cannot be reached in time.
   */
  read<const S extends readonly Statement[]>(...statements: S): RowsOf<S> | Promise<RowsOf<S>>;
  /**
   * A number that stands for the database as it is now: another one once anybody else has committed anything. What is read
   * in the same turn of the event loop is of that state or of a later one. Absent where it would take a trip.
   * @throws {StoreUnavailable}
   */
  state?(): number;
  /**
   * The database as it is now, to look at for longer.
   * @throws {StoreUnavailable} when the database cannot be reached in time.
   */
  snapshot(): Promise<Snapshot>;
  /**
   * Runs statements in one transaction; gives the number of rows that each changed.
   * @throws {StoreUnavailable} when another writer does not end in time.
   */
  write(...statements: Statement[]): Promise<number[]>;
  /**
   * Begins an import; waits for another one to end.
   * @throws {StoreUnavailable} when that takes too long.
   */
  load(table: Table, options?: LoadOptions): Promise<Load>;
  close(): Promise<void>;
}

/** The database cannot be reached just now: trying again later may help. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** The database is not one that this program can work on; the message says why and what to do. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
}

/** There is nothing there yet that could be read. */
export class StoreEmpty extends StoreRefused {}

/**
 * What a store is opened for: to answer questions; to change what it holds; or to note what may be lost, without ever
 * waiting for another writer.
 */
export type Purpose = 'read' | 'write' | 'note';

/** Replicas of a database, which other servers keep and which may answer in its place. */
export interface Replicas {
  readonly urls: readonly string[];
  /** How far behind the database one may be that is asked. */
  readonly lag_ms: number;
  /** Which of them may be asked, in memory that all threads of a process share. */
  readonly standing: Int32Array<SharedArrayBuffer>;
  /** Told how each stands at first, and of every change. The one store of a process that has it watches them. */
  readonly onChange?: (change: ReplicaChange) => void;
}

export interface ReplicaChange {
  /** Its host and database. */
  readonly replica: string;
  /** Why it is left; absent where it may be asked. */
  readonly reason?: string;
}

/** How a database is reached; all but the first is about one on a server. */
export interface StoreOptions {
  /** How much of a file is kept in memory, in KiB. */
  readonly cache_kib?: number;
  /** Connections of each kind that may be open at once. */
  readonly connections?: number;
  /** How long anything that is asked may take, from asking to answer. */
  readonly timeout_ms?: number;
  /** How many reads, of a few milliseconds each, may share a trip. */
  readonly together?: number;
  /** What stands between and lends its own connections, for a session or for a transaction. */
  readonly pooler?: 'none' | 'session' | 'transaction';
  /**
   * Whether the database must, or may, show the rows of one account at a time and no others. Absent where all rows are
   * wanted: a store that hides some is refused.
   */
  readonly row_security?: boolean;
  /** Servers that may answer in its place; a store that is opened to read has a use for them. */
  readonly replicas?: Replicas;
}
