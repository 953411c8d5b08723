// The prepared statements of an import into the embedded store. Its steps are those
// of every store: stage (the ids and accounts of incoming rows), compare (with the stored rows), write (to
// the list) and renew (the accounts whose lists look different now, and the log of changes).

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { sqlite } from '../dialects.ts';
import { changedText, fromToText, REMOVED } from '../events.ts';
import { DEFAULT_RETENTION_MS, logStatements } from '../log/change-log.ts';
import {
  comparedColumns,
  listedCondition,
  type Stored,
  sourceColumns,
  storedColumns,
  type Table,
} from '../tables.ts';
import { prepared } from './migrate.ts';

/** Ids recorded by one statement: a call costs more than a row of two integers. */
export const IDS_AT_ONCE = 500;

/**
 * What is known of an account, as bits: the files name it; a customer can see that its list changed; its list
 * may have another number of items.
 */
export const NAMED = 1;
export const CHANGED = 2;
export const COUNTED = 4;

const ADD_TO_ACCOUNT = `on conflict do update set known = known | excluded.known, inserted = inserted + excluded.inserted,
  updated = updated + excluded.updated, removed = removed + excluded.removed,
  moved_in = moved_in + excluded.moved_in, moved_out = moved_out + excluded.moved_out, logged = logged + excluded.logged`;
const NAMED_ACCOUNTS = `(select id from temp.import_accounts where known & ${NAMED})`;
const NEW_ACCOUNTS = `from temp.import_accounts where known & ${NAMED} and id not in (select id from accounts)`;

/**
 * Drops the indexes of a table that has no rows and returns the statements that create them again, which is
 * cheaper than to maintain them row by row; readers see none of it before the commit.
 */
export function dropIndexes(database: DatabaseSync, { name }: Table): string[] {
  const indexes = database
    .prepare("select name, sql from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null")
    .all(name) as { name: string; sql: string }[];
  for (const index of indexes) database.exec(`drop index ${index.name}`);
  return indexes.map(({ sql }) => sql);
}

/** Records what is known of the incoming rows. */
function stageStatements(database: DatabaseSync) {
  const insertIds = (count: number) =>
    database.prepare(
      `insert or ignore into temp.import_ids values ${Array(count).fill('(?, ?)').join(', ')}`,
    );
  return {
    ids: insertIds(IDS_AT_ONCE),
    id: insertIds(1),
    firstLine: database.prepare('select line from temp.import_ids where id = ?'),
    duplicate: database.prepare('insert into temp.import_duplicates (id, line, first_line) values (?, ?, ?)'),
    absent: database.prepare('insert or ignore into temp.import_absent values (?)'),
    account: database.prepare(
      `insert into temp.import_accounts values (?, ?, ?, ?, ?, ?, ?, ?) ${ADD_TO_ACCOUNT}`,
    ),
    changed: database.prepare('insert into temp.import_changes values (?, ?, ?)'),
    move: database.prepare(
      `insert into temp.import_pairs values (?, ?, 1)
       on conflict do update set items = items + 1`,
    ),
  };
}

/**
 * A stored row, and what an incoming one changes of it: its events if it stays, 0 if it is the same, and what
 * fields of these were and are. If it is not the same, the item and the values in columns of their own.
 */
export type FoundRow = readonly [
  account_id: string,
  listed: number,
  what: number,
  from_to: string | null,
  item: string,
  ...separate: Stored[],
];

const labelOf = ({ list }: Table) => sqlite.member('item', list.label);
/** The events of an item that stays, and what fields of these were and are. */
function happenedTexts(table: Table, incoming: (column: string) => string) {
  const stored = (column: string) => column;
  // What depends on bound values alone is computed for each row, used or not.
  const written = (column: string) => `iif(id, ${incoming(column)}, null)`;
  const fromTo = fromToText(table, sqlite, stored, incoming, written);
  return [changedText(table, stored, incoming), fromTo] as const;
}

/** Reads what is stored, and what the import does to it. */
function compareStatements(database: DatabaseSync, table: Table, isTrial: boolean) {
  const { name } = table;
  const columns = storedColumns(table);
  const incoming = (column: string) => `?${columns.indexOf(column) + 1}`;
  const compared = comparedColumns(table);
  const isSame = `(${compared.join(', ')}) is (${compared.map(incoming).join(', ')})`;
  const [changed, fromTo] = happenedTexts(table, incoming);
  const changeable = ['item', ...table.separate.map((one) => one.column)];
  return {
    stored: prepared(database, `select ${sourceColumns(table).join(', ')} from ${name} where id = ?`),
    /** What is stored under the id of an incoming row: a `FoundRow`. */
    found: prepared(
      database,
      `select account_id, ${listedCondition(table)}, case when ${isSame} then 0 else ${changed} end, ${fromTo},
         ${changeable.map((column) => `case when ${isSame} then null else ${column} end`).join(', ')}
       from ${name} where id = ?1`,
    ),
    label: database.prepare(`select ${labelOf(table)} as label from ${name} where id = ?`),
    listed: database.prepare(`select ${name} as items from accounts where id = ?`),
    /** What a removal by name finds. */
    removal: prepared(
      database,
      `select ${listedCondition(table)}, ${labelOf(table)} from ${name} where id = ? and account_id = ?`,
    ),
    newAccounts: database.prepare(`select count(*) as n ${NEW_ACCOUNTS}`),
    /** How many rows there were before the import. */
    before: {
      named: database.prepare(
        `select (select count(*) from ${name} where account_id in ${NAMED_ACCOUNTS})
           - ${isTrial ? 0 : 'coalesce(sum(inserted - removed + moved_in - moved_out), 0)'} as items,
           coalesce(sum(moved_out), 0) as movedOut
         from temp.import_accounts where known & ${NAMED}`,
      ),
      all: database.prepare(
        `select (select count(*) from ${name}) - ${isTrial ? 0 : 'coalesce(sum(inserted - removed), 0)'} as items,
           coalesce(sum(moved_out) filter (where known & ${NAMED}), 0) as movedOut
         from temp.import_accounts`,
      ),
    },
    moves: database.prepare('select * from temp.import_pairs order by from_account_id, to_account_id'),
    outside: database.prepare(
      `select id as account_id, known & ${NAMED} as named from temp.import_accounts
       where id not in (select value from json_each(?)) order by named desc, id limit 1`,
    ),
    changes: database.prepare(
      `select id as account_id, inserted, updated, removed, moved_in, moved_out from temp.import_accounts
       where inserted + updated + removed + moved_out > 0 order by id`,
    ),
  };
}

