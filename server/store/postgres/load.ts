// One import into PostgreSQL. Rows go through COPY into a temporary table; what changes is worked out there
// and then written, all in one transaction, so that readers see the old list until the commit. It must not
// know of files or what a column means.

import { timestampOf } from '@linecard/client/contract/timestamp';
import type { PoolClient } from 'pg';
import { DEFAULT_RETENTION_MS } from '../change-log.ts';
import { type Statement, statement } from '../sql.ts';
import type {
  AccountChanges,
  CommitOptions,
  Duplicates,
  Load,
  LoadOptions,
  LoadSummary,
  ResultRow,
} from '../store.ts';
import { type Stored, storedColumns, type Table } from '../tables.ts';
import { waitForWriteLock } from '../write-lock.ts';
import { Preparations, type StatementResult } from './batch.ts';
import { drop, roundTrip } from './connect.ts';
import { CopyRows, copyLine } from './copy-rows.ts';
import { storeErrorOf } from './errors.ts';
import { statementsFor } from './load-statements.ts';
import { COMMIT } from './transaction.ts';

/** `LNCI`: the advisory lock that an import and nothing else takes. */
const IMPORT_LOCK = 0x4c4e4349;
/** For what takes as long as it takes: a server that answers nothing for so long is not working. */
const WORK_MILLISECONDS = 3_600_000;
/** An import that changed more than this share of a table leaves the planner with wrong statistics of it. */
const ANALYZE_SHARE = 0.1;
const ANALYZE_ROWS = 1_000;

const BEGIN = `begin isolation level read committed read write;
  set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  set local work_mem = '64MB'`;

/** A round trip for so many rows is little beside reading them. */
const ROWS_AT_ONCE = 10_000;

export class PostgresLoad implements Load {
  readonly storedAtOnce = ROWS_AT_ONCE;
  readonly #client: PoolClient;
  readonly #sql: ReturnType<typeof statementsFor>;
  readonly #columns: number;
  readonly #preparations = new Preparations(false);
  readonly #copy: CopyRows;
  /** False once there is a row that cannot be stored. */
  #isStorable = true;
  /** How many ids had come before, where that is known of all rows so far. */
  #repeated: number | undefined;
  /** How many rows the planner takes the list to have. */
  #known = 0;
  #prepared: LoadSummary | undefined;
  #isOver = false;

  private constructor(client: PoolClient, table: Table) {
    this.#client = client;
    this.#sql = statementsFor(table);
    this.#columns = storedColumns(table).length;
    this.#copy = new CopyRows(client, this.#sql.copy);
  }

