// One import into PostgreSQL. Rows are staged by COPY in a table of its own and compared there; what changes
// is written, all in one transaction, so that readers see the old list until the commit.

import type { PoolClient } from 'pg';
import { type Dialect, IMPORT_LOCK } from '../dialects.ts';
import { type Statement, statement } from '../sql.ts';
import type {
  AccountChanges,
  AccountMoves,
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
import { named, preparation } from './preparation.ts';
import { makeFirst, refreshStatistics, SETTINGS, type Staging, stagingOf } from './staging.ts';
import { COMMIT } from './transaction.ts';

/** Statements of an import have no limit, but a server that answers nothing for so long is not working. */
const WORK_MILLISECONDS = 3_600_000;
/** A list, and how its database is spelled. */
export interface LoadTarget {
  readonly table: Table;
  readonly dialect: Dialect;
}

export class PostgresLoad implements Load {
  /** A round trip for this number of rows is short compared with reading them. */
  readonly readSize = 10_000;
  readonly #client: PoolClient;
  readonly #staging: Staging;
  readonly #sql: ReturnType<typeof statementsFor>;
  readonly #table: Table;
  readonly #isTrial: boolean;
  readonly #preparations = new Preparations(false);
  /** What holds the lock that is waited for. */
  #holder = 'Another import';
  /** The tables of changes, once they are being made. */
  #tables: Promise<unknown> | undefined;
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
    this.#sql = statementsFor(target.table, this.#staging, isTrial);
  }

  /** @throws {StoreUnavailable} when another import does not end in time. */
  static async begin(
    client: PoolClient,
    target: LoadTarget,
    options: LoadOptions = {},
  ): Promise<PostgresLoad> {
    const load = new PostgresLoad(client, target, options);
    try {
      await client.query(`${load.#staging.begin(load.#isTrial)}; ${SETTINGS}`);
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
    await (await this.#destination(rows)).add(rows, lines);
  }

  async addFaulty(ids: readonly number[], lines: readonly number[]): Promise<void> {
    this.#repeated = undefined;
    await (await this.#destination()).addFaulty(ids, lines);
  }

  async duplicates(limit: number): Promise<Duplicates> {
    const incoming = await this.#destination();
    await incoming.end();
    // The list itself has no id twice.
    const { route, areStorable, removals } = incoming;
    const areIndexed = this.#staging.keepsIdsUnique && route === 'direct' && areStorable && removals === 0;
    const areUnique = areIndexed || incoming.ids.areUnique;
    const [result] = areUnique ? [] : await this.#run(statement(this.#sql[route].duplicates, limit));
    const rows = (result?.rows ?? []) as unknown as readonly [number, number, number, number][];
    const first = rows.map(([, id, line, firstLine]) => ({ id, line, firstLine }));
    this.#repeated = rows[0]?.[0] ?? 0;
    if (this.#repeated === 0 && incoming.refusal !== undefined) throw storeErrorOf(incoming.refusal);
    return { total: this.#repeated, first };
  }

  async stored(ids: readonly number[]): Promise<readonly ResultRow[]> {
    await this.#incoming?.end();
    await this.#tables;
    const { lockStored, stored } = this.#sql.stage;
    const results = await this.#run(
      ...[this.#isTrial ? undefined : lockStored, stored]
        .flatMap((text) => text ?? [])
        .map((text) => statement(text, ids)),
    );
    // Meanwhile the next rows are computed from them. Its error is thrown where it is awaited.
    this.#makeTables().catch(() => {});
    return results.at(-1)?.rows ?? [];
  }

  async prepare(options: CommitOptions = {}): Promise<LoadSummary> {
    if (this.#repeated === undefined) await this.duplicates(1);
    const incoming = await this.#destination();
    if (this.#repeated !== 0 || !incoming.areStorable) {
      throw new Error('An import with rows that cannot be stored must not be committed.');
    }
    const { statements, forget, summaryOf, prunes } = preparation(this.#sql, incoming, {
      ...options,
      isTrial: this.#isTrial,
    });
    const results = await this.#runToTheEnd(...statements);
    if (prunes(results)) await this.#runToTheEnd(...forget);
    this.#prepared = summaryOf(results);
    return this.#prepared;
  }

  async before(accounts: 'named' | 'all') {
    const [result] = await this.#runToTheEnd(statement((await this.#byRoute()).before[accounts]));
    const [items, movedOut] = result?.rows[0] ?? [];
    return { items: Number(items), movedOut: Number(movedOut) };
  }

  async moves(): Promise<readonly AccountMoves[]> {
    const [result] = await this.#runToTheEnd(statement(this.#sql.compare.moves));
    return named<AccountMoves>(['from_account_id', 'to_account_id', 'items'], result);
  }

  async changes(): Promise<readonly AccountChanges[]> {
    const [result] = await this.#runToTheEnd(statement(this.#sql.compare.accountChanges));
    const names = ['account_id', 'inserted', 'updated', 'removed', 'moved_in', 'moved_out'] as const;
    return named<AccountChanges>(names, result);
  }

  async outside(accounts: readonly string[]) {
    const [result] = await this.#runToTheEnd(statement((await this.#byRoute()).outside, accounts));
    const [row] = result?.rows ?? [];
    return row && { account_id: String(row[0]), named: Number(row[1]) };
  }

  async write(...statements: Statement[]): Promise<number[]> {
    if (this.#isTrial) throw new Error('A trial writes nothing.');
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
    if (!this.#isTrial || this.#staging.locksTrials) {
      const [result] = await this.#run(statement(`select pg_try_advisory_xact_lock(${IMPORT_LOCK})::int`));
      if (result?.rows[0]?.[0] !== 1) return false;
    }
    if (await makeFirst(this.#client, this.#sql.stage.make.map(this.#staging.named))) return true;
    this.#holder = 'The command that moves shards';
    return false;
  }

  #run(...statements: Statement[]): Promise<readonly StatementResult[]> {
    const own = statements.map((one) => ({ ...one, text: this.#staging.named(one.text) }));
    return roundTrip(this.#client, own, this.#preparations, WORK_MILLISECONDS);
  }

  #makeTables(): Promise<unknown> {
    this.#tables ??= this.#run(...this.#sql.stage.makeOthers.map((text) => statement(text)));
    return this.#tables;
  }

  /** Where the rows go; the first of them decide. */
  async #destination(first: readonly (readonly Stored[])[] = []): Promise<IncomingRows> {
    await this.#makeTables();
    const mayBeDirect = !this.#isTrial && areByAccount(first);
    this.#incoming ??= await incomingRows(
      {
        client: this.#client,
        sql: this.#sql,
        table: this.#table,
        run: (...texts) => this.#run(...texts.map((text) => statement(text))),
        named: this.#staging.named,
      },
      mayBeDirect,
    );
    return this.#incoming;
  }

  /** The statements that depend on where the rows go. */
  async #byRoute() {
    return this.#sql[(await this.#destination()).route];
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
