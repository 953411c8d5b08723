// One import into PostgreSQL. Rows go through COPY into a table of its own; what changes is worked out there
// and then written, all in one transaction, so that readers see the old list until the commit.

import type { PoolClient } from 'pg';
import { type Dialect, IMPORT_LOCK } from '../dialects.ts';
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
import type { Stored, Table } from '../tables.ts';
import { waitForWriteLock } from '../write-lock.ts';
import { Preparations, type StatementResult } from './batch.ts';
import { drop, roundTrip } from './connect.ts';
import { storeErrorOf } from './errors.ts';
import { areByAccount, type IncomingRows, incomingRows } from './incoming-rows.ts';
import { statementsFor } from './load-statements.ts';
import { preparation } from './preparation.ts';
import { makeFirst, type Staging, stagingOf } from './staging.ts';
import { refreshStatistics } from './statistics.ts';
import { COMMIT, NO_TRANSACTION_TIMEOUT } from './transaction.ts';

/** For what takes as long as it takes: a server that answers nothing for so long is not working. */
const WORK_MILLISECONDS = 3_600_000;
/**
 * The tables of an import have no statistics: compiling for the rows that are guessed takes seconds. And a
 * seek is taken for as cheap as on today's disks, so that few rows are compared with a large list by its key.
 */
const SETTINGS = `set local statement_timeout = 0; set local lock_timeout = 0;
  set local idle_in_transaction_session_timeout = 0; set local work_mem = '64MB'; set local jit = off;
  set local random_page_cost = 1.1; select ${NO_TRANSACTION_TIMEOUT}`;

/** A list, and how its database is spelled. */
export interface LoadTarget {
  readonly table: Table;
  readonly dialect: Dialect;
}

export class PostgresLoad implements Load {
  /** A round trip for so many rows is little beside reading them. */
  readonly storedAtOnce = 10_000;
  readonly #client: PoolClient;
  readonly #staging: Staging;
  readonly #sql: ReturnType<typeof statementsFor>;
  readonly #table: Table;
  readonly #isTrial: boolean;
  readonly #preparations = new Preparations(false);
  /** What holds the lock that is waited for. */
  #holder = 'Another import';
  /** The tables that changes are noted in, once they are being made. */
  #notes: Promise<unknown> | undefined;
  #incoming: IncomingRows | undefined;
  /** How many ids had come before, where that is known of all rows so far. */
  #repeated: number | undefined;
  #prepared: LoadSummary | undefined;
  #isOver = false;

  private constructor(client: PoolClient, target: LoadTarget, { isTrial = false }: LoadOptions) {
    this.#client = client;
    this.#table = target.table;
    this.#isTrial = isTrial;
    this.#staging = stagingOf(target.dialect);
    this.#sql = statementsFor(target.table, this.#staging);
  }

  /** @throws {StoreUnavailable} when another import does not end in time. */
  static async begin(
    client: PoolClient,
    target: LoadTarget,
    options: LoadOptions = {},
  ): Promise<PostgresLoad> {
    const load = new PostgresLoad(client, target, options);
    try {
      await client.query(
        `begin isolation level read committed read write${load.#staging.settings}; ${SETTINGS}`,
      );
      await waitForWriteLock(
        () => load.#holder,
        () => load.#tryLock(),
        options,
      );
      return load;
    } catch (error) {
      load.#release(false);
      throw options.signal?.aborted === true ? error : storeErrorOf(error);
    }
  }

