// The prepared statements of an import into the embedded store, and the temporary tables that they note
// things in. It must not know when each is run.

import type { DatabaseSync } from 'node:sqlite';
import { listedCondition, storedColumns, type Table } from '../tables.ts';

/** Ids noted by one statement: a call costs more than a row of two integers. */
export const IDS_AT_ONCE = 500;
const NOTES_CACHE_KIB = 32_768;

/** What is known of an account, as bits: the files name it; a customer can see that its list changed. */
export const NAMED = 1;
export const CHANGED = 2;

// What an import must remember of its rows is in temporary tables, so that memory does not grow with the
// files.
export const CREATE_NOTES = `
  pragma temp.cache_size = -${NOTES_CACHE_KIB};
  create temp table import_ids (id integer primary key, line integer not null);
  create temp table import_duplicates (line integer primary key, id integer not null, first_line integer not null);
  create temp table import_accounts (id text primary key, known integer not null) without rowid`;
export const DROP_NOTES = `
  drop table if exists temp.import_ids;
  drop table if exists temp.import_duplicates;
  drop table if exists temp.import_accounts`;

const NEW_REVISION = 'lower(hex(randomblob(16)))';

/** The statements that note what is known of the rows of an import. */
function noteStatements(database: DatabaseSync) {
  const noteIds = (count: number) =>
    database.prepare(
      `insert or ignore into temp.import_ids values ${Array(count).fill('(?, ?)').join(', ')}`,
    );
  return {
    noteIds: noteIds(IDS_AT_ONCE),
    noteId: noteIds(1),
    firstLine: database.prepare('select line from temp.import_ids where id = ?'),
    noteDuplicate: database.prepare(
      'insert into temp.import_duplicates (id, line, first_line) values (?, ?, ?)',
    ),
    noteAccount: database.prepare(
      'insert into temp.import_accounts values (?, ?) on conflict do update set known = known | excluded.known',
    ),
  };
}

/** The statements of an import into the table; rows are bound as `storedColumns` names their values. */
export function statementsFor(database: DatabaseSync, table: Table) {
  const columns = storedColumns(table);
  const names = columns.join(', ');
  const placeholders = columns.map((_, i) => `?${i + 1}`);
  const values = placeholders.join(', ');
  const listed = listedCondition(table);
  const others = `account_id in (select id from temp.import_accounts where known & ${NAMED})
    and id not in (select id from temp.import_ids)`;
  const compare = database.prepare(
    `select account_id, ${listed}, (${names}) is (${values}) from ${table.name} where id = ?1`,
  );
  compare.setReturnArrays(true);
  return {
    ...noteStatements(database),
    insert: database.prepare(
      `insert into ${table.name} (${names}) values (${values}) on conflict do nothing`,
    ),
    compare,
    // Without the id, which SQLite would take for a row that moves.
    update: database.prepare(
      `update ${table.name} set (${columns.slice(1).join(', ')}) = (${placeholders.slice(1).join(', ')}) where id = ?1`,
    ),
    noteOthers: database.prepare(
      `insert into temp.import_accounts
       select distinct account_id, ${CHANGED} from ${table.name} where ${others} and ${listed}
       on conflict do update set known = known | excluded.known`,
    ),
    removeOthers: database.prepare(`delete from ${table.name} where ${others}`),
    renewAccounts: database.prepare(
      `update accounts set revision = ${NEW_REVISION}, updated_at = ?,
         ${table.name} = (select count(*) from ${table.name} where account_id = accounts.id and ${listed})
       where id in (select id from temp.import_accounts where known & ${CHANGED})`,
    ),
    createAccounts: database.prepare(
      `insert into accounts (id, name, created_at, updated_at, revision)
       select id, '', ?1, ?1, ${NEW_REVISION} from temp.import_accounts
       where known & ${NAMED} and id not in (select id from accounts)`,
    ),
  };
}
