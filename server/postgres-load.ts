// One import into PostgreSQL. Rows go through COPY into a temporary table; what changes is worked out there and then written,
// all in one transaction, so that readers see the old list until the commit. It must not know of files or what a column means.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { timestampOf } from '@linecard/client';
import type { PoolClient } from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import { Preparations } from './postgres-batch.ts';
import { drop, trip } from './postgres-connect.ts';
import { troubleOf } from './postgres-errors.ts';
import { COMMIT } from './postgres-transaction.ts';
import type { Bound, Statement } from './sql.ts';
import {
  type Duplicates,
  type Load,
  type LoadEnd,
  type LoadOptions,
  type LoadSummary,
  StoreUnavailable,
} from './store.ts';
import { type Stored, storedColumns, type Table } from './tables.ts';

/** `LNCI`: the lock that an import and nothing else takes. */
const IMPORT_LOCK = 0x4c4e4349;
/** How long another import is waited for, how often it is tried, and when the waiting is told. */
const PATIENCE_MILLISECONDS = 600_000;
const RETRY_MILLISECONDS = 100;
const TELL_AFTER_MILLISECONDS = 1_000;
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
const NEW_REVISION = `replace(gen_random_uuid()::text, '-', '')`;

const plain = (text: string, ...values: Bound[]): Statement => ({ text, values });

/** A value as the text format of COPY has it. */
function copied(value: Stored): string {
  if (value === null) return NULL;
  return typeof value === 'string' ? value.replace(SPECIAL, (one) => ESCAPED[one] as string) : String(value);
}

/** The statements of an import into a table. */
function statementsFor(table: Table) {
  const { name } = table;
  const columns = storedColumns(table);
  const names = columns.join(', ');
  const of = (row: string) => columns.map((column) => `${row}.${column}`).join(', ');
  const listed = (row: string) =>
    [
      'true',
      ...Object.entries(table.list.only).map(([column, value]) => `${row}.${column} = '${value}'`),
    ].join(' and ');
  return {
    stage: `create temp table import_rows on commit drop as
      select 0::bigint as place, ${names} from ${name} with no data`,
    copy: `copy import_rows (place, ${names}) from stdin`,
    duplicates: `with repeated as (
        select id, place, min(place) over (partition by id) as first_place from import_rows
      ), later as (select * from repeated where place > first_place)
      select (select count(*) from later), id, place, first_place from later order by place limit $1`,
    changes: `create temp table import_changes on commit drop as
      select rows.id, rows.account_id, stored.account_id as old_account_id,
        ${listed('rows')} as listed, coalesce(${listed('stored')}, false) as was_listed
      from import_rows as rows left join ${name} as stored on stored.id = rows.id
      where stored.id is null or (${of('stored')}) is distinct from (${of('rows')})`,
    named: `create temp table import_accounts on commit drop as select distinct account_id from import_rows`,
    nameMore: `insert into import_accounts select unnest($1::text[])`,
    removals: `create temp table import_removals (account_id text, was_listed boolean) on commit drop`,
    // A row that moves goes and comes, because the account is what rows are distributed by.
    removeMoved: `delete from ${name} as stored using import_changes as changed
      where stored.account_id = changed.old_account_id and stored.id = changed.id and changed.old_account_id <> changed.account_id`,
    store: `insert into ${name} (${names}) select ${of('rows')}
      from import_rows as rows join import_changes as changed on changed.id = rows.id
      order by rows.account_id, rows.id
      on conflict (account_id, id) do update set (${columns.slice(2).join(', ')}) =
        row(${columns
          .slice(2)
          .map((column) => `excluded.${column}`)
          .join(', ')})`,
    removeOthers: `with removed as (
        delete from ${name} as stored where account_id in (select account_id from import_accounts)
          and not exists (select from import_rows as rows where rows.id = stored.id)
        returning account_id, ${listed('stored')} as was_listed
      ) insert into import_removals select account_id, was_listed from removed`,
    createAccounts: `insert into accounts (id, name, created_at, revision)
      select distinct account_id, '', $1, ${NEW_REVISION} from import_accounts on conflict do nothing`,
    renewAccounts: `update accounts set revision = ${NEW_REVISION},
        ${name} = (select count(*) from ${name} as stored where account_id = accounts.id and ${listed('stored')})
      where id in (
        select account_id from import_changes where listed or (was_listed and old_account_id = account_id)
        union select old_account_id from import_changes where was_listed and old_account_id <> account_id
        union select account_id from import_removals where was_listed
      )`,
    count: `select count(*) filter (where old_account_id is null), count(old_account_id),
        (select count(*) from import_rows), (select reltuples::bigint from pg_class where oid = '${name}'::regclass)
      from import_changes`,
    analyze: `analyze ${name}`,
  };
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
      await load.#lock(options);
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

  /** Waits for another import to end. */
  async #lock({ patience_ms = PATIENCE_MILLISECONDS, signal, onWait }: LoadOptions): Promise<void> {
    const begin = performance.now();
    let told = false;
    for (;;) {
      const [outcome] = await this.#ask(plain(`select pg_try_advisory_xact_lock(${IMPORT_LOCK})::int`));
      if (outcome?.rows[0]?.[0] === 1) return;
      const waited = performance.now() - begin;
      if (waited >= patience_ms) {
        throw new StoreUnavailable(
          `Another import has been writing to the database for ${Math.round(waited / 1_000)} seconds. Try again when it has ended.`,
        );
      }
      if (!told && waited >= TELL_AFTER_MILLISECONDS) {
        told = true;
        onWait?.();
      }
      await sleep(RETRY_MILLISECONDS, undefined, { signal });
    }
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
