// The migration of a SQLite file, the database or the one of its tokens: numbered steps, one transaction
// each.

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { timestampOf } from '@linecard/client/contract/timestamp';
import type { Bound } from '../conditions.ts';
import { sqlite } from '../dialects.ts';
import { LOG_STEP, rebuildStatements } from '../log/change-log.ts';
import {
  type Backfill,
  backfillsOf,
  refuseNewerSchema,
  type SchemaName,
  schemaSteps,
} from '../migrations.ts';
import type { ResultRow } from '../store.ts';
import { StoreRefused, StoreUnavailable } from '../store-errors.ts';
import type { Stored } from '../tables.ts';
import { SQLITE_BUSY, SQLITE_ERROR, sqliteCode } from './errors.ts';

const BATCH_ROWS = 1_000;
const PAGE_BYTES = 8_192;
const RETRY_MILLISECONDS = 2;

/** What a file is, by the mark that it carries. */
export interface FileKind {
  readonly applicationId: number;
  readonly schema: SchemaName;
}

/** `LNCD`: a database of Linecard. */
export const DATABASE: FileKind = { applicationId: 0x4c4e4344, schema: 'sqlite' };
/** `LNCT`: the tokens of one. */
export const TOKENS: FileKind = { applicationId: 0x4c4e4354, schema: 'sqlite-tokens' };

/** `LNCB`: both in one file, to be brought back. */
export const BACKUP: FileKind = { applicationId: 0x4c4e4342, schema: 'sqlite' };

/** The number that a pragma returns; its name may begin with the schema of an attached file. */
export function pragma(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]);
}

