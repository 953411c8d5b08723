// Where the rows of an import go: to a table of the import, or directly to a list that is empty.
//
// Why directly into an empty list: there is nothing to compare, and nobody sees the rows before the commit.
// The database then writes rows and indexes once, while the next rows are read, instead of writing all to a
// table of the import first and to the list in the end. The line and id of each row go to such a table in
// addition, to report ids that come twice.
//
// Why only where rows come account by account: the list stores them in that order, and the page of an account
// should be on few pages of the database. Rows in another order are sorted when they leave the table.

import type { Client } from 'pg';
import { statement } from '../sql.ts';
import { type Stored, storedColumns, type Table } from '../tables.ts';
import { type CopyRows, copyLine } from './copy-rows.ts';
import { INTERNAL_ERROR } from './errors.ts';
import type { PostgresImport } from './import-transaction.ts';
import type { Route, statementsFor } from './load-statements.ts';

const UNIQUE_VIOLATION = '23505';
/** Rows after one savepoint; their lines and ids are in memory until the next. */
const ROWS_A_SAVEPOINT = 100_000;
/** Ids in memory at a time, which take 4 MB. */
const FEW_IDS = 100_000;
const BEGIN = 'savepoint direct';
const END = 'release savepoint direct';
const UNDO = 'rollback to savepoint direct';

type Stage = ReturnType<typeof statementsFor>['stage'];

export interface IncomingRows {
  /** Direct: they are in the list already. */
  readonly route: Route;
  /** False once there is a row that cannot be stored. */
  readonly areStorable: boolean;
  /** The error that the server has refused rows with: an id that came twice explains it. */
  readonly refusal?: unknown;
  readonly ids: SeenIds;
  /** How many rows are items, and how many remove one. */
  readonly items: number;
  readonly removals: number;
  /** @throws {StoreUnavailable | StoreRefused} */
  add(rows: readonly (readonly Stored[])[], lines: readonly number[]): Promise<void>;
  addFaulty(ids: readonly number[], lines: readonly number[]): Promise<void>;
  /** Ends what is in flight, so that the connection can be used for something else. */
  end(): Promise<void>;
}

/** Whether there are rows, and those of each account are adjacent. */
export function areByAccount(rows: readonly (readonly Stored[])[]): boolean {
  const seen = new Set<Stored | undefined>();
  return (
    rows.length > 0 &&
    rows.every((row, i) => {
      if (row[1] === rows[i - 1]?.[1]) return true;
      const isNew = !seen.has(row[1]);
      seen.add(row[1]);
      return isNew;
    })
  );
}

/** A row that cannot be stored: only its id counts, but what rows are distributed by must not be missing. */
const faulty = (id: number): Stored[] => [id, ''];

/** The values that a row has, and nothing for the others. */
function filled(row: readonly Stored[], columns: number): Stored[] {
  return [...row, ...Array.from({ length: columns - row.length }, () => null)];
}

/** Watches incoming ids. They are known not to repeat where each is above the last, or they are few. */
export class SeenIds {
  #areAscending = true;
  #last = Number.NEGATIVE_INFINITY;
  /** The first ids; undefined once one of them came twice, or there are more. */
  #first: Set<number> | undefined = new Set();

  get areUnique(): boolean {
    return this.#areAscending || this.#first !== undefined;
  }

