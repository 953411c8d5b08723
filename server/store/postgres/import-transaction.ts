// The transaction of an import into PostgreSQL: how it begins, with the lock of imports, and ends.

import type { PoolClient } from 'pg';
import { SCHEMA_STEP } from '../deployment.ts';
import { type Dialect, IMPORT_LOCK } from '../dialects.ts';
import type { ImportTransaction, TransactionOptions } from '../import-transaction.ts';
import { refuseNewerSchema } from '../migrations.ts';
import { type Statement, sql, statement } from '../sql.ts';
import type { LoadOptions } from '../store.ts';
import type { Stored } from '../tables.ts';
import { waitForWriteLock } from '../write-lock.ts';
import { Preparations, type StatementResult } from './batch.ts';
import { drop, roundTrip } from './connect.ts';
import { CopyRows, copyLine } from './copy-rows.ts';
import { storeErrorOf } from './errors.ts';
import { makeFirst, SETTINGS, type Staging } from './staging.ts';
import { COMMIT } from './transaction.ts';

/** Statements of an import have no limit, but a server that answers nothing for so long is not working. */
const WORK_MILLISECONDS = 3_600_000;

export class PostgresImport implements ImportTransaction {
  readonly client: PoolClient;
  readonly dialect: Dialect;
  readonly isTrial: boolean;
  readonly staging: Staging;
  readonly #takesLock: boolean;
  readonly #preparations = new Preparations(false);
  /** What holds the lock that is waited for. */
  #holder = 'Another import';
  #isOver = false;

  private constructor(
    client: PoolClient,
    staging: Staging,
    { isTrial = false, isOfTokens = false }: LoadOptions & TransactionOptions,
  ) {
    this.client = client;
    this.dialect = staging.dialect;
    this.isTrial = isTrial;
    this.staging = staging;
    this.#takesLock = !(isTrial || isOfTokens);
  }

  /**
   * @param tables the statements that make its first tables.
   * @throws {StoreUnavailable} when another import does not end in time.
   * @throws {StoreRefused} when the database was upgraded since it was opened.
   */
  static async begin(
    client: PoolClient,
    staging: Staging,
    options: LoadOptions & TransactionOptions = {},
    tables: readonly string[] = [],
  ): Promise<PostgresImport> {
    const one = new PostgresImport(client, staging, options);
    try {
      await client.query(`${staging.begin(one.isTrial)}; ${SETTINGS}`);
      await waitForWriteLock(
        () => one.#holder,
        () => one.#tryLock(tables.map(staging.named)),
        options,
      );
      await one.#refuseNewerSchema();
      return one;
    } catch (error) {
      one.release(false);
      throw options.signal?.aborted === true ? error : storeErrorOf(error);
    }
  }

  async #refuseNewerSchema(): Promise<void> {
    const [stored] = await this.run(sql`select value from deployment where name = ${SCHEMA_STEP}`);
    refuseNewerSchema('The database', Number(stored?.rows[0]?.[0]), 'postgres');
  }

  async #tryLock(tables: readonly string[]): Promise<boolean> {
    if (this.#takesLock) {
      const [result] = await this.run(statement(`select pg_try_advisory_xact_lock(${IMPORT_LOCK})::int`));
      if (result?.rows[0]?.[0] !== 1) return false;
    }
    if (await makeFirst(this.client, tables)) return true;
    this.#holder = 'The command that moves shards';
    return false;
  }

  async run(...statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    const own = statements.map((one) => ({ ...one, text: this.staging.named(one.text) }));
    try {
      return await roundTrip(this.client, own, this.#preparations, WORK_MILLISECONDS);
    } catch (error) {
      this.release(false);
      throw error;
    }
  }

  // These tables are joined in subqueries, which Citus sends to the nodes: they stay on the coordinator.
  async make(name: string, select: string): Promise<void> {
    await this.run(statement(`create temp table ${name} on commit drop as ${select} with no data`));
  }

  async index(name: string, column: string): Promise<void> {
    await this.run(statement(`create index on ${name} (${column})`), statement(`analyze ${name}`));
  }

  async insert(name: string, columns: readonly string[], rows: readonly (readonly Stored[])[]) {
    const copy = this.copy(`copy ${name} (${columns.join(', ')}) from stdin`);
    await copy.write(rows.map((row) => copyLine(undefined, row)).join(''));
    await copy.end();
  }

  /** Rows that go to a table by COPY. */
  copy(text: string): CopyRows {
    return new CopyRows(this.client, this.staging.named(text));
  }

  async lock(select: string): Promise<void> {
    const text = this.staging.lockAccounts(`(${select})`);
    if (text !== undefined) await this.run(statement(text));
  }

  async lockRenewed(): Promise<void> {
    await this.run(statement(this.staging.lockRenewed));
  }

  async runOnTokens(...statements: readonly Statement[]): Promise<void> {
    await this.run(...statements);
  }

  async commit(): Promise<void> {
    await this.run(COMMIT);
    this.release(true);
  }

  async rollback(): Promise<void> {
    this.release(false);
  }

  /**
   * Returns the connection to the pool; where the transaction is still open, the server leaves everything as
   * it was.
   */
  release(isSound: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!isSound) drop(this.client);
    this.client.release(!isSound);
  }
}