/** A list is bound as JSON. */
export function bindable(value: Bound): Stored {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** The name of a parameter in statements of every store; SQLite numbers `?1` only. */
const PARAMETER = /\$(\d+)/g;

/** The tables and indexes of a file, by name, as SQL on one line: earlier versions aligned the columns. */
function definitions(database: DatabaseSync, attached: string): Map<unknown, unknown> {
  const all = database.prepare(`select name, sql from ${attached}.sqlite_schema where sql is not null`).all();
  return new Map(all.map(({ name, sql }) => [name, String(sql).replaceAll(/\s+/g, ' ')]));
}

/** What the steps of a schema make of an empty file. */
function definitionsOf(schema: SchemaName): Map<unknown, unknown> {
  using database = new DatabaseSync(':memory:');
  for (const step of schemaSteps(schema)) database.exec(step);
  return definitions(database, 'main');
}

/** Whether a file that a connection has open lacks a part of the schema that its steps made. */
function hasLostSchema(database: DatabaseSync): boolean {
  const attached = database.prepare('pragma database_list').all();
  return attached.some(({ name: file }) => {
    const name = String(file);
    const mark = pragma(database, `${name}.application_id`);
    const kind = [DATABASE, TOKENS].find(({ applicationId }) => applicationId === mark);
    // While it is migrated it is between two steps.
    if (!kind || pragma(database, `${name}.user_version`) !== schemaSteps(kind.schema).length) return false;
    const there = definitions(database, name);
    // Its tokens have moved into their own file.
    const moved = kind === DATABASE ? definitionsOf(TOKENS.schema) : undefined;
    return [...definitionsOf(kind.schema)].some(([one, sql]) => there.get(one) !== sql && !moved?.has(one));
  });
}

/**
 * The error of a statement that names what the file does not have: the statement is wrong, unless the file
 * has lost what it had when it was opened or migrated.
 */
function schemaFault(database: DatabaseSync, error: unknown): unknown {
  const { message } = error as Error;
  if (sqliteCode(error) !== SQLITE_ERROR || !/^no such (?:column|table)/.test(message)) return error;
  if (!hasLostSchema(database)) return error;
  return new StoreUnavailable(
    `The database file has lost a part of its schema (${message}). Bring back a backup with linecard-server restore.`,
    { cause: error },
  );
}

/**
 * A prepared statement that returns its rows as arrays.
 * @throws {StoreUnavailable} when the schema of the file is damaged.
 */
export function prepared(database: DatabaseSync, text: string): StatementSync {
  try {
    const statement = database.prepare(text.replaceAll(PARAMETER, '?$1'));
    statement.setReturnArrays(true);
    return statement;
  } catch (error) {
    throw schemaFault(database, error);
  }
}

/** All rows of a statement that was `prepared`. */
export function allRows(statement: StatementSync, ...values: SQLInputValue[]): ResultRow[] {
  return statement.all(...values) as unknown as ResultRow[];
}

/**
 * Leaves everything as it was; some errors, such as of a full disk, have ended the transaction by themselves.
 */
export function rollBack(database: DatabaseSync): void {
  if (database.isTransaction) database.exec('rollback');
}

/**
 * The step that a file is at, 0 for an empty one; `attached` is how the connection names it.
 * @throws {StoreRefused} when it is of another program or of a newer Linecard.
 */
export function schemaStep(
  database: DatabaseSync,
  path: string,
  { applicationId, schema }: FileKind,
  attached = 'main',
): number {
  // First, because another process may be making it: what was not empty has its mark by now.
  const isEmpty = pragma(database, `${attached}.schema_version`) === 0;
  const mark = pragma(database, `${attached}.application_id`);
  const step = pragma(database, `${attached}.user_version`);
  if (mark === BACKUP.applicationId) {
    throw new StoreRefused(
      `${path} is a backup. Bring it back with: linecard-server restore ${path} --database-url sqlite:PATH`,
    );
  }
  if (mark !== applicationId && !isEmpty) {
    throw new StoreRefused(
      `${path} is a SQLite database of another program. It was left as it is: name another file with --database-url.`,
    );
  }
  refuseNewerSchema(path, step, schema);
  return step;
}

/** Computes the columns of a step for every row, and logs that the lists with different ones were rebuilt. */
function runBackfill(database: DatabaseSync, step: number, backfill: Backfill): void {
  const { table, columns, read, valuesOf } = backfill;
  const rows = prepared(
    database,
    `select id, account_id, ${read.join(', ')} from ${table.name} where id > ? order by id limit ${BATCH_ROWS}`,
  );
  const update = database.prepare(
    `update ${table.name} set ${columns.map(({ name }) => `${name} = ?`).join(', ')} where id = ?`,
  );
  const changed = new Set<string>();
  for (let last: Stored = 0, count = BATCH_ROWS; count === BATCH_ROWS; ) {
    const batch = allRows(rows, last);
    for (const [id = null, account_id, ...stored] of batch) {
      const values = valuesOf(stored);
      if (values === undefined) continue;
      update.run(...values, id);
      changed.add(String(account_id));
    }
    count = batch.length;
    last = batch.at(-1)?.[0] ?? last;
  }
  if (step <= LOG_STEP) return;
  for (const { text, values } of rebuildStatements(sqlite, table.name, timestampOf(), [...changed]))
    prepared(database, text).run(...values.map(bindable));
}

/**
 * Gives the file a write-ahead log. Of two connections that do so concurrently, one fails immediately,
 * whatever its busy time-out, because both have the lock to read: so it tries again for that long.
 */
function switchToLog(database: DatabaseSync): void {
  const end = performance.now() + pragma(database, 'busy_timeout');
  for (;;) {
    try {
      return database.exec('pragma journal_mode = wal');
    } catch (error) {
      if (sqliteCode(error) !== SQLITE_BUSY || performance.now() >= end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MILLISECONDS);
    }
  }
}

/** Migrates the schema, one transaction a step; of two processes at once one waits for the write lock. */
export function migrate(database: DatabaseSync, path: string, kind: FileKind): void {
  const steps = schemaSteps(kind.schema);
  const isDone = schemaStep(database, path, kind) === steps.length;
  if (!isDone) database.exec(`pragma page_size = ${PAGE_BYTES}`);
  // Also of a file whose restore was cut off before it came to its end.
  switchToLog(database);
  if (isDone) return;
  for (let done = schemaStep(database, path, kind); done < steps.length; done++) {
    database.exec('begin immediate');
    try {
      done = schemaStep(database, path, kind);
      const next = steps[done];
      if (next !== undefined) {
        database.exec(next);
        if (kind === DATABASE) for (const one of backfillsOf(done + 1)) runBackfill(database, done + 1, one);
        database.exec(`pragma application_id = ${kind.applicationId}; pragma user_version = ${done + 1}`);
      }
      database.exec('commit');
    } catch (error) {
      rollBack(database);
      throw error;
    }
  }
}
