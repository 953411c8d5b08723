// Copies of lists in one SQLite file: a table for each list, one item per row as JSON, and the table `copies`
// with what each is a copy of and the token to continue from. Items and token change in one transaction.

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { List } from '@linecard/client/contract/list';
import { count } from '@linecard/client/contract/wording';
import {
  CopyDiffers,
  type CopyEnd,
  type CopyStore,
  endOf,
  itemId,
  type LineChanges,
  linesOf,
  noLongerThere,
  writtenByAnother,
} from './copy-file.ts';
import { Failed } from './outcome.ts';

/** `Lncd`, in the header of the file: no other program's database has it. */
const APPLICATION_ID = 0x4c_6e_63_64;
const BUSY_MS = 10_000;
/** Result codes of SQLite. */
const [LOGIC_ERROR, READ_ONLY, NO_DATABASE, INTERRUPTED] = [1, 8, 26, 776];

type Database = DatabaseSync;
type Row = Readonly<Record<string, unknown>>;

async function opened(path: string, options: { readOnly?: boolean } = {}): Promise<Database> {
  const { DatabaseSync: Opened } = await import('node:sqlite').catch((cause: unknown) => {
    throw new Failed(
      `A copy in SQLite needs Node.js 22.13 or newer, and this is ${process.version}. Name the copy .ndjson instead.`,
      { cause },
    );
  });
  const database = new Opened(path, options);
  database.exec(`pragma busy_timeout = ${BUSY_MS}`);
  return database;
}

const notOurs = (path: string) =>
  new Failed(
    `${path} is there, and is no database that \`sync\` has written. Name another file, or remove it.`,
  );

/** An error of SQLite as a sentence. */
function failure(path: string, error: unknown): unknown {
  const { errcode, errstr } = error as { errcode?: number; errstr?: string };
  if (errcode === undefined) return error;
  // Its tables are others.
  if (errcode === NO_DATABASE || errcode === LOGIC_ERROR) return notOurs(path);
  const what = errcode === READ_ONLY ? 'you may not write there' : errstr;
  return new Failed(`${path} cannot be used as a copy: ${what}.`, { cause: error });
}

/** In one transaction, or not at all. */
function inTransaction(database: Database, work: () => void): void {
  database.exec('begin immediate');
  try {
    work();
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

export class DatabaseCopy implements CopyStore {
  readonly #path: string;
  readonly #table: string;
  /** The token that the copy had when it was last read or written here. */
  #since: string | null = null;

  constructor(path: string, list: List) {
    this.#path = path;
    this.#table = list.name;
  }

  async end(): Promise<CopyEnd | undefined> {
    try {
      return await this.#end();
    } catch (error) {
      const { cause } = error as { cause?: { errcode?: number } };
      if (cause?.errcode !== INTERRUPTED) throw error;
      // Only a connection that may write rolls back what a program left that was killed.
      await this.#using({}, (database) => database.exec('select name from sqlite_schema'));
      return this.#end();
    }
  }

  async #end(): Promise<CopyEnd | undefined> {
    if (!(await this.#isThere())) return undefined;
    return this.#using({ readOnly: true }, (database) => {
      const { application_id } = database.prepare('pragma application_id').get() as Row;
      if (application_id !== APPLICATION_ID) throw notOurs(this.#path);
      const row = database.prepare('select * from copies where list = ?').get(this.#table) as Row | undefined;
      if (row === undefined) return undefined;
      const end = endOf(`{"charges":${row['charges'] !== 0},"filters":${String(row['filters'])}}`, row);
      if (end === undefined) throw notOurs(this.#path);
      this.#since = end.since;
      return end;
    });
  }

  /** SQLite would make a database that is not there. */
  async #isThere(): Promise<boolean> {
    const found = await stat(this.#path).catch(() => undefined);
    if (found === undefined || (found.isFile() && found.size === 0)) return false;
    if (!found.isFile()) throw notOurs(this.#path);
    return true;
  }

  async held(): Promise<number> {
    if (!(await this.#isThere())) throw noLongerThere();
    return this.#using({ readOnly: true }, (database) => this.#count(database));
  }

  async replace(items: AsyncIterable<string | Uint8Array>, end: CopyEnd): Promise<void> {
    // What arrives is staged in a temporary file, so that the copy is locked only while it is replaced.
    const staging = await opened('');
    try {
      staging.exec('create table incoming (id integer primary key, item text not null) strict; begin');
      const add = staging.prepare('insert into incoming values (?, ?)');
      for await (const line of linesOf(items)) {
        const id = itemId(line);
        if (id === undefined)
          throw new Failed('The server sent a line that is no item. Nothing was changed.');
        add.run(id, line);
      }
      staging.exec('commit');
      staging.prepare('attach ? as copy').run(resolve(this.#path));
      inTransaction(staging, () => {
        staging.exec(`pragma copy.application_id = ${APPLICATION_ID};
          create table if not exists copy.${this.#table} (id integer primary key, item text not null) strict;
          create table if not exists copy.copies (list text primary key, since text not null, total integer not null,
            url text not null, account text not null, filters text not null, charges integer not null, synced_at text not null) strict;
          insert or ignore into copy.copies values ('${this.#table}', '', 0, '', '', '', 1, '');
          delete from copy.${this.#table};
          insert into copy.${this.#table} select id, item from incoming order by id;`);
        this.#store(staging, end);
      });
    } catch (error) {
      throw failure(this.#path, error);
    } finally {
      staging.close();
    }
  }

  async apply(changes: LineChanges, end: CopyEnd): Promise<void> {
    if (!(await this.#isThere())) throw noLongerThere();
    await this.#using({}, (database) => {
      const put = database.prepare(`insert or replace into ${this.#table} values (?, ?)`);
      const remove = database.prepare(`delete from ${this.#table} where id = ?`);
      inTransaction(database, () => {
        const { since } = database.prepare('select since from copies where list = ?').get(this.#table) as Row;
        if (since !== this.#since) throw writtenByAnother(this.#path);
        for (const [id, line] of changes) {
          if (line === null) remove.run(id);
          else put.run(id, line);
        }
        const held = this.#count(database);
        if (held !== end.total)
          throw new CopyDiffers(
            `The copy would hold ${count(held)} items, and the list has ${count(end.total)}.`,
          );
        this.#store(database, end);
      });
    });
  }

  #count(database: Database): number {
    const { items } = database.prepare(`select count(*) as items from ${this.#table}`).get() as Row;
    return Number(items);
  }

  #store(database: Database, { since, total, url, account, filters, charges, synced_at }: CopyEnd): void {
    database
      .prepare(
        'update copies set since = ?, total = ?, url = ?, account = ?, filters = ?, charges = ?, synced_at = ? where list = ?',
      )
      .run(
        since,
        total,
        url,
        account,
        JSON.stringify(filters),
        Number(charges !== false),
        synced_at,
        this.#table,
      );
    this.#since = since;
  }

  async #using<T>(options: { readOnly?: boolean }, work: (database: Database) => T): Promise<T> {
    let database: Database | undefined;
    try {
      database = await opened(this.#path, options);
      return work(database);
    } catch (error) {
      throw failure(this.#path, error);
    } finally {
      database?.close();
    }
  }
}
