// One import into the embedded store. Rows are written as they come, in one transaction that holds the write
// lock from its beginning, so that readers see the old list until the commit. It must not know of files or
// what a column means.

import type { DatabaseSync } from 'node:sqlite';
import { timestampOf } from '@linecard/client/contract/timestamp';
import type { CommitOptions, Duplicates, Load, LoadOptions, LoadSummary } from '../store.ts';
import { type Stored, storedColumns, type Table } from '../tables.ts';
import { guarded } from './errors.ts';
import { rollBack } from './file.ts';
import { CHANGED, CREATE_NOTES, DROP_NOTES, IDS_AT_ONCE, NAMED, statementsFor } from './load-statements.ts';
import { beginToWrite, withBusyTimeout } from './lock.ts';

/** For readers to leave the log, so that it can be cut to nothing. */
const CHECKPOINT_MILLISECONDS = 2_000;
/** Accounts in the cache of those that need not be noted again; when it is full, it starts anew. */
const CACHED_ACCOUNTS = 10_000;

/**
 * Drops the indexes of a table that has no rows and returns the statements that create them anew, which is
 * cheaper than to maintain them row by row; readers see none of it before the commit.
 */
function dropIndexes(database: DatabaseSync, { name }: Table): string[] {
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
    this.#indexes = dropIndexes(database, table);
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
      rollBack(database);
      throw error;
    }
  }

  async add(rows: readonly (readonly Stored[])[], lines: readonly number[]): Promise<void> {
    guarded(() => {
      const ids = rows.map((row) => row[0] as number);
      this.#note(ids, lines);
      if (this.#storing) for (const row of rows) this.#store(row);
    });
  }

  async addFaulty(ids: readonly number[], lines: readonly number[]): Promise<void> {
    this.#storing = false;
    guarded(() => this.#note(ids, lines));
  }

  async duplicates(limit: number): Promise<Duplicates> {
    const counted = this.#database.prepare('select count(*) as total from temp.import_duplicates').get();
    const first = this.#database
      .prepare('select id, line, first_line as firstLine from temp.import_duplicates order by line limit ?')
      .all(limit);
    return { ...counted, first } as unknown as Duplicates;
  }

  async commit({ accounts = [], removeOthers = false }: CommitOptions = {}): Promise<LoadSummary> {
    if (!this.#storing) throw new Error('An import with rows that cannot be stored must not be committed.');
    return guarded(() => {
      for (const index of this.#indexes) this.#database.exec(index);
      for (const account_id of accounts) this.#noteAccount(account_id, NAMED);
      let removed = 0;
      if (removeOthers) {
        this.#sql.noteOthers.run();
        removed = Number(this.#sql.removeOthers.run().changes);
      }
      const now = timestampOf();
      const accounts_created = Number(this.#sql.createAccounts.run(now).changes);
      this.#sql.renewAccounts.run(now);
      this.#database.exec('commit');
      this.#cleanUp();
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
    rollBack(this.#database);
    this.#cleanUp();
  }

  /** Notes each id with its line; one that came before is noted as a duplicate. */
  #note(ids: readonly number[], lines: readonly number[]): void {
    for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
      const end = Math.min(start + IDS_AT_ONCE, ids.length);
      const pairs: number[] = [];
      for (let i = start; i < end; i++) pairs.push(ids[i] as number, lines[i] as number);
      if (this.#noteIds(pairs) < end - start) this.#noteDuplicates(pairs);
    }
    this.#rows += ids.length;
  }

  /** Returns how many of the ids (id, line, id, line, …) were new. */
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
      const [id, line] = [pairs[i] as number, pairs[i + 1] as number];
      const firstLine = this.#sql.firstLine.get(id)?.['line'] as number;
      if (firstLine !== line) this.#sql.noteDuplicate.run(id, line, firstLine);
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
    const [oldAccountId, wasListed, same] = found;
    if (same === 1) return this.#noteAccount(account_id, NAMED);
    this.#sql.update.run(...row);
    this.#updated += 1;
    const moved = oldAccountId !== account_id;
    this.#noteAccount(account_id, listed || (wasListed === 1 && !moved) ? NAMED | CHANGED : NAMED);
    if (moved && wasListed === 1) this.#noteAccount(oldAccountId, CHANGED);
  }

  #noteAccount(account_id: string, known: number): void {
    const noted = this.#accounts.get(account_id) ?? 0;
    if ((noted | known) === noted) return;
    if (this.#accounts.size >= CACHED_ACCOUNTS) this.#accounts.clear();
    this.#accounts.set(account_id, noted | known);
    this.#sql.noteAccount.run(account_id, known);
  }

  /**
   * After the end: the temporary tables go, and so does the log, which has grown by as much as was written.
   */
  #cleanUp(): void {
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
