// One import into the embedded store. Rows are written as they come, in one transaction that holds the write
// lock from its beginning, so that readers see the old list until the commit.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { addedEvents, REMOVED } from '../events.ts';
import { ColumnChanges, type LoadSummary } from '../load-summary.ts';
import type { Statement } from '../sql.ts';
import type {
  AccountChanges,
  AccountMoves,
  CommitOptions,
  Duplicates,
  Load,
  LoadOptions,
  OtherAccount,
  ResultRow,
} from '../store.ts';
import { listedRows, type Stored, sameRows, type Table } from '../tables.ts';
import { guarded } from './errors.ts';
import { AccountRecords, CREATE_TABLES, IdRecords, TABLE_NAMES } from './import-records.ts';
import { type Connection, SqliteImport } from './import-transaction.ts';
import { dropIndexes, type FoundRow, NAMED, renewAccounts, statementsFor } from './load-statements.ts';

/** Values of a row that removes an item: its id and its account. */
const REMOVAL_VALUES = 2;
/** The number of rows whose pages stay in SQLite's cache of 2 MB from reading to writing. */
const READ_ROWS = 100;

const countOf = (statement: StatementSync) => Number(statement.get()?.['n']);

export class SqliteLoad implements Load {
  readonly readSize = READ_ROWS;
  readonly #database: DatabaseSync;
  readonly #transaction: SqliteImport;
  readonly #isTrial: boolean;
  readonly #sql: ReturnType<typeof statementsFor>;
  /** Whether the list had no row before the import. */
  readonly #wasEmpty: boolean;
  readonly #indexes: readonly string[];
  readonly #isListed: (row: readonly Stored[]) => boolean;
  readonly #isSame: (read: ResultRow, row: readonly Stored[]) => boolean;
  readonly #added: (row: readonly Stored[]) => number;
  readonly #columns: ColumnChanges;
  readonly #accounts: AccountRecords;
  readonly #ids: IdRecords;
  readonly #counts = { inserted: 0, updated: 0, moved: 0, unchanged: 0, removed: 0, absent: 0 };
  #prepared: LoadSummary | undefined;
  /** Whether the last row was stored before, as the next one then likely is: it is compared first. */
  #wasThere = false;
  /** The rows that were read last; each is valid until written, which is once, because no id comes twice. */
  #read: ReadonlyMap<number, ResultRow> = new Map();
  /** False once there is a row that cannot be stored: no other is written. */
  #storing = true;

  private constructor(database: DatabaseSync, transaction: SqliteImport, table: Table) {
    const { isTrial } = transaction;
    this.#database = database;
    this.#transaction = transaction;
    this.#isTrial = isTrial;
    this.#wasEmpty = database.prepare(`select 1 from ${table.name} limit 1`).get() === undefined;
    this.#indexes = isTrial || !this.#wasEmpty ? [] : dropIndexes(database, table);
    this.#sql = statementsFor(database, table, isTrial);
    this.#accounts = new AccountRecords(this.#sql);
    this.#ids = new IdRecords(this.#sql);
    this.#isListed = listedRows(table);
    this.#isSame = sameRows(table);
    this.#added = addedEvents(table);
    this.#columns = new ColumnChanges(table);
  }

