// One import into the embedded store. Rows are written as they come, in one transaction that holds the write lock from
// its beginning, so that readers see the old list until the commit. It must not know of files or what a column means.

import type { DatabaseSync } from 'node:sqlite';
import { timestampOf } from '@linecard/client/contract/timestamp';
import type { Duplicates, Load, LoadEnd, LoadOptions, LoadSummary } from '../store.ts';
import { type Stored, storedColumns, type Table } from '../tables.ts';
import { guarded } from './errors.ts';
import { CHANGED, CREATE_NOTES, DROP_NOTES, IDS_AT_ONCE, NAMED, statementsFor } from './load-statements.ts';
import { beginToWrite, withBusyTimeout } from './lock.ts';

/** For readers to leave the log, so that it can be cut to nothing. */
const CHECKPOINT_MILLISECONDS = 2_000;
/** Accounts that need not be noted again; past so many the memory of them starts anew. */
const REMEMBERED_ACCOUNTS = 10_000;

/**
 * Takes the indexes off a table that has no rows and gives the statements that make them anew, which is cheaper than to
 * keep them up row by row; readers see none of it before the commit.
 */
function takeIndexesOff(database: DatabaseSync, { name }: Table): string[] {
  if (database.prepare(`select 1 from ${name} limit 1`).get() !== undefined) return [];
  const indexes = database
    .prepare("select name, sql from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null")
    .all(name) as { name: string; sql: string }[];
  for (const index of indexes) database.exec(`drop index ${index.name}`);
  return indexes.map(({ sql }) => sql);
}

export class SqliteLoad implements Load {
  readonly #database: DatabaseSync;
  readonly #sql: ReturnType<typeof statementsFor>;
  readonly #indexes: readonly string[];
  /** Where the values of a row show whether it is listed. */
  readonly #only: readonly (readonly [position: number, value: string])[];
  /** Accounts noted, with what was noted of them. */
  readonly #accounts = new Map<string, number>();
  #rows = 0;
  #inserted = 0;
  #updated = 0;
  /** False once there is a row that cannot be stored: what follows is only looked at. */
  #storing = true;

  private constructor(database: DatabaseSync, table: Table) {
    const columns = storedColumns(table);
    this.#database = database;
    this.#indexes = takeIndexesOff(database, table);
    this.#sql = statementsFor(database, table);
    this.#only = Object.entries(table.list.only).map(([name, value]) => [columns.indexOf(name), value]);
  }

  static async begin(database: DatabaseSync, table: Table, options: LoadOptions = {}): Promise<SqliteLoad> {
    await beginToWrite(database, options);
    try {
      return guarded(() => {
        database.exec(CREATE_NOTES);
        return new SqliteLoad(database, table);
      });
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
  }

  async add(rows: readonly (readonly Stored[])[], places: readonly number[]): Promise<void> {
    guarded(() => {
      const ids = rows.map((row) => row[0] as number);
      this.#note(ids, places);
      if (this.#storing) for (const row of rows) this.#store(row);
    });
  }

  async addFaulty(ids: readonly number[], places: readonly number[]): Promise<void> {
    this.#storing = false;
    guarded(() => this.#note(ids, places));
  }

  async duplicates(limit: number): Promise<Duplicates> {
    const counted = this.#database.prepare('select count(*) as total from temp.import_duplicates').get();
    const first = this.#database
      .prepare('select id, place, first_place from temp.import_duplicates order by place limit ?')
      .all(limit);
    return { ...counted, first } as unknown as Duplicates;
  }

  async commit(end: LoadEnd = {}): Promise<LoadSummary> {
    const { accounts = [], remove_others = false } = end;
    if (!this.#storing) throw new Error('A run with rows that cannot be stored must not be committed.');
    return guarded(() => {
      for (const index of this.#indexes) this.#database.exec(index);
      for (const account_id of accounts) this.#noteAccount(account_id, NAMED);
      let removed = 0;
      if (remove_others) {
        this.#sql.noteOthers.run();
        removed = Number(this.#sql.removeOthers.run().changes);
      }
      const accounts_created = Number(this.#sql.createAccounts.run(timestampOf()).changes);
      this.#sql.renewAccounts.run();
      this.#database.exec('commit');
      this.#forget();
      return {
        inserted: this.#inserted,
        updated: this.#updated,
        unchanged: this.#rows - this.#inserted - this.#updated,
        removed,
        accounts_created,
      };
    });
  }

  async rollback(): Promise<void> {
    // A full disk or a failed write has rolled back already.
    if (this.#database.isTransaction) this.#database.exec('rollback');
    this.#forget();
  }

  /** Keeps each id with its place; one that came before is noted as a duplicate. */
  #note(ids: readonly number[], places: readonly number[]): void {
    for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
      const end = Math.min(start + IDS_AT_ONCE, ids.length);
      const pairs: number[] = [];
      for (let i = start; i < end; i++) pairs.push(ids[i] as number, places[i] as number);
      if (this.#noteIds(pairs) < end - start) this.#noteDuplicates(pairs);
    }
    this.#rows += ids.length;
  }

  /** Gives how many of the ids (id, place, id, place, …) were new. */
  #noteIds(pairs: readonly number[]): number {
    if (pairs.length === 2 * IDS_AT_ONCE) return Number(this.#sql.noteIds.run(...pairs).changes);
    let noted = 0;
    for (let i = 0; i < pairs.length; i += 2) {
      noted += Number(this.#sql.noteId.run(pairs[i] as number, pairs[i + 1] as number).changes);
    }
    return noted;
  }

  #noteDuplicates(pairs: readonly number[]): void {
    this.#storing = false;
    for (let i = 0; i < pairs.length; i += 2) {
      const [id, place] = [pairs[i] as number, pairs[i + 1] as number];
      const first_place = this.#sql.firstPlace.get(id)?.['place'] as number;
      if (first_place !== place) this.#sql.noteDuplicate.run(id, place, first_place);
    }
  }

  #store(row: readonly Stored[]): void {
    const account_id = row[1] as string;
    const listed = this.#only.every(([position, value]) => row[position] === value);
    if (this.#sql.insert.run(...row).changes === 1) {
      this.#inserted += 1;
      this.#noteAccount(account_id, listed ? NAMED | CHANGED : NAMED);
      return;
    }
    const found = this.#sql.compare.get(...row) as unknown as [string, number, number];
    const [old_account_id, was_listed, same] = found;
    if (same === 1) return this.#noteAccount(account_id, NAMED);
    this.#sql.update.run(...row);
    this.#updated += 1;
    const moved = old_account_id !== account_id;
    this.#noteAccount(account_id, listed || (was_listed === 1 && !moved) ? NAMED | CHANGED : NAMED);
    if (moved && was_listed === 1) this.#noteAccount(old_account_id, CHANGED);
  }

  #noteAccount(account_id: string, known: number): void {
    const noted = this.#accounts.get(account_id) ?? 0;
    if ((noted | known) === noted) return;
    if (this.#accounts.size >= REMEMBERED_ACCOUNTS) this.#accounts.clear();
    this.#accounts.set(account_id, noted | known);
    this.#sql.noteAccount.run(account_id, known);
  }

  /** After the end: the temporary tables go, and so does the log, which has grown by as much as was written. */
  #forget(): void {
    try {
      this.#database.exec(DROP_NOTES);
      withBusyTimeout(this.#database, CHECKPOINT_MILLISECONDS, () =>
        this.#database.exec('pragma wal_checkpoint(truncate)'),
      );
    } catch {
      // What was committed is committed; the log is cut another time.
    }
  }
}
