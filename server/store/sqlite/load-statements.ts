// The prepared statements of an import into the embedded store, and the temporary tables that they note
// things in.

import type { DatabaseSync } from 'node:sqlite';
import { logStatements } from '../change-log.ts';
import { comparedColumns, listedCondition, sourceColumns, storedColumns, type Table } from '../tables.ts';
import { CHANGED, COUNTED, NAMED } from './account-notes.ts';

/** Ids noted by one statement: a call costs more than a row of two integers. */
export const IDS_AT_ONCE = 500;
const NOTES_CACHE_KIB = 32_768;

// What an import must remember of its rows is in temporary tables, so that memory does not grow with the
// files.
export const CREATE_NOTES = `
  pragma temp.cache_size = -${NOTES_CACHE_KIB};
  create temp table import_ids (id integer primary key, line integer not null);
  create temp table import_duplicates (line integer primary key, id integer not null, first_line integer not null);
  create temp table import_absent (id integer primary key);
  create temp table import_accounts (
    id text primary key, known integer not null, inserted integer not null, updated integer not null,
    removed integer not null, moved integer not null, logged integer not null
  ) without rowid;
  create temp table import_changes (account_id text not null, ids text not null);
  create temp table import_renewed (
    account_id text primary key, changed integer not null, before integer not null, sequence integer not null,
    outcome text not null
  ) without rowid;
  create temp table import_pruned (account_id text not null, list text not null, up_to integer not null)`;
export const DROP_NOTES = `
  drop table if exists temp.import_ids;
  drop table if exists temp.import_duplicates;
  drop table if exists temp.import_absent;
  drop table if exists temp.import_accounts;
  drop table if exists temp.import_changes;
  drop table if exists temp.import_renewed;
  drop table if exists temp.import_pruned`;

const NEW_REVISION = 'lower(hex(randomblob(16)))';
const ADD_TO_NOTE = `on conflict do update set known = known | excluded.known, inserted = inserted + excluded.inserted,
  updated = updated + excluded.updated, removed = removed + excluded.removed, moved = moved + excluded.moved,
  logged = logged + excluded.logged`;
const NAMED_ACCOUNTS = `(select id from temp.import_accounts where known & ${NAMED})`;

/**
 * Drops the indexes of a table that has no rows and returns the statements that create them anew, which is
 * cheaper than to maintain them row by row; readers see none of it before the commit.
 */
export function dropIndexes(database: DatabaseSync, { name }: Table): string[] {
  if (database.prepare(`select 1 from ${name} limit 1`).get() !== undefined) return [];
  const indexes = database
    .prepare("select name, sql from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null")
    .all(name) as { name: string; sql: string }[];
  for (const index of indexes) database.exec(`drop index ${index.name}`);
  return indexes.map(({ sql }) => sql);
}

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
    noteAbsent: database.prepare('insert or ignore into temp.import_absent values (?)'),
    noteAccount: database.prepare(
      `insert into temp.import_accounts values (?, ?, ?, ?, ?, ?, ?) ${ADD_TO_NOTE}`,
    ),
    outside: database.prepare(
      `select id as account_id, known & ${NAMED} as named from temp.import_accounts
       where id not in (select value from json_each(?)) order by named desc, id limit 1`,
    ),
    changes: database.prepare(
      `select id as account_id, inserted, updated, removed from temp.import_accounts
       where inserted + updated + removed > 0 order by id`,
    ),
  };
}

/** The statements that remove rows, one by its id or all that did not come. */
function removeStatements(database: DatabaseSync, { name }: Table, listed: string) {
  // A row that was to remove an item of another account does not say that the item stays.
  const others = {
    all: 'id not in (select id from temp.import_ids) or id in (select id from temp.import_absent)',
    named: `account_id in ${NAMED_ACCOUNTS}
      and (id not in (select id from temp.import_ids) or id in (select id from temp.import_absent))`,
  };
  const noteOthers = (which: string) =>
    database.prepare(
      `insert into temp.import_accounts
       select account_id, max(case when ${listed} then ${CHANGED | COUNTED} else 0 end), 0, 0, count(*), 0,
         count(*) filter (where ${listed}) from ${name}
       where ${which} group by account_id ${ADD_TO_NOTE}`,
    );
  const logOthers = (which: string) =>
    database.prepare(
      `insert into temp.import_changes
       select account_id, json_group_array(id) from ${name} where ${listed} and (${which}) group by account_id`,
    );
  const removeOthers = (which: string) => database.prepare(`delete from ${name} where ${which}`);
  const remove = database.prepare(`delete from ${name} where id = ? and account_id = ? returning ${listed}`);
  remove.setReturnArrays(true);
  return {
    remove,
    others: {
      all: { note: noteOthers(others.all), log: logOthers(others.all), remove: removeOthers(others.all) },
      named: {
        note: noteOthers(others.named),
        log: logOthers(others.named),
        remove: removeOthers(others.named),
      },
    },
  };
}