  add(value: Stored | undefined): void {
    const id = Number(value);
    if (id <= this.#last) this.#areAscending = false;
    this.#last = id;
    if (this.#first === undefined) return;
    if (this.#first.has(id) || this.#first.size >= FEW_IDS) this.#first = undefined;
    else this.#first.add(id);
  }
}

/** Rows that go to a table of the import. */
class StagedRows implements IncomingRows {
  readonly route = 'staged';
  readonly ids = new SeenIds();
  readonly #copy: CopyRows;
  readonly #columns: number;
  areStorable = true;
  items = 0;
  removals = 0;

  constructor(transaction: PostgresImport, stage: Stage, table: Table) {
    this.#copy = transaction.copy(stage.copy);
    this.#columns = storedColumns(table).length;
  }

  async add(rows: readonly (readonly Stored[])[], lines: readonly number[]): Promise<void> {
    let text = '';
    for (const [i, row] of rows.entries()) {
      this.ids.add(row[0]);
      const isItem = row.length === this.#columns;
      if (isItem) this.items += 1;
      else this.removals += 1;
      text += copyLine(lines[i], isItem ? row : filled(row, this.#columns));
    }
    await this.#copy.write(text);
  }

  async addFaulty(ids: readonly number[], lines: readonly number[]): Promise<void> {
    this.areStorable = false;
    for (const id of ids) this.ids.add(id);
    await this.#copy.write(
      ids.map((id, i) => copyLine(lines[i] as number, filled(faulty(id), this.#columns))).join(''),
    );
  }

  end(): Promise<void> {
    return this.#copy.end();
  }
}

/** Rows that go to the list, which is empty, until one cannot be stored. */
class DirectRows implements IncomingRows {
  readonly route = 'direct';
  readonly ids = new SeenIds();
  readonly #client: Client;
  readonly #list: CopyRows;
  readonly #lines: CopyRows;
  readonly #removed: CopyRows;
  readonly #columns: number;
  /** Of the rows after the savepoint: their lines and ids, and those that remove an item. */
  #lineText = '';
  #removedText = '';
  #rows = 0;
  #hasSavepoint = false;
  areStorable = true;
  refusal: unknown;
  items = 0;
  removals = 0;

  constructor(transaction: PostgresImport, stage: Stage, table: Table) {
    this.#client = transaction.client;
    this.#lines = transaction.copy(stage.copyLines);
    this.#removed = transaction.copy(stage.copy);
    this.#list = transaction.copy(stage.copyList);
    this.#columns = storedColumns(table).length;
  }

  async add(rows: readonly (readonly Stored[])[], lines: readonly number[]): Promise<void> {
    let text = '';
    for (const [i, row] of rows.entries()) {
      const [id = null] = row;
      this.ids.add(id);
      this.#lineText += copyLine(lines[i], [id]);
      if (row.length === this.#columns) {
        this.items += 1;
        text += copyLine(undefined, row);
      } else {
        this.removals += 1;
        this.#removedText += copyLine(lines[i], filled(row, this.#columns));
      }
    }
    await this.#store(text);
    await this.#added(rows.length);
  }

  async addFaulty(ids: readonly number[], lines: readonly number[]): Promise<void> {
    this.areStorable = false;
    for (const id of ids) this.ids.add(id);
    this.#lineText += ids.map((id, i) => copyLine(lines[i], [id])).join('');
    await this.#added(ids.length);
  }

  async end(): Promise<void> {
    if (this.#hasSavepoint) {
      this.#hasSavepoint = false;
      try {
        await this.#list.end();
        await this.#client.query(END);
      } catch (error) {
        await this.#undo(error);
      }
    }
    await this.#lines.write(this.#lineText);
    await this.#lines.end();
    await this.#removed.write(this.#removedText);
    await this.#removed.end();
    this.#lineText = '';
    this.#removedText = '';
    this.#rows = 0;
  }

  async #added(rows: number): Promise<void> {
    this.#rows += rows;
    if (this.#rows >= ROWS_A_SAVEPOINT) await this.end();
  }

  async #store(text: string): Promise<void> {
    if (!this.areStorable || text === '') return;
    try {
      if (!this.#hasSavepoint) await this.#client.query(BEGIN);
      this.#hasSavepoint = true;
      await this.#list.write(text);
    } catch (error) {
      this.#hasSavepoint = false;
      await this.#undo(error);
    }
  }

  /** An id that comes twice ends the import; lines and ids are still recorded, to report which and where. */
  async #undo(error: unknown): Promise<void> {
    // From a node of Citus the one comes as the other.
    if (this.#list.state !== UNIQUE_VIOLATION && this.#list.state !== INTERNAL_ERROR) throw error;
    this.areStorable = false;
    this.refusal = error;
    await this.#client.query(UNDO);
  }
}

/** Directly to the list where they may and it is empty; else to a table. */
export async function incomingRows(
  transaction: PostgresImport,
  stage: Stage,
  table: Table,
  mayBeDirect: boolean,
): Promise<IncomingRows> {
  const reasons = [statement(stage.hasRows), statement(stage.isSecured)];
  const against = mayBeDirect ? await transaction.run(...reasons) : [];
  const isDirect = mayBeDirect && against.every(({ rows }) => rows.length === 0);
  if (!isDirect) return new StagedRows(transaction, stage, table);
  await transaction.run(statement(stage.makeLines));
  return new DirectRows(transaction, stage, table);
}
