// The tokens of the embedded store: a file of their own next to the database, attached to each connection, so
// that they can be written while an import holds the write lock of the lists.
//
// A database that contains the table itself is one of an older version, or a backup that was just restored.
// Then that table is valid: a new file is made from it and renamed into place, and only then is the table
// dropped. So the move can be interrupted anywhere, and is repeated.

import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { olderSchema, schemaSteps } from '../migrations.ts';
import type { Purpose } from '../store.ts';
import { StoreRefused } from '../store-errors.ts';
import { applicationIdOf, followed, makeFile, putInPlace, removeFile } from './files.ts';
import { migrate, prepared, rollBack, schemaStep, TOKENS } from './migrate.ts';

/** How a connection names the attached file. */
export const TOKENS_SCHEMA = 'tokens_file';
/** The table that says where tokens are. */
const TABLE = 'tokens';
const BUSY_MILLISECONDS = 5_000;

export function tokensPath(path: string): string {
  return `${path}-tokens`;
}

/** Whether the database itself has a table. */
export function hasTable(database: DatabaseSync, name: string): boolean {
  const found = database.prepare("select 1 from main.sqlite_schema where type = 'table' and name = ?");
  return found.get(name) !== undefined;
}

/** Whether the tokens are still in the database itself. */
export function holdsTokens(database: DatabaseSync): boolean {
  return hasTable(database, TABLE);
}

/** Copies the rows of a table from one connection to another, by the names of its columns. */
function copyRows(from: DatabaseSync, to: DatabaseSync, table: string): void {
  const rows = prepared(from, `select * from ${table}`);
  const columns = rows.columns().map(({ name }) => name);
  const insert = to.prepare(
    `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  );
  for (const row of rows.iterate() as Iterable<unknown>) insert.run(...(row as string[]));
}

/** Makes a file of the tables that the database holds of it; returns their names. */
function makeFrom(database: DatabaseSync, path: string, part: string): string[] {
  makeFile(part, path);
  const file = new DatabaseSync(part);
  try {
    migrate(file, part, TOKENS);
    file.exec('begin');
    const all = file.prepare("select name from sqlite_schema where type = 'table' order by name").all();
    const held = all.map(({ name }) => String(name)).filter((name) => hasTable(database, name));
    for (const name of held) copyRows(database, file, name);
    file.exec('commit');
    return held;
  } finally {
    // The last connection to close it leaves one file, and that on the disk.
    file.close();
  }
}

/**
 * Moves the tokens that are in the database itself into their file; of two concurrent processes one waits. If
 * there are none, and the file is lost, an empty one is created if `mayBegin`.
 * @throws {StoreRefused} when a file of something else is in the way.
 */
export function moveTokensApart(database: DatabaseSync, path: string, mayBegin: boolean): void {
  const file = followed(tokensPath(path));
  const isNeeded = () => holdsTokens(database) || (mayBegin && !existsSync(file));
  if (!isNeeded()) return;
  const part = `${file}.part`;
  const mark = applicationIdOf(file);
  if (mark !== undefined && mark !== TOKENS.applicationId) {
    throw new StoreRefused(
      `${file} is in the way of the tokens of ${path}, and is not a file of Linecard. It was left as it is: move it away.`,
    );
  }
  database.exec('begin immediate');
  try {
    if (isNeeded()) {
      removeFile(part);
      const moved = makeFrom(database, path, part);
      putInPlace(part, file);
      for (const name of moved) database.exec(`drop table main.${name}`);
    }
    database.exec('commit');
  } catch (error) {
    rollBack(database);
    removeFile(part);
    throw error;
  }
}

/** Copies the tables of the attached file into another database, for `moveTokensApart` to find there. */
export function putTokensInside(database: DatabaseSync, copy: DatabaseSync): void {
  const text = `select name, sql from ${TOKENS_SCHEMA}.sqlite_schema where type = 'table'`;
  for (const { name, sql } of database.prepare(text).all()) {
    copy.exec(String(sql));
    copyRows(database, copy, String(name));
  }
}

/** Does something on a connection to the file alone, where its tables are those of the connection itself. */
export function withTokens<T>(path: string, work: (file: DatabaseSync) => T): T {
  const file = new DatabaseSync(tokensPath(path), { timeout: BUSY_MILLISECONDS });
  try {
    return work(file);
  } finally {
    file.close();
  }
}

/**
 * Has a connection see the tables of the file, under their own names; to write, its schema is brought up to
 * date.
 * @throws {StoreRefused} when the file is missing, or is not what it should be.
 */
export function attachTokens(database: DatabaseSync, path: string, purpose: Purpose = 'read'): void {
  const file = tokensPath(path);
  if (!existsSync(file)) {
    throw new StoreRefused(
      `${file} is missing, which holds the tokens of ${path}. Bring it back, restore a backup with linecard-server restore, or start with no tokens: linecard-server serve --create.`,
    );
  }
  if (purpose === 'write') withTokens(path, (tokens) => migrate(tokens, file, TOKENS));
  database.prepare(`attach ? as ${TOKENS_SCHEMA}`).run(file);
  const step = schemaStep(database, file, TOKENS, TOKENS_SCHEMA);
  if (step < schemaSteps(TOKENS.schema).length) throw olderSchema(file);
}