  static async begin(connection: Connection, table: Table, options?: LoadOptions): Promise<SqliteLoad> {
    const transaction = await SqliteImport.begin(connection, options);
    try {
      transaction.create(CREATE_TABLES, ...TABLE_NAMES);
      return guarded(() => new SqliteLoad(connection.database, transaction, table));
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }

  async add(rows: readonly (readonly Stored[])[], lines: readonly number[]): Promise<void> {
    guarded(() => {
      const ids = rows.map((row) => row[0] as number);
      if (!this.#ids.add(ids, lines)) this.#storing = false;
      if (!this.#storing) return;
      this.#accounts.writeIfMany();
      for (const row of rows) {
        if (row.length === REMOVAL_VALUES) this.#remove(row[0] as number, row[1] as string);
        else this.#store(row);
      }
    });
  }

  async addFaulty(ids: readonly number[], lines: readonly number[]): Promise<void> {
    this.#storing = false;
    guarded(() => this.#ids.add(ids, lines));
  }

  async duplicates(limit: number): Promise<Duplicates> {
    const counted = this.#database.prepare('select count(*) as total from temp.import_duplicates').get();
    const first = this.#database
      .prepare('select id, line, first_line as firstLine from temp.import_duplicates order by line limit ?')
      .all(limit);
    return { ...counted, first } as unknown as Duplicates;
  }

  async stored(ids: readonly number[]): Promise<readonly ResultRow[]> {
    if (this.#wasEmpty) return [];
    const rows = ids
      .map((id) => this.#sql.compare.stored.get(id) as ResultRow | undefined)
      .filter((row) => row !== undefined);
    this.#read = new Map(rows.map((row) => [row[0] as number, row]));
    return rows;
  }

  async prepare(options: CommitOptions = {}): Promise<LoadSummary> {
    const { accounts = [], removeOthers = 'none' } = options;
    if (!this.#storing) throw new Error('An import with rows that cannot be stored must not be committed.');
    return guarded(() => {
      for (const index of this.#indexes) this.#database.exec(index);
      for (const account_id of accounts) this.#accounts.of(account_id).known |= NAMED;
      this.#accounts.write();
      if (removeOthers !== 'none') {
        const others = this.#sql.write.others[removeOthers];
        others.account.run();
        others.changed.run();
        this.#counts.removed += this.#isTrial ? countOf(others.count) : Number(others.remove.run().changes);
      }
      const accounts_created = this.#isTrial ? countOf(this.#sql.compare.newAccounts) : this.#renew(options);
      const { counts: changed, examples } = this.#columns;
      this.#prepared = { ...this.#counts, accounts_created, changed, examples };
      return this.#prepared;
    });
  }

  /** Returns the number of accounts that it creates. */
  #renew({ retentionMs }: CommitOptions): number {
    const now = timestampOf();
    const { changes } = this.#sql.renew.createAccounts.run(now);
    renewAccounts(this.#sql.renew, now, retentionMs);
    return Number(changes);
  }

  async read(one: Statement): Promise<readonly ResultRow[]> {
    return (await this.#transaction.run(one))[0]?.rows ?? [];
  }

  async before(accounts: 'named' | 'all') {
    return this.#sql.compare.before[accounts].get() as { items: number; movedOut: number };
  }

  async moves(): Promise<readonly AccountMoves[]> {
    return this.#sql.compare.moves.all() as unknown as AccountMoves[];
  }

  async changes(): Promise<readonly AccountChanges[]> {
    return this.#sql.compare.changes.all() as unknown as AccountChanges[];
  }

  async outside(accounts: readonly string[]) {
    return this.#sql.compare.outside.get(JSON.stringify(accounts)) as OtherAccount | undefined;
  }

  async write(...statements: Statement[]): Promise<number[]> {
    if (this.#isTrial) throw new Error('A trial writes nothing.');
    return (await this.#transaction.run(...statements)).map(({ count }) => count);
  }

  async commit(options: CommitOptions = {}): Promise<LoadSummary> {
    const summary = this.#prepared ?? (await this.prepare(options));
    await this.#transaction.commit(this.#written);
    return summary;
  }

  async rollback(): Promise<void> {
    await this.#transaction.rollback(this.#written);
  }

  get #written(): number {
    return this.#counts.inserted + this.#counts.updated + this.#counts.removed;
  }

  #store(row: readonly Stored[]): void {
    const [id, account_id] = row as readonly [number, string];
    const record = this.#accounts.of(account_id);
    const listed = this.#isListed(row);
    record.known |= NAMED;
    const read = this.#read.get(id);
    if (read !== undefined && this.#isSame(read, row)) {
      this.#counts.unchanged += 1;
      return;
    }
    let found = read !== undefined || this.#wasThere || this.#isTrial ? this.#find(row) : undefined;
    if (found === undefined && (this.#isTrial || this.#sql.write.insert.run(...row).changes === 1)) {
      this.#wasThere = false;
      this.#counts.inserted += 1;
      record.inserted += 1;
      if (listed) this.#accounts.changes(record, account_id, this.#added(row), id);
      return;
    }
    this.#wasThere = true;
    found ??= this.#find(row);
    if (found === undefined) throw new Error('A row could not be inserted, and is not stored.');
    const [before, wasListed, what, fromTo, ...values] = found;
    if (what === 0) {
      this.#counts.unchanged += 1;
      return;
    }
    const moved = before !== account_id;
    const removed =
      wasListed === 1 && (moved || !listed) ? String(this.#sql.compare.label.get(id)?.['label']) : undefined;
    if (!this.#isTrial) (moved ? this.#sql.write.move : this.#sql.write.update).run(...row);
    this.#counts.updated += 1;
    record.updated += 1;
    this.#columns.record(values, row);
    if (listed) {
      const stays = wasListed === 1 && !moved;
      this.#accounts.changes(record, account_id, stays ? what : this.#added(row), id, stays ? fromTo : null);
    }
    if (removed !== undefined)
      this.#accounts.changes(this.#accounts.of(before), before, REMOVED, id, removed);
    if (!moved) return;
    this.#counts.moved += 1;
    record.moved_in += 1;
    this.#accounts.of(before).moved_out += 1;
    this.#sql.stage.move.run(before, account_id);
  }

  #find(row: readonly Stored[]): FoundRow | undefined {
    return this.#sql.compare.found.get(...row) as FoundRow | undefined;
  }

  #remove(id: number, account_id: string): void {
    const record = this.#accounts.of(account_id);
    record.known |= NAMED;
    const remove = this.#isTrial ? this.#sql.compare.removal : this.#sql.write.remove;
    const found = remove.get(id, account_id) as [listed: number, label: string] | undefined;
    if (found === undefined) {
      this.#counts.absent += 1;
      this.#sql.stage.absent.run(id);
      return;
    }
    this.#counts.removed += 1;
    record.removed += 1;
    if (found[0] === 1) this.#accounts.changes(record, account_id, REMOVED, id, found[1]);
  }
}
