// One import into PostgreSQL. Rows are staged by COPY in a table of its own and compared there; what changes
// is written, all in one transaction, so that readers see the old list until the commit.

import type { PoolClient } from 'pg';
import type { Dialect } from '../dialects.ts';
import type { LoadSummary } from '../load-summary.ts';
import { objectsOf, type Statement, statement } from '../sql.ts';
import type {
  AccountChanges,
  AccountMoves,
  CommitOptions,
  Duplicates,
  Load,
  LoadOptions,
  ResultRow,
} from '../store.ts';
import type { Stored, Table } from '../tables.ts';
import { storeErrorOf } from './errors.ts';
import { PostgresImport } from './import-transaction.ts';
import { areByAccount, type IncomingRows, incomingRows } from './incoming-rows.ts';
import { statementsFor } from './load-statements.ts';
import { prepareImport } from './preparation.ts';
import { refreshStatistics, stagingOf } from './staging.ts';
import { COMMIT } from './transaction.ts';

export class PostgresLoad implements Load {
  /** A round trip for this number of rows is short compared with reading them. */
  readonly readSize = 10_000;
  readonly #transaction: PostgresImport;
  readonly #sql: ReturnType<typeof statementsFor>;
  readonly #table: Table;
  #incoming: IncomingRows | undefined;
  /** How many ids had come before, where that is known of all rows so far. */
  #repeated: number | undefined;
  #prepared: LoadSummary | undefined;

  private constructor(transaction: PostgresImport, table: Table, sql: ReturnType<typeof statementsFor>) {
    this.#transaction = transaction;
    this.#table = table;
    this.#sql = sql;
  }

  /** @throws {StoreUnavailable} when another import does not end in time. */
  static async begin(
    client: PoolClient,
    dialect: Dialect,
    table: Table,
    options: LoadOptions = {},
  ): Promise<PostgresLoad> {
    const staging = stagingOf(dialect);
    const sql = statementsFor(table, staging, options.isTrial ?? false);
    return new PostgresLoad(await PostgresImport.begin(client, staging, options, sql.stage.make), table, sql);
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
    // The list itself has no id twice, by a unique index that Citus does not have.
    const { route, areStorable, removals } = incoming;
    const areIndexed =
      !this.#transaction.dialect.isDistributed && route === 'direct' && areStorable && removals === 0;
    const areUnique = areIndexed || incoming.ids.areUnique;
    const [result] = areUnique
      ? []
      : await this.#transaction.run(statement(this.#sql[route].duplicates, limit));
    const rows = (result?.rows ?? []) as unknown as readonly [number, number, number, number][];
    const first = rows.map(([, id, line, firstLine]) => ({ id, line, firstLine }));
    this.#repeated = rows[0]?.[0] ?? 0;
    if (this.#repeated === 0 && incoming.refusal !== undefined) throw storeErrorOf(incoming.refusal);
    return { total: this.#repeated, first };
  }

  async stored(ids: readonly number[]): Promise<readonly ResultRow[]> {
    // The list was empty.
    if (this.#incoming?.route === 'direct') return [];
    await this.#incoming?.end();
    const { lockStored, stored } = this.#sql.stage;
    const results = await this.#transaction.run(
      ...[this.#transaction.isTrial ? undefined : lockStored, stored]
        .flatMap((text) => text ?? [])
        .map((text) => statement(text, ids)),
    );
    return results.at(-1)?.rows ?? [];
  }

  async prepare(options: CommitOptions = {}): Promise<LoadSummary> {
    if (this.#repeated === undefined) await this.duplicates(1);
    const incoming = await this.#destination();
    if (this.#repeated !== 0 || !incoming.areStorable) {
      throw new Error('An import with rows that cannot be stored must not be committed.');
    }
    this.#prepared = await prepareImport(this.#transaction, this.#sql, incoming, options);
    return this.#prepared;
  }

  async read(one: Statement): Promise<readonly ResultRow[]> {
    // No statement runs while rows are copied.
    if (this.#incoming?.route === 'staged') await this.#incoming.end();
    const [result] = await this.#transaction.run(one);
    return result?.rows ?? [];
  }

  async before(accounts: 'named' | 'all') {
    const [result] = await this.#transaction.run(statement((await this.#byRoute()).before[accounts]));
    const [items, movedOut] = result?.rows[0] ?? [];
    return { items: Number(items), movedOut: Number(movedOut) };
  }

  async moves(): Promise<readonly AccountMoves[]> {
    const [result] = await this.#transaction.run(statement(this.#sql.compare.moves));
    const names = ['from_account_id', 'to_account_id', 'items'] as const;
    return objectsOf<AccountMoves>(names, result?.rows ?? []);
  }

  async changes(): Promise<readonly AccountChanges[]> {
    const [result] = await this.#transaction.run(statement(this.#sql.compare.accountChanges));
    const names = ['account_id', 'inserted', 'updated', 'removed', 'moved_in', 'moved_out'] as const;
    return objectsOf<AccountChanges>(names, result?.rows ?? []);
  }

  async outside(accounts: readonly string[]) {
    const [result] = await this.#transaction.run(statement((await this.#byRoute()).outside, accounts));
    const [row] = result?.rows ?? [];
    return row && { account_id: String(row[0]), named: Number(row[1]) };
  }

  async write(...statements: Statement[]): Promise<number[]> {
    if (this.#transaction.isTrial) throw new Error('A trial writes nothing.');
    return (await this.#transaction.run(...statements)).map(({ count }) => count);
  }

  async commit(options: CommitOptions = {}): Promise<LoadSummary> {
    const summary = this.#prepared ?? (await this.prepare(options));
    await this.#transaction.run(...this.#sql.drop.map((text) => statement(text)), COMMIT);
    try {
      await refreshStatistics((...all) => this.#transaction.run(...all), this.#sql, summary);
      this.#transaction.release(true);
    } catch {
      // What was committed is committed; PostgreSQL makes them by itself another time.
      this.#transaction.release(false);
    }
    return summary;
  }

  async rollback(): Promise<void> {
    this.#transaction.release(false);
  }

  /** Where the rows go; the first of them decide. */
  async #destination(first: readonly (readonly Stored[])[] = []): Promise<IncomingRows> {
    const mayBeDirect = !this.#transaction.isTrial && areByAccount(first);
    this.#incoming ??= await incomingRows(this.#transaction, this.#sql.stage, this.#table, mayBeDirect);
    return this.#incoming;
  }

  /** The statements that depend on where the rows go. */
  async #byRoute() {
    return this.#sql[(await this.#destination()).route];
  }
}
