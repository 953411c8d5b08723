// A SQLite file of Linecard, opened and migrated to the newest schema; any other file is refused and left as
// it is. It must not know what is read or written.

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { LOG_STEP, rebuildStatements } from '../change-log.ts';
import { olderSchema, redrawingOf, refuseNewerSchema, schemaSteps } from '../migrations.ts';
import { sqlite } from '../sql.ts';
import { type Purpose, StoreEmpty, StoreRefused } from '../store.ts';
import { SQLITE_CORRUPT, SQLITE_NOTADB, sqliteCode } from './errors.ts';

/** `LNCD`: marks the file as one of Linecard. */
const APPLICATION_ID = 0x4c4e4344;
/** Rows that are read at once to be drawn anew. */
const ROWS_AT_ONCE = 1_000;
const PAGE_BYTES = 8_192;
/** How a file is opened for each purpose; a note waits for no lock and for no disk. */
const PURPOSES = {
  read: { readOnly: true, timeout: 5_000, synchronous: 'full' },
  write: { readOnly: false, timeout: 5_000, synchronous: 'full' },
  change: { readOnly: false, timeout: 5_000, synchronous: 'full' },
  note: { readOnly: false, timeout: 0, synchronous: 'normal' },
} as const satisfies Record<Purpose, object>;

export function pragma(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]);
}

function damaged(path: string, what = 'is damaged', cause?: unknown): StoreRefused {
  return new StoreRefused(
    `${path} ${what}. It was left as it is: restore it from a backup, or name another file with --database-url.`,
    { cause },
  );
}

/** The refusal of a file that SQLite cannot use; any other error is returned as it is. */
function refusal(path: string, error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === SQLITE_NOTADB) return damaged(path, 'is not a SQLite database', error);
  return code === SQLITE_CORRUPT ? damaged(path, 'is damaged', error) : error;
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new StoreRefused(
      `${folder} cannot be made a folder (${(error as Error).message}): name another file with --database-url.`,
      { cause: error },
    );
  }
}

/**
 * Where everything is in the file itself, it must be as long as it says; a part of a copy would fail only
 * later. A file that is being written has a log beside it, or is long enough on the second look.
 */
function mustBeWhole(database: DatabaseSync, path: string): void {
  const bytes = pragma(database, 'page_count') * pragma(database, 'page_size');
  const isWhole = () => statSync(path).size >= bytes;
  if (isWhole()) return;
  const isBeingWritten = ['-wal', '-journal'].some(
    (end) => (statSync(path + end, { throwIfNoEntry: false })?.size ?? 0) > 0,
  );
  if (!isBeingWritten && !isWhole()) throw damaged(path);
}

/** The migration that the schema of the file is at; 0 for an empty file. */
function schemaStep(database: DatabaseSync, path: string): number {
  const applicationId = pragma(database, 'application_id');
  const step = pragma(database, 'user_version');
  const empty = pragma(database, 'schema_version') === 0;
  if (applicationId !== APPLICATION_ID && !empty) {
    throw new StoreRefused(
      `${path} is a SQLite database of another program. It was left as it is: name another file with --database-url.`,
    );
  }
  refuseNewerSchema(path, step, 'sqlite');
  return step;
}

/**
 * Leaves everything as it was; some errors, such as of a full disk, have ended the transaction by themselves.
 */
export function rollBack(database: DatabaseSync): void {
  if (database.isTransaction) database.exec('rollback');
}

/** Draws the columns of a step anew, if it has any. */
function redraw(database: DatabaseSync, step: number): void {
  const redrawing = redrawingOf(step);
  if (redrawing === undefined) return;
  const { table, columns, draw } = redrawing;
  const rows = database.prepare(
    `select id, item from ${table.name} where id > ? order by id limit ${ROWS_AT_ONCE}`,
  );
  const update = database.prepare(
    `update ${table.name} set ${columns.map((column) => `${column} = ?`).join(', ')} where id = ?`,
  );
  rows.setReturnArrays(true);
  for (let last = 0; ; ) {
    const batch = rows.all(last) as unknown as [id: number, item: string][];
    for (const [id, item] of batch) update.run(...draw(item), id);
    if (batch.length < ROWS_AT_ONCE) break;
    last = batch.at(-1)?.[0] as number;
  }
}

/** Tells those who have copies of the list that it looks different, where that is logged. */
function rebuild(database: DatabaseSync, step: number): void {
  const { table } = redrawingOf(step) ?? {};
  if (table === undefined || step <= LOG_STEP) return;
  for (const { text, values } of rebuildStatements(sqlite, table.name, timestampOf()))
    database.prepare(text).run(...(values as readonly string[]));
}

/** Migrates the schema, one transaction a step; of two processes at once one waits for the write lock. */
function migrate(database: DatabaseSync, path: string): void {
  const steps = schemaSteps('sqlite');
  if (schemaStep(database, path) === steps.length) return;
  database.exec(`pragma page_size = ${PAGE_BYTES}; pragma journal_mode = wal`);
  for (let done = schemaStep(database, path); done < steps.length; done++) {
    database.exec('begin immediate');
    try {
      done = schemaStep(database, path);
      const next = steps[done];
      if (next !== undefined) {
        database.exec(next);
        redraw(database, done + 1);
        rebuild(database, done + 1);
        database.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${done + 1}`);
      }
      database.exec('commit');
    } catch (error) {
      rollBack(database);
      throw error;
    }
  }
}

/**
 * Opens the file; to write, it is made where it is missing and its schema is brought up to date.
 * @throws {StoreRefused} when the file is missing, damaged, of another program or of a newer Linecard.
 */
export function openFile(path: string, purpose: Purpose): DatabaseSync {
  if (path === '' || path.startsWith(':')) {
    throw new StoreRefused(
      'The database URL must name a file: sqlite:PATH, such as sqlite:data/linecard.db.',
    );
  }
  const file = statSync(path, { throwIfNoEntry: false });
  if (file?.isDirectory()) {
    throw new StoreRefused(`${path} is a folder: name a file in it with --database-url.`);
  }
  if (file === undefined) {
    if (purpose !== 'write') throw new StoreEmpty(`There is no database at ${path}.`);
    if (existsSync(`${path}-wal`)) {
      throw new StoreRefused(
        `${path} is missing, but ${path}-wal is there: the database was moved or removed without it. Bring it back, or remove the -wal file to start empty.`,
      );
    }
    makeFolder(dirname(path));
  }
  let database: DatabaseSync | undefined;
  try {
    const { readOnly, timeout, synchronous } = PURPOSES[purpose];
    database = new DatabaseSync(path, { readOnly, timeout });
    mustBeWhole(database, path);
    if (purpose === 'write') migrate(database, path);
    else if (schemaStep(database, path) < schemaSteps('sqlite').length) throw olderSchema(path);
    database.exec(`pragma foreign_keys = on; pragma synchronous = ${synchronous}`);
    return database;
  } catch (error) {
    database?.close();
    throw refusal(path, error);
  }
}
