// The store for more than one machine: a PostgreSQL database, through pg. It must not know what is asked of it.

import type { Pool, PoolClient } from 'pg';
import { type Dialect, postgres, type Statement } from '../sql.ts';
import {
  type Load,
  type LoadOptions,
  type Purpose,
  type RowsOf,
  type Snapshot,
  type Store,
  type StoreOptions,
  StoreRefused,
} from '../store.ts';
import type { Table } from '../tables.ts';
import { Preparations } from './batch.ts';
import { drop, poolOf, type Settings, settingsOf, trip } from './connect.ts';
import { troubleOf } from './errors.ts';
import { PostgresLoad } from './load.ts';
import { Reads } from './reads.ts';
import { prepare } from './schema.ts';
import { PostgresSnapshot } from './snapshot.ts';
import { writing } from './transaction.ts';

export class PostgresStore implements Store {
  readonly dialect: Dialect = postgres;
  readonly #settings: Settings;
  readonly #reads: Reads;
  /** For what keeps a connection to itself: writes, snapshots and imports. */
  readonly #alone: Pool;
  readonly #unprepared = new Preparations(false);
  /** Connections that somebody has to themselves. */
  readonly #lent = new Set<PoolClient>();

  private constructor(settings: Settings) {
    this.#settings = settings;
    this.#reads = new Reads(settings);
    this.#alone = poolOf(settings);
    this.#alone.on('acquire', (client) => this.#lent.add(client));
    this.#alone.on('release', (_error, client) => this.#lent.delete(client));
  }

  /**
   * Opens the database of a URL; to write, its schema is brought up to date.
   * @throws {StoreRefused} when it is none of ours, of a newer Linecard, or the way to it is of no use.
   * @throws {StoreUnavailable}
   */
  static async open(url: string, purpose: Purpose, options: StoreOptions = {}): Promise<PostgresStore> {
    const settings = settingsOf(url, options);
    const secured = await prepare(settings, purpose);
    if (settings.row_security && purpose === 'read' && !secured) {
      throw new StoreRefused(
        'Row security was asked for, but the role of the URL sees every row. Set it up with linecard-server migrate --row-security --serving-role ROLE, and serve with the URL of that role.',
      );
    }
    if (secured && options.row_security === undefined) {
      throw new StoreRefused(
        'Row security hides rows from the role of the URL. Use the URL of the role that owns the tables.',
      );
    }
    return new PostgresStore({ ...settings, row_security: secured });
  }

  /** How long anything that is asked may take. */
  get timeout_ms(): number {
    return this.#settings.timeout_ms;
  }

  /** The same database, reached otherwise or on another server, over connections of its own; it is not looked at first. */
  with(
    other: Partial<Pick<Settings, 'url' | 'connections' | 'timeout_ms' | 'rows_ms' | 'together'>>,
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
    const client = await this.#connection();
    const framed = writing(this.#settings, statements);
    try {
      const outcomes = await trip(client, framed.statements, this.#unprepared, this.#settings.timeout_ms);
      client.release();
      return framed.places.map((place) => outcomes[place]?.count ?? 0);
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async load(table: Table, options?: LoadOptions): Promise<Load> {
    return PostgresLoad.begin(await this.#connection(), table, options);
  }

  async close(): Promise<void> {
    await this.#reads.close();
    // Connections that are lent are not waited for: what they were doing is left undone.
    void this.#alone.end();
    for (const client of this.#lent) drop(client);
  }

  async #connection(): Promise<PoolClient> {
    try {
      return await this.#alone.connect();
    } catch (error) {
      throw troubleOf(error);
    }
  }
}