/** The statements that count the rows that there were before the import. */
function countStatements(database: DatabaseSync, { name }: Table) {
  const before = (accounts: string) =>
    database.prepare(
      `select (select count(*) from ${name} where account_id in ${accounts})
         - (select coalesce(sum(inserted - removed + moved), 0) from temp.import_accounts where id in ${accounts}) as n`,
    );
  return {
    named: before(NAMED_ACCOUNTS),
    all: database.prepare(
      `select (select count(*) from ${name})
         - (select coalesce(sum(inserted - removed), 0) from temp.import_accounts) as n`,
    ),
  };
}

/** The statements that note what changes and write the log of it, in their order. */
function changeStatements(database: DatabaseSync, { name }: Table) {
  const changed = 'select account_id, ids.value as id from temp.import_changes, json_each(ids) as ids';
  const { history, write, pruned, forget } = logStatements(name, changed, {
    greatest: 'max',
    value: '?1',
  });
  const prepared = (text: string) => database.prepare(text);
  return {
    listed: database.prepare(`select ${name} as items from accounts where id = ?`),
    noteChanges: database.prepare('insert into temp.import_changes values (?, ?)'),
    renew: database.prepare(
      `insert into temp.import_renewed select accounts.id, logged, ${name}, sequence + 1, ''
       from temp.import_accounts as noted join accounts on accounts.id = noted.id where known & ${CHANGED}`,
    ),
    history: database.prepare(history),
    log: write.map(prepared),
    notePruned: prepared(`insert into temp.import_pruned ${pruned}`),
    forget: forget.map(prepared),
  };
}

/** The statements of an import into the table; rows are bound as `storedColumns` names their values. */
export function statementsFor(database: DatabaseSync, table: Table) {
  const columns = storedColumns(table);
  const names = columns.join(', ');
  const placeholders = columns.map((_, i) => `?${i + 1}`);
  const values = placeholders.join(', ');
  const listed = listedCondition(table);
  const compared = comparedColumns(table);
  const compare = database.prepare(
    `select account_id, ${listed}, (${compared.slice(1).join(', ')}) is (${placeholders.slice(1, compared.length).join(', ')})
     from ${table.name} where id = ?1`,
  );
  compare.setReturnArrays(true);
  const stored = database.prepare(
    `select ${sourceColumns(table).join(', ')} from ${table.name} where id = ?`,
  );
  stored.setReturnArrays(true);
  // Without the id, which SQLite would take for a row that moves. An index whose columns are set is written
  // anew, even where they are the same: that of the accounts is left alone unless a row moves.
  const update = (from: number) =>
    database.prepare(
      `update ${table.name} set (${columns.slice(from).join(', ')}) = (${placeholders.slice(from).join(', ')}) where id = ?1`,
    );
  return {
    ...noteStatements(database),
    ...removeStatements(database, table, listed),
    ...changeStatements(database, table),
    before: countStatements(database, table),
    stored,
    insert: database.prepare(
      `insert into ${table.name} (${names}) values (${values}) on conflict do nothing`,
    ),
    compare,
    move: update(1),
    update: update(2),
    renewAccounts: database.prepare(
      `update accounts set revision = ${NEW_REVISION}, sequence = sequence + 1, updated_at = ?,
         ${table.name} = case when id in (select id from temp.import_accounts where known & ${COUNTED})
           then (select count(*) from ${table.name} where account_id = accounts.id and ${listed}) else ${table.name} end
       where id in (select account_id from temp.import_renewed)`,
    ),
    createAccounts: database.prepare(
      `insert into accounts (id, name, created_at, updated_at, revision)
       select id, '', ?1, ?1, ${NEW_REVISION} from temp.import_accounts
       where known & ${NAMED} and id not in (select id from accounts)`,
    ),
  };
}