  async add(rows: readonly (readonly Stored[])[], lines: readonly number[]): Promise<void> {
    if (rows.length === 0) return;
    this.#repeated = undefined;
    await (await this.#takeIn(rows)).add(rows, lines);
  }

  async addFaulty(ids: readonly number[], lines: readonly number[]): Promise<void> {
    this.#repeated = undefined;
    await (await this.#takeIn()).addFaulty(ids, lines);
  }

  async duplicates(limit: number): Promise<Duplicates> {
    const incoming = await this.#takeIn();
    await incoming.end();
    // In the list itself no id is there twice.
    const { way, areStorable, removals } = incoming;
    const areIndexed = this.#staging.keepsIdsUnique && way === 'straight' && areStorable && removals === 0;
    const areUnique = areIndexed || incoming.ids.areUnique;
    const [result] = areUnique ? [] : await this.#run(statement(this.#sql[way].duplicates, limit));
    const rows = (result?.rows ?? []) as unknown as readonly [number, number, number, number][];
    const first = rows.map(([, id, line, firstLine]) => ({ id, line, firstLine }));
    this.#repeated = rows[0]?.[0] ?? 0;
    if (this.#repeated === 0 && incoming.refusal !== undefined) throw storeErrorOf(incoming.refusal);
    return { total: this.#repeated, first };
  }

  async stored(ids: readonly number[]): Promise<readonly ResultRow[]> {
    await this.#incoming?.end();
    await this.#notes;
    const { holdStored, stored } = this.#sql;
    const results = await this.#run(
      ...[holdStored, stored].flatMap((text) => text ?? []).map((text) => statement(text, ids)),
    );
    // While the rows that are to come are worked out of them. What it fails of is thrown where it is awaited.
    this.#makeNotes().catch(() => {});
    return results.at(-1)?.rows ?? [];
  }

  async prepare(options: CommitOptions = {}): Promise<LoadSummary> {
    if (this.#repeated === undefined) await this.duplicates(1);
    const incoming = await this.#takeIn();
    if (this.#repeated !== 0 || !incoming.areStorable) {
      throw new Error('An import with rows that cannot be stored must not be committed.');
    }
    const { statements, forget, summaryOf, prunes } = preparation(this.#sql, incoming, options);
    const results = await this.#runToTheEnd(...statements);
    if (prunes(results)) await this.#runToTheEnd(...forget);
    this.#prepared = summaryOf(results);
    return this.#prepared;
  }

  async before(accounts: 'named' | 'all'): Promise<number> {
    const [result] = await this.#runToTheEnd(statement((await this.#ofWay()).before[accounts]));
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
    const [result] = await this.#runToTheEnd(statement((await this.#ofWay()).outside, accounts));
    const [row] = result?.rows ?? [];
    return row && { account_id: String(row[0]), named: Number(row[1]) };
  }

  async write(...statements: Statement[]): Promise<number[]> {
    return (await this.#runToTheEnd(...statements)).map(({ count }) => count);
  }

  async commit(options: CommitOptions = {}): Promise<LoadSummary> {
    const summary = this.#prepared ?? (await this.prepare(options));
    await this.#runToTheEnd(...this.#sql.drop.map((text) => statement(text)), COMMIT);
    try {
      await refreshStatistics((...all) => this.#run(...all), this.#sql, summary);
      this.#release(true);
    } catch {
      // What was committed is committed; PostgreSQL makes them by itself another time.
      this.#release(false);
    }
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
    if (result?.rows[0]?.[0] !== 1) return false;
    if (await makeFirst(this.#client, this.#sql.stage.map(this.#staging.named))) return true;
    this.#holder = 'The command that moves shards';
    return false;
  }

  #run(...statements: Statement[]): Promise<readonly StatementResult[]> {
    const own = statements.map((one) => ({ ...one, text: this.#staging.named(one.text) }));
    return roundTrip(this.#client, own, this.#preparations, WORK_MILLISECONDS);
  }

  #makeNotes(): Promise<unknown> {
    this.#notes ??= this.#run(...this.#sql.make.map((text) => statement(text)));
    return this.#notes;
  }

  /** Where the rows go, which the first of them decide. */
  async #takeIn(first: readonly (readonly Stored[])[] = []): Promise<IncomingRows> {
    await this.#makeNotes();
    const mayBeStraight = !this.#isTrial && areByAccount(first);
    this.#incoming ??= await incomingRows(
      {
        client: this.#client,
        sql: this.#sql,
        table: this.#table,
        run: (...texts) => this.#run(...texts.map((text) => statement(text))),
        named: this.#staging.named,
      },
      mayBeStraight,
    );
    return this.#incoming;
  }

  /** The statements that depend on where the rows have come to. */
  async #ofWay() {
    return this.#sql[(await this.#takeIn()).way];
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
}
