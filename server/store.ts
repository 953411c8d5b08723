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
  readonly patience_ms?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called once when the lock is not there within a second. */
  readonly onWait?: (() => void) | undefined;
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
   * Makes everything visible at once. The accounts of the rows are made where they are missing, and so are `accounts`;
   * the revision of every account whose list looks different now is renewed; `remove_others` removes those rows of all
   * these accounts whose ids did not come.
   */
  commit(end?: { accounts?: readonly string[]; remove_others?: boolean }): Promise<LoadSummary>;
  /** Leaves everything as it was. */
  rollback(): Promise<void>;
}

export interface Store {
  readonly dialect: Dialect;
  /**
   * The rows of each statement, all from one snapshot.
   * @throws {StoreUnavailable} when the database cannot be reached in time.
   */
  read<const S extends readonly Statement[]>(...statements: S): RowsOf<S> | Promise<RowsOf<S>>;
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

/**
 * What a store is opened for: to answer questions; to change what it holds; or to note what may be lost, without ever
 * waiting for another writer.
 */
export type Purpose = 'read' | 'write' | 'note';
