// One import into PostgreSQL. Rows go through COPY into a temporary table; what changes is worked out there and then written,
// all in one transaction, so that readers see the old list until the commit. It must not know of files or what a column means.

import { once } from 'node:events';
import { timestampOf } from '@linecard/client/contract/timestamp';
import type { PoolClient } from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import type { Bound, Statement } from '../sql.ts';
import {
  type Duplicates,
  type Load,
  type LoadEnd,
  type LoadOptions,
  type LoadSummary,
  StoreUnavailable,
} from '../store.ts';
import { type Stored, storedColumns, type Table } from '../tables.ts';
import { takeTurn } from '../write-lock.ts';
import { Preparations } from './batch.ts';
import { drop, trip } from './connect.ts';
import { troubleOf } from './errors.ts';
import { statementsFor } from './load-statements.ts';
import { COMMIT } from './transaction.ts';

/** `LNCI`: the lock that an import and nothing else takes. */
const IMPORT_LOCK = 0x4c4e4349;
/** For what takes as long as it takes: a server that answers nothing for so long is not working. */
const WORK_MILLISECONDS = 3_600_000;
const STALLED_MILLISECONDS = 60_000;
/** An import that changed more than this share of a table leaves the planner with wrong ideas of it. */
const ANALYZE_SHARE = 0.1;
const ANALYZE_ROWS = 1_000;
const WORK_MEMORY = '64MB';

const SPECIAL = /[\\\n\r\t]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const NULL = '\\N';

const BEGIN = `begin isolation level read committed read write;
  set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  set local work_mem = '${WORK_MEMORY}'`;

const plain = (text: string, ...values: Bound[]): Statement => ({ text, values });

/** A value as the text format of COPY has it. */
function copied(value: Stored): string {
  if (value === null) return NULL;
  return typeof value === 'string' ? value.replace(SPECIAL, (one) => ESCAPED[one] as string) : String(value);
}

export class PostgresLoad implements Load {
  readonly #client: PoolClient;
  readonly #sql: ReturnType<typeof statementsFor>;
  readonly #columns: number;
  readonly #preparations = new Preparations(false);
  #copy: CopyStreamQuery | undefined;
  #trouble: Error | undefined;
  /** False once there is a row that cannot be stored. */
  #storable = true;
  /** How many ids had come before, where that is known of all rows so far. */
  #repeated: number | undefined;
  #is_over = false;

  private constructor(client: PoolClient, table: Table) {
    this.#client = client;
    this.#sql = statementsFor(table);
    this.#columns = storedColumns(table).length;
  }

