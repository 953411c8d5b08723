// The store for more than one machine: a PostgreSQL database, through pg.

import type { Pool, PoolClient } from 'pg';
import { citus, type Dialect, postgres } from '../dialects.ts';
import type { ImportTransaction, TransactionOptions } from '../import-transaction.ts';
import type { Statement } from '../sql.ts';
import type {
  Load,
  LoadOptions,
  Purpose,
  RowsOf,
  ServerFigures,
  Snapshot,
  Store,
  StoreOptions,
} from '../store.ts';
import { StoreRefused, StoreRolledBack } from '../store-errors.ts';
import type { Table } from '../tables.ts';
import { Preparations } from './batch.ts';
import { type ConnectionSettings, drop, poolOf, roundTrip, settingsOf } from './connect.ts';
import { storeErrorOf } from './errors.ts';
import { PostgresImport } from './import-transaction.ts';
import { PostgresLoad } from './load.ts';
import { ReadQueue } from './read-queue.ts';
import { prepare } from './schema.ts';
import { PostgresSnapshot } from './snapshot.ts';
import { stagingOf } from './staging.ts';
import { ROLLBACK, writing } from './transaction.ts';

/** How often a write is done again that PostgreSQL undid because of another one, as in a deadlock. */
const WRITE_REPEATS = 5;

export class PostgresStore implements Store {
  readonly dialect: Dialect;
  readonly isRemote = true;
  readonly showsOneAccount: boolean;
  readonly #settings: ConnectionSettings;
  readonly #reads: ReadQueue;
  /** The connection pool of writes, snapshots and imports, which do not share a connection. */
  readonly #exclusive: Pool;
  /** Of writes, which seldom differ in their text. */
  readonly #preparations: Preparations;
  /** Connections of it that are in use. */
  readonly #lent = new Set<PoolClient>();

  private constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    this.dialect = settings.isDistributed ? citus : postgres;
    this.showsOneAccount = settings.rowSecurity;
    this.#reads = new ReadQueue(settings);
    this.#exclusive = poolOf(settings);
    this.#preparations = new Preparations(settings.pooler !== 'transaction');
    this.#exclusive.on('acquire', (client) => this.#lent.add(client));
    this.#exclusive.on('release', (_error, client) => this.#lent.delete(client));
  }

  /**
   * Opens the database of a URL; to write, its schema is brought up to date.
   * @throws {StoreRefused} when it is of another program or of a newer Linecard, or a pooler is in the way.
   */
  static async open(url: string, purpose: Purpose, options: StoreOptions = {}): Promise<PostgresStore> {
    const settings = settingsOf(url, options);
    const { isSecured, isWhollySecured, isDistributed } = await prepare(settings, purpose);
    if (settings.rowSecurity && purpose === 'read' && !isWhollySecured) {
      throw new StoreRefused(
        'Row security is switched on, but the role of the URL sees every row of some tables. Set it up with linecard-server migrate --row-security --serving-role ROLE, and serve with the URL of that role.',
      );
    }
    if (isSecured && options.rowSecurity === undefined) {
      throw new StoreRefused(
        'Row security hides rows from the role of the URL. Use the URL of the role that owns the tables.',
      );
    }
    return new PostgresStore({ ...settings, rowSecurity: isSecured, isDistributed });
  }

  get url(): string {
    return this.#settings.url;
  }

  /** How long a read or a write may take. */
  get timeoutMs(): number {
    return this.#settings.timeoutMs;
  }

  /**
   * The same database, reached otherwise or on another server, over connections of its own; it is not checked
   * first.
   */
  with(
    other: Partial<Pick<ConnectionSettings, 'url' | 'connections' | 'timeoutMs' | 'batchReads'>>,
  ): PostgresStore {
    return new PostgresStore({ ...this.#settings, ...other });
  }

  read<const S extends readonly Statement[]>(...statements: S): Promise<RowsOf<S>> {
    return this.#reads.read(statements) as Promise<RowsOf<S>>;
  }

  async snapshot(): Promise<Snapshot> {
    return new PostgresSnapshot(await this.#connection(), this.#settings);
  }

  async write(...statements: Statement[]): Promise<number[]> {
    if (statements.length === 0) return [];
    for (let repeats = WRITE_REPEATS; ; repeats--) {
      try {
        return await this.#writeOnce(statements);
      } catch (error) {
        if (!(error instanceof StoreRolledBack) || repeats === 0) throw error;
      }
    }
  }

  async #writeOnce(statements: Statement[]): Promise<number[]> {
    const client = await this.#connection();
    const { statements: all, positions } = writing(this.#settings, statements);
    const send = (some: readonly Statement[]) =>
      roundTrip(client, some, this.#preparations, this.#settings.timeoutMs);
    // What follows a statement that is required is not sent before its result is known.
    const begun = (positions[statements.findIndex((one) => one.isRequired)] ?? -1) + 1;
    try {
      const first = begun === 0 ? [] : await send(all.slice(0, begun));
      if (begun > 0 && first.at(-1)?.count === 0) {
        await send([ROLLBACK]);
        client.release();
        return statements.map(() => 0);
      }
      const results = [...first, ...(await send(all.slice(begun)))];
      client.release();
      return positions.map((position) => results[position]?.count ?? 0);
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async load(table: Table, options?: LoadOptions): Promise<Load> {
    return PostgresLoad.begin(await this.#connection(), this.dialect, table, options);
  }

  async beginImport(options?: LoadOptions & TransactionOptions): Promise<ImportTransaction> {
    return PostgresImport.begin(await this.#connection(), stagingOf(this.dialect), options);
  }

  figures(): ServerFigures {
    const reads = this.#reads.figures;
    const { totalCount, idleCount, waitingCount } = this.#exclusive;
    return {
      waiting: reads.waiting + waitingCount,
      open: reads.open + totalCount,
      busy: reads.busy + totalCount - idleCount,
      replicas: [],
    };
  }

  async close(): Promise<void> {
    await this.#reads.close();
    // Connections that are in use are not waited for: their transactions end without a commit.
    void this.#exclusive.end();
    for (const client of this.#lent) drop(client);
  }

  async #connection(): Promise<PoolClient> {
    try {
      return await this.#exclusive.connect();
    } catch (error) {
      throw storeErrorOf(error);
    }
  }
}
