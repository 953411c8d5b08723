// A snapshot of a PostgreSQL database: a transaction that stays open until it is closed. Exports and copies
// read through it.

import type { PoolClient } from 'pg';
import type { AnyStatement, Statement } from '../sql.ts';
import type { ResultRow, RowOf, RowsOf, Snapshot } from '../store.ts';
import { Preparations } from './batch.ts';
import { type ConnectionSettings, drop, roundTrip } from './connect.ts';
import { beginning, COMMIT, within } from './transaction.ts';

/** Rows per fetch; the next ones are fetched while these are processed. */
const READ_ROWS = 500;
/** How long the next rows may take: sorting a large list comes before its first row. */
const ROWS_MILLISECONDS = 20_000;

export class PostgresSnapshot implements Snapshot {
  readonly #client: PoolClient;
  readonly #settings: ConnectionSettings;
  /** Of this snapshot alone: in another one the name of a cursor is another cursor. */
  readonly #preparations = new Preparations(false);
  #cursors = 0;
  #hasBegun = false;
  /** Round trips that are in flight or have failed. */
  #open = 0;
  #isClosed = false;

  constructor(client: PoolClient, settings: ConnectionSettings) {
    this.#client = client;
    this.#settings = settings;
  }

  async read<const S extends readonly Statement[]>(...statements: S): Promise<RowsOf<S>> {
    return (await this.#roundTrip(statements, this.#settings.timeoutMs)) as RowsOf<S>;
  }

  async *rows<S extends AnyStatement>({ text, values, owner }: S): AsyncGenerator<RowOf<S>[]> {
    this.#cursors += 1;
    const cursor = `rows_${this.#cursors}`;
    const of = owner === undefined ? {} : { owner };
    const declare = { text: `declare ${cursor} no scroll cursor for ${text}`, values, ...of };
    const fetch = { text: `fetch forward ${READ_ROWS} from ${cursor}`, values: [], ...of };
    let coming = this.#roundTrip([declare, fetch], ROWS_MILLISECONDS);
    for (let isLast = false; !isLast; ) {
      const rows = (await coming).at(-1) ?? [];
      isLast = rows.length < READ_ROWS;
      if (!isLast) {
        coming = this.#roundTrip([fetch], ROWS_MILLISECONDS);
        // If it fails, the error is thrown when these rows are taken, if they are.
        coming.catch(() => {});
      }
      yield rows as RowOf<S>[];
    }
    await this.#roundTrip([{ text: `close ${cursor}`, values: [] }], this.#settings.timeoutMs);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // A commit only saves a new connection; a statement that still runs is no longer needed.
    const isIdle = this.#open === 0 && this.#client.getTransactionStatus() === 'T';
    const ended =
      isIdle && (await this.#roundTrip([COMMIT], this.#settings.timeoutMs).then(Boolean, () => false));
    if (!ended) drop(this.#client);
    this.#client.release(!ended);
  }

  async #roundTrip(statements: readonly Statement[], timeoutMs: number): Promise<ResultRow[][]> {
    const before = this.#hasBegun ? [] : beginning('read', ROWS_MILLISECONDS);
    const framed = within(this.#settings, statements, before);
    this.#hasBegun = true;
    this.#open += 1;
    const results = await roundTrip(this.#client, framed.statements, this.#preparations, timeoutMs);
    this.#open -= 1;
    return framed.positions.map((position) => results[position]?.rows ?? []);
  }
}