  /** @throws {StoreUnavailable} when another import does not end in time. */
  static async begin(client: PoolClient, table: Table, options: LoadOptions = {}): Promise<PostgresLoad> {
    const load = new PostgresLoad(client, table);
    try {
      await client.query(BEGIN);
      await takeTurn('Another import', () => load.#isMyTurn(), options);
      await load.#ask(plain(load.#sql.stage));
      return load;
    } catch (error) {
      load.#letGo(false);
      throw options.signal?.aborted === true ? error : troubleOf(error);
    }
  }

  async add(rows: readonly (readonly Stored[])[], places: readonly number[]): Promise<void> {
    let text = '';
    for (let i = 0; i < rows.length; i++)
      text += `${places[i]}\t${(rows[i] as readonly Stored[]).map(copied).join('\t')}\n`;
    await this.#write(text);
  }

  async addFaulty(ids: readonly number[], places: readonly number[]): Promise<void> {
    this.#storable = false;
    const nothing = `\t${NULL}`.repeat(this.#columns - 1);
    await this.#write(ids.map((id, i) => `${places[i]}\t${id}${nothing}\n`).join(''));
  }

  async duplicates(limit: number): Promise<Duplicates> {
    await this.#endCopy();
    const [outcome] = await this.#ask(plain(this.#sql.duplicates, limit));
    const rows = (outcome?.rows ?? []) as unknown as readonly [number, number, number, number][];
    const first = rows.map(([, id, place, first_place]) => ({ id, place, first_place }));
    this.#repeated = rows[0]?.[0] ?? 0;
    return { total: this.#repeated, first };
  }

  async commit(end: LoadEnd = {}): Promise<LoadSummary> {
    const { accounts = [], remove_others = false } = end;
    if (this.#repeated === undefined) await this.duplicates(1);
    if (this.#repeated !== 0 || !this.#storable) {
      throw new Error('A run with rows that cannot be stored must not be committed.');
    }
    const sql = this.#sql;
    const remove = plain(sql.removeOthers);
    const create = plain(sql.createAccounts, timestampOf());
    const count = plain(sql.count);
    const statements = [
      plain(sql.changes),
      plain(sql.named),
      plain(sql.nameMore, accounts),
      plain(sql.removals),
      plain(sql.removeMoved),
      plain(sql.store),
      ...(remove_others ? [remove] : []),
      create,
      plain(sql.renewAccounts),
      count,
      COMMIT,
    ];
    const outcomes = await this.#ask(...statements).catch((error: unknown) => {
      this.#letGo(false);
      throw error;
    });
    const gave = (statement: Statement) => outcomes[statements.indexOf(statement)];
    const [inserted = 0, updated = 0, rows = 0, known = 0] = (gave(count)?.rows[0] ?? []) as number[];
    const removed = gave(remove)?.count ?? 0;
    await this.#refreshStatistics(inserted + updated + removed, known);
    this.#letGo(true);
    const unchanged = rows - inserted - updated;
    return { inserted, updated, unchanged, removed, accounts_created: gave(create)?.count ?? 0 };
  }

  async rollback(): Promise<void> {
    this.#letGo(false);
  }

  /** Gives the connection back; where the transaction is still open, the server leaves everything as it was. */
  #letGo(sound: boolean): void {
    if (this.#is_over) return;
    this.#is_over = true;
    if (!sound) drop(this.#client);
    this.#client.release(!sound);
  }

  async #isMyTurn(): Promise<boolean> {
    const [outcome] = await this.#ask(plain(`select pg_try_advisory_xact_lock(${IMPORT_LOCK})::int`));
    return outcome?.rows[0]?.[0] === 1;
  }

  #ask(...statements: Statement[]) {
    return trip(this.#client, statements, this.#preparations, WORK_MILLISECONDS);
  }

  /** Sends rows on; waits while the server has enough of them. */
  async #write(text: string): Promise<void> {
    if (this.#trouble !== undefined) throw this.#trouble;
    if (text === '') return;
    this.#repeated = undefined;
    const copy = this.#copy ?? this.#beginCopy();
    if (copy.write(text)) return;
    await this.#orTrouble(once(copy, 'drain'));
  }

  #beginCopy(): CopyStreamQuery {
    const copy = this.#client.query(copyFrom(this.#sql.copy));
    copy.on('error', (error) => {
      this.#trouble = troubleOf(error);
    });
    this.#copy = copy;
    return copy;
  }

  async #endCopy(): Promise<void> {
    const copy = this.#copy;
    if (copy === undefined) return;
    if (this.#trouble !== undefined) throw this.#trouble;
    this.#copy = undefined;
    copy.end();
    await this.#orTrouble(once(copy, 'finish'));
  }

  /** Waits for a sign of the server, but not for ever. */
  async #orTrouble(sign: Promise<unknown>): Promise<void> {
    const timer = setTimeout(() => {
      this.#trouble = new StoreUnavailable('The database has stopped taking rows. Nothing was changed.');
      drop(this.#client);
    }, STALLED_MILLISECONDS);
    try {
      await sign;
    } catch (error) {
      throw this.#trouble ?? troubleOf(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The planner learns of a list that is not what it was; without, its first queries would read all of it. */
  async #refreshStatistics(changed: number, known: number): Promise<void> {
    if (changed < ANALYZE_ROWS || changed < known * ANALYZE_SHARE) return;
    try {
      await this.#ask(plain(this.#sql.analyze));
    } catch {
      // What was committed is committed; PostgreSQL does it by itself another time.
    }
  }
}