/** Removes all rows that did not come, of the accounts that the files name or of all. */
function removeOthers(database: DatabaseSync, table: Table, listed: string, accounts: string) {
  const { name } = table;
  // A row that was to remove an item of another account does not say that the item stays.
  const where = `${accounts}(id not in (select id from temp.import_ids) or id in (select id from temp.import_absent))`;
  return {
    account: database.prepare(
      `insert into temp.import_accounts
       select account_id, max(case when ${listed} then ${CHANGED | COUNTED} else 0 end), 0, 0, count(*), 0, 0,
         count(*) filter (where ${listed}) from ${name}
       where ${where} group by account_id ${ADD_TO_ACCOUNT}`,
    ),
    changed: database.prepare(
      `insert into temp.import_changes
       select account_id, ${REMOVED}, json_group_array(json_array(id, ${labelOf(table)})) from ${name} where ${listed} and ${where} group by account_id`,
    ),
    remove: database.prepare(`delete from ${name} where ${where}`),
    count: database.prepare(`select count(*) as n from ${name} where ${where}`),
  };
}

function writeStatements(database: DatabaseSync, table: Table, placeholders: readonly string[]) {
  const { name } = table;
  const columns = storedColumns(table);
  const listed = listedCondition(table);
  // Without the id, which SQLite would take for a row that moves. An index whose columns are set is written
  // again, even where they are the same: that of the accounts is left alone unless a row moves.
  const update = (from: number) =>
    database.prepare(
      `update ${name} set (${columns.slice(from).join(', ')}) = (${placeholders.slice(from).join(', ')}) where id = ?1`,
    );
  const remove = `delete from ${name} where id = ? and account_id = ? returning ${listed}, ${labelOf(table)}`;
  return {
    insert: database.prepare(
      `insert into ${name} (${columns.join(', ')}) values (${placeholders.join(', ')}) on conflict do nothing`,
    ),
    move: update(1),
    update: update(2),
    remove: prepared(database, remove),
    others: {
      all: removeOthers(database, table, listed, ''),
      named: removeOthers(database, table, listed, `account_id in ${NAMED_ACCOUNTS} and `),
    },
  };
}

function renewStatements(database: DatabaseSync, table: Table) {
  const { name } = table;
  const changed = `select account_id, case ids.type when 'array' then ids.value ->> 0 else ids.value end as id, what,
      case what when ${REMOVED} then ids.value ->> 1 end as label,
      case when what <> ${REMOVED} and ids.type = 'array' then ids.value ->> 1 end as from_to
    from temp.import_changes, json_each(ids) as ids`;
  const { history, write, pruned, forget } = logStatements(name, changed, sqlite);
  return {
    createAccounts: database.prepare(
      `insert into accounts (id, name, created_at, updated_at, revision)
       select id, '', ?1, ?1, ${sqlite.revision('', 'id')} ${NEW_ACCOUNTS}`,
    ),
    renewed: database.prepare(
      `insert into temp.import_renewed select accounts.id, logged, ${name}, sequence + 1, ''
       from temp.import_accounts as recorded join accounts on accounts.id = recorded.id where known & ${CHANGED}`,
    ),
    history: prepared(database, history),
    accounts: database.prepare(
      `update accounts set revision = ${sqlite.revision('', 'id')}, sequence = sequence + 1, updated_at = ?,
         ${name} = case when id in (select id from temp.import_accounts where known & ${COUNTED})
           then (select count(*) from ${name} where account_id = accounts.id and ${listedCondition(table)}) else ${name} end
       where id in (select account_id from temp.import_renewed)`,
    ),
    log: write.map((text) => prepared(database, text)),
    pruned: prepared(database, `insert or ignore into temp.import_pruned ${pruned}`),
    forget: forget.map((text) => prepared(database, text)),
  };
}

/** The statements of an import into the table; rows are bound as `storedColumns` names their values. */
export function statementsFor(database: DatabaseSync, table: Table, isTrial: boolean) {
  const placeholders = storedColumns(table).map((_, i) => `?${i + 1}`);
  return {
    stage: stageStatements(database),
    compare: compareStatements(database, table, isTrial),
    write: writeStatements(database, table, placeholders),
    renew: renewStatements(database, table),
  };
}

/**
 * Gives the accounts whose lists look different now their next revision, and logs what has changed; what is
 * older than the retention is pruned.
 */
export function renewAccounts(
  sql: ReturnType<typeof renewStatements>,
  now: string,
  retentionMs = DEFAULT_RETENTION_MS,
): void {
  if (sql.renewed.run().changes === 0) return;
  const run = (statements: readonly StatementSync[]) => {
    for (const one of statements) one.run();
  };
  sql.history.run(now);
  sql.accounts.run(now);
  run(sql.log);
  if (sql.pruned.run(timestampOf(Date.now() - retentionMs)).changes !== 0) run(sql.forget);
}
