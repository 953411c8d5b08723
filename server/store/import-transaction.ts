// The transaction of an import, as what imports accounts needs it of every store.

import type { Dialect } from './dialects.ts';
import type { Statement } from './sql.ts';
import type { Stored } from './tables.ts';

/** The rows of a statement, and how many it returned or changed. */
export interface StatementResult {
  readonly rows: readonly (readonly Stored[])[];
  readonly count: number;
}

export interface TransactionOptions {
  /** Whether it writes tokens alone: it waits for no import, and nothing waits for it before `lockTokens`. */
  readonly isOfTokens?: boolean | undefined;
}

/**
 * It has the write lock of imports, unless it is a trial or of tokens; what it makes is gone when it ends.
 */
export interface ImportTransaction {
  readonly dialect: Dialect;
  readonly isTrial: boolean;
  /** Runs statements; one that fails ends the import. */
  run(...statements: readonly Statement[]): Promise<readonly StatementResult[]>;
  /** Makes a table of the import, with the columns that a `select` has. */
  make(name: string, select: string): Promise<void>;
  /** Makes an index of such a table once it is filled. */
  index(name: string, column: string): Promise<void>;
  /** Adds rows to such a table. */
  insert(name: string, columns: readonly string[], rows: readonly (readonly Stored[])[]): Promise<void>;
  /** Locks the accounts whose ids `select` returns against being deleted; absent if a writer locks all. */
  lock?(select: string): Promise<void>;
  /** Locks the accounts of the table `import_renewed` against other changes; absent if a writer locks all. */
  lockRenewed?(): Promise<void>;
  /** Takes the write lock of the tokens, and reads nothing older; absent if there is none. */
  lockTokens?(): Promise<void>;
  /** Runs statements on the tables of tokens; those in a file of their own are committed first. */
  runOnTokens(...statements: readonly Statement[]): Promise<void>;
  /** @param rows how many it has changed. */
  commit(rows: number): Promise<void>;
  rollback(): Promise<void>;
}
