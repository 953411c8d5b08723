// One moment of a PostgreSQL database, kept in a transaction for as long as it is looked at: exports and copies read
// through it.

import type { PoolClient } from 'pg';
import type { Statement } from '../sql.ts';
import type { Row, RowsOf, Snapshot } from '../store.ts';
import { Preparations } from './batch.ts';
import { drop, type Settings, trip } from './connect.ts';
import { beginning, COMMIT, within } from './transaction.ts';

const ROWS_AT_ONCE = 1_000;

export class PostgresSnapshot implements Snapshot {
  readonly #client: PoolClient;
  readonly #settings: Settings;
  /** Of this snapshot alone: what a cursor's name stands for is known nowhere else. */
  readonly #preparations = new Preparations(false);
  #cursors = 0;
  #begun = false;
  #asking = false;
  #closed = false;

  constructor(client: PoolClient, settings: Settings) {
    this.#client = client;
    this.#settings = settings;
  }

  async read<const S extends readonly Statement[]>(...statements: S): Promise<RowsOf<S>> {
    return (await this.#ask(statements, this.#settings.timeout_ms)) as RowsOf<S>;
  }

  async *rows({ text, values, owner }: Statement): AsyncGenerator<Row[]> {
    this.#cursors += 1;
    const cursor = `rows_${this.#cursors}`;
    const of = owner === undefined ? {} : { owner };
    const declare = { text: `declare ${cursor} no scroll cursor for ${text}`, values, ...of };
    const fetch = { text: `fetch forward ${ROWS_AT_ONCE} from ${cursor}`, values: [], ...of };
    let [, rows = []] = await this.#ask([declare, fetch], this.#settings.rows_ms);
    while (rows.length > 0) {
      yield rows;
      if (rows.length < ROWS_AT_ONCE) break;
      [rows = []] = await this.#ask([fetch], this.#settings.rows_ms);
    }
    await this.#ask([{ text: `close ${cursor}`, values: [] }], this.#settings.timeout_ms);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    // Ending the transaction politely only saves a new connection; what it was doing is of no more use.
    const whole = !this.#asking && this.#client.getTransactionStatus() === 'T';
    const ended = whole && (await this.#ask([COMMIT], this.#settings.timeout_ms).then(Boolean, () => false));
    if (!ended) drop(this.#client);
    this.#client.release(!ended);
  }

  async #ask(statements: readonly Statement[], timeout_ms: number): Promise<Row[][]> {
    const before = this.#begun ? [] : beginning('read', this.#settings.rows_ms);
    const framed = within(this.#settings, statements, before);
    this.#begun = true;
    this.#asking = true;
    const outcomes = await trip(this.#client, framed.statements, this.#preparations, timeout_ms);
    this.#asking = false;
    return framed.places.map((place) => outcomes[place]?.rows ?? []);
  }
}