  /** @throws {StoreUnavailable} when another import does not end in time. */
  static async begin(client: PoolClient, table: Table, options: LoadOptions = {}): Promise<PostgresLoad> {
    const load = new PostgresLoad(client, table);
    try {
      await client.query(BEGIN);
      await waitForWriteLock('Another import', () => load.#tryLock(), options);
      await load.#run(statement(load.#sql.stage));
      return load;
    } catch (error) {
      load.#release(false);
      throw options.signal?.aborted === true ? error : storeErrorOf(error);
    }
  }

  async add(rows: readonly (readonly Stored[])[], lines: readonly number[]): Promise<void> {
    let text = '';
    for (const [i, row] of rows.entries()) {
      text += copyLine(lines[i] as number, row.length === this.#columns ? row : this.#withNothing(row));
    }
    await this.#write(text);
  }

  async addFaulty(ids: readonly number[], lines: readonly number[]): Promise<void> {
    this.#isStorable = false;
    await this.#write(ids.map((id, i) => copyLine(lines[i] as number, this.#withNothing([id]))).join(''));
  }

  async duplicates(limit: number): Promise<Duplicates> {
    await this.#copy.end();
    const [result] = await this.#run(statement(this.#sql.duplicates, limit));
    const rows = (result?.rows ?? []) as unknown as readonly [number, number, number, number][];
    const first = rows.map(([, id, line, firstLine]) => ({ id, line, firstLine }));
    this.#repeated = rows[0]?.[0] ?? 0;
    return { total: this.#repeated, first };
  }

  async stored(ids: readonly number[]): Promise<readonly ResultRow[]> {
    await this.#copy.end();
    const [, result] = await this.#run(
      statement(this.#sql.holdStored, ids),
      statement(this.#sql.stored, ids),
    );
    return result?.rows ?? [];
  }

  async prepare(options: CommitOptions = {}): Promise<LoadSummary> {
    const { accounts = [], removeOthers = 'none', retentionMs = DEFAULT_RETENTION_MS } = options;
    if (this.#repeated === undefined) await this.duplicates(1);
    if (this.#repeated !== 0 || !this.#isStorable) {
      throw new Error('An import with rows that cannot be stored must not be committed.');
    }
    const sql = this.#sql;
    const now = timestampOf();
    const remove = [sql.removeNamed, ...(removeOthers === 'none' ? [] : [sql.removeOthers[removeOthers]])];
    const removals = remove.map((text) => statement(text));
    const create = statement(sql.createAccounts, now);
    const count = statement(sql.count);
    const { change } = sql;
    const countPruned = statement(change.countPruned);
    const statements = [
      ...[sql.holdAccounts, sql.changes, sql.named].map((text) => statement(text)),
      statement(sql.nameMore, accounts),
      ...[sql.removals, sql.removeMoved, sql.store].map((text) => statement(text)),
      ...removals,
      create,
      ...[change.renewed, change.pruned, change.lockRenewed, change.gone, change.before].map((text) =>
        statement(text),
      ),
      statement(change.history, now),
      statement(sql.renewAccounts, now),
      ...change.log.map((text) => statement(text)),
      statement(change.cutOld, timestampOf(Date.now() - retentionMs)),
      countPruned,
      count,
    ];
    const results = await this.#runToTheEnd(...statements);
    if (results[statements.indexOf(countPruned)]?.rows[0]?.[0] !== 0)
      await this.#runToTheEnd(...change.forget.map((text) => statement(text)));
    const countOf = (one: Statement | undefined) => (one && results[statements.indexOf(one)]?.count) ?? 0;
    const counts = (results[statements.indexOf(count)]?.rows[0] ?? []) as number[];
    const [inserted = 0, updated = 0, rows = 0, toRemove = 0, known = 0] = counts;
    const removed = removals.reduce((sum, one) => sum + countOf(one), 0);
    this.#known = known;
    this.#prepared = {
      inserted,
      updated,
      unchanged: rows - inserted - updated,
      removed,
      absent: toRemove - countOf(removals[0]),
      accounts_created: countOf(create),
    };
    return this.#prepared;
  }

  async before(accounts: 'named' | 'all'): Promise<number> {
    const [result] = await this.#runToTheEnd(statement(this.#sql.before[accounts]));
    return Number(result?.rows[0]?.[0]);
  }

  async changes(): Promise<readonly AccountChanges[]> {
    const [result] = await this.#runToTheEnd(statement(this.#sql.accountChanges));
    const rows = (result?.rows ?? []) as unknown as readonly [string, number, number, number][];
    return rows.map(([account_id, inserted, updated, removed]) => ({
      account_id,
      inserted,
      updated,
      removed,
    }));
  }

  async outside(accounts: readonly string[]) {
    const [result] = await this.#runToTheEnd(statement(this.#sql.outside, accounts));
    const [row] = result?.rows ?? [];
    return row && { account_id: String(row[0]), named: Number(row[1]) };
  }

  async write(...statements: Statement[]): Promise<number[]> {
    return (await this.#runToTheEnd(...statements)).map(({ count }) => count);
  }

  async commit(options: CommitOptions = {}): Promise<LoadSummary> {
    const summary = this.#prepared ?? (await this.prepare(options));
    await this.#runToTheEnd(COMMIT);
    await this.#refreshStatistics(summary);
    this.#release(true);
    return summary;
  }

  async rollback(): Promise<void> {
    this.#release(false);
  }

  /**
   * Returns the connection to the pool; where the transaction is still open, the server leaves everything as
   * it was.
   */
  #release(isSound: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!isSound) drop(this.#client);
    this.#client.release(!isSound);
  }

  async #tryLock(): Promise<boolean> {
    const [result] = await this.#run(statement(`select pg_try_advisory_xact_lock(${IMPORT_LOCK})::int`));
    return result?.rows[0]?.[0] === 1;
  }

  #run(...statements: Statement[]): Promise<readonly StatementResult[]> {
    return roundTrip(this.#client, statements, this.#preparations, WORK_MILLISECONDS);
  }

  /** The values that a row has, and nothing for the others. */
  #withNothing(row: readonly Stored[]): Stored[] {
    return [...row, ...Array.from({ length: this.#columns - row.length }, () => null)];
  }

  /** Runs statements; one that fails ends the import. */
  async #runToTheEnd(...statements: Statement[]): Promise<readonly StatementResult[]> {
    try {
      return await this.#run(...statements);
    } catch (error) {
      this.#release(false);
      throw error;
    }
  }

  async #write(text: string): Promise<void> {
    if (text !== '') this.#repeated = undefined;
    await this.#copy.write(text);
  }

  /**
   * The planner gets statistics of a list that is not what it was; without, its first queries would read all
   * of it.
   */
  async #refreshStatistics({ inserted, updated, removed }: LoadSummary): Promise<void> {
    const changed = inserted + updated + removed;
    if (changed < ANALYZE_ROWS || changed < this.#known * ANALYZE_SHARE) return;
    try {
      await this.#run(statement(this.#sql.analyze));
    } catch {
      // What was committed is committed; PostgreSQL does it by itself another time.
    }
  }
}
