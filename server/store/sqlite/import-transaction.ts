// The transaction of an import into the embedded store.

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { type Dialect, sqlite } from '../dialects.ts';
import type { ImportTransaction, StatementResult, TransactionOptions } from '../import-transaction.ts';
import { refuseNewerSchema } from '../migrations.ts';
import type { Statement } from '../sql.ts';
import type { LoadOptions } from '../store.ts';
import type { Stored } from '../tables.ts';
import { guarded } from './errors.ts';
import { beginToWrite, beginWith } from './lock.ts';
import { allRows, bindable, DATABASE, pragma, prepared, rollBack } from './migrate.ts';
import { withTokens } from './tokens-file.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';

/** Runs statements on the file of the tokens alone, in a transaction; returns how many rows each changed. */
export function runOnTokens(path: string, statements: readonly Statement[]): number[] {
  return withTokens(path, (tokens) => {
    tokens.exec('begin immediate');
    const run = ({ text, values }: Statement) => prepared(tokens, text).run(...values.map(bindable)).changes;
    const changes = statements.map((one) => Number(run(one)));
    tokens.exec('commit');
    return changes;
  });
}

/** What an import needs of its store. */
export interface Connection {
  readonly path: string;
  readonly database: DatabaseSync;
  readonly log: WriteAheadLog;
}

export class SqliteImport implements ImportTransaction {
  readonly dialect: Dialect = sqlite;
  readonly isTrial: boolean;
  readonly #connection: Connection;
  readonly #made: string[] = [];
  readonly #writesLists: boolean;

  private constructor(
    connection: Connection,
    { isTrial = false, isOfTokens = false }: LoadOptions & TransactionOptions,
  ) {
    this.#connection = connection;
    this.isTrial = isTrial;
    this.#writesLists = !(isTrial || isOfTokens);
  }

  /**
   * @throws {StoreUnavailable} when another writer does not end in time.
   * @throws {StoreRefused} when the file was upgraded since it was opened.
   */
  static async begin(
    connection: Connection,
    options: LoadOptions & TransactionOptions = {},
  ): Promise<SqliteImport> {
    const one = new SqliteImport(connection, options);
    const { database, path } = connection;
    if (one.isTrial) guarded(() => database.exec('begin'));
    else if (one.#writesLists) await beginToWrite(database, options);
    try {
      refuseNewerSchema(path, pragma(database, 'main.user_version'), DATABASE.schema);
      return one;
    } catch (error) {
      rollBack(database);
      throw error;
    }
  }

  async run(...statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    return guarded(() => statements.map((one) => this.#run(one)));
  }

  #run({ text, values }: Statement): StatementResult {
    const statement = prepared(this.#connection.database, text);
    const bound = values.map(bindable);
    try {
      if (statement.columns().length === 0)
        return { rows: [], count: Number(statement.run(...bound).changes) };
      const rows = allRows(statement, ...bound);
      return { rows, count: rows.length };
    } finally {
      statement.close();
    }
  }

  async make(name: string, select: string): Promise<void> {
    this.create(`create temp table ${name} as ${select} where false`, name);
  }

  /** Makes temporary tables of these names, which are dropped when the import ends. */
  create(text: string, ...names: readonly string[]): void {
    guarded(() => this.#connection.database.exec(text));
    this.#made.push(...names);
  }

  async index(name: string, column: string): Promise<void> {
    guarded(() =>
      this.#connection.database.exec(`create index temp.${name}_${column} on ${name} (${column})`),
    );
  }

  async insert(name: string, columns: readonly string[], rows: readonly (readonly Stored[])[]) {
    const statement = prepared(
      this.#connection.database,
      `insert into temp.${name} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
    );
    guarded(() => {
      for (const row of rows) statement.run(...(row as readonly SQLInputValue[]));
    });
  }

  async lockTokens(): Promise<void> {
    guarded(() => beginWith(this.#connection.database, 'tokens'));
  }

  async runOnTokens(...statements: readonly Statement[]): Promise<void> {
    guarded(() => runOnTokens(this.#connection.path, statements));
  }

  async commit(rows: number): Promise<void> {
    guarded(() => this.#connection.database.exec('commit'));
    await this.#cleanUp(rows);
  }

  /** @param rows how many it has changed. */
  async rollback(rows = 0): Promise<void> {
    rollBack(this.#connection.database);
    await this.#cleanUp(rows);
  }

  /** Drops its tables, and truncates the log, which has grown by as much as was written. */
  async #cleanUp(rows: number): Promise<void> {
    try {
      for (const name of this.#made) this.#connection.database.exec(`drop table if exists temp.${name}`);
    } catch {
      // What was committed is committed.
    }
    if (this.#writesLists) await this.#connection.log.truncate(rows);
  }
}
