// The log of what has changed in a list: the tables that hold it, and the statements by which an import
// writes it, the same for both databases.
//
// An import that has computed what it changes has two temporary tables: `import_renewed`, one row for each
// account whose list is different now, and its own table of the ids that changed, with their events. The
// statements run one after the other, in the transaction of the import:
//
//   history      records the revision that ends, before the account's row gets its next
//   write        decides for each account how to log the change: in entries or, if all items are new or most
//                of them change, by the sequence alone; and logs it
//   pruned       finds what is older than is retained, or more
//   forget       deletes it, after it was recorded in `import_pruned`
//
// All statements are about sets: an import of a million rows runs no more of them than one of ten.

import { randomUUID } from 'node:crypto';
import { Values } from '../conditions.ts';
import type { Dialect } from '../dialects.ts';
import { itemColumn } from '../item-column.ts';
import { fromWhere, type Selection, type Statement, statement, statementOf } from '../sql.ts';
import type { Store } from '../store.ts';
import { type StoredItem, tables } from '../tables.ts';

/** A list with more items is large: one import that changes more than half of it rebuilds it. */
const LARGE_ITEMS = 10_000;
/**
 * The log of an account's list may have one entry per item of the list, and at least this number while all
 * logs of that list in the deployment have no more entries than it has items there, or than this number.
 */
const MIN_ENTRIES = 10_000;
/** The newest entries of a log stay, at least this number, whatever the list and all other logs have. */
const NEWEST_ENTRIES = 1_000;
/** The limit of a small list while all logs together are large: what stays after a cut is still more. */
export const SMALL_ENTRIES = 2 * NEWEST_ENTRIES;
/** How many revisions of an account are known. */
const MAX_REVISIONS = 10_000;
/**
 * In thousandths of its limit: a log with more than a share of 800 to 999, by account, is cut to 200 less.
 * Logs that grow alike must not all be cut by the same import.
 */
const MIN_SHARE = 800;
const CUT_SHARES = 200;

/** How long changes are retained by default: 30 days. */
export const DEFAULT_RETENTION_MS = 30 * 86_400_000;

export const changesTable = (list: string): string => `${list}_changes`;

/** Tables other than the lists that hold rows of accounts, the owner in `account_id`. */
export const LOG_TABLES: readonly string[] = [
  'revisions',
  'change_logs',
  ...Object.keys(tables).map(changesTable),
];

/** How many entries the log of an account's list may have while all logs together are small. */
const limitOf = (items: string, { greatest }: Dialect) => `${greatest}(${items}, ${MIN_ENTRIES})`;

/**
 * The limit at any time. All logs together count by shares too: otherwise all logs would have grown too long
 * by the import that ends the time when they may. The sums are only computed for a log longer than a share of
 * its list.
 */
function currentLimit(name: string, share: string, dialect: Dialect): string {
  // Citus might not plan sums over all accounts next to joins by account.
  if (dialect.isDistributed) return limitOf(`accounts.${name}`, dialect);
  const all = `(select sum(entries) from change_logs where list = '${name}')`;
  const allowed = limitOf(`(select sum(${name}) from accounts)`, dialect);
  return `case when accounts.${name} >= ${MIN_ENTRIES} or ${all} * 1000 > ${allowed} * ${share} then ${dialect.greatest}(accounts.${name}, ${SMALL_ENTRIES}) else ${MIN_ENTRIES} end`;
}

function outcomeStatement(name: string, dialect: Dialect): string {
  const most = `${dialect.greatest}(renewed.before, accounts.${name})`;
  return `update import_renewed as renewed set outcome = case
      when renewed.before = 0 then 'filled'
      when ${most} > ${LARGE_ITEMS} and 2 * renewed.changed > ${most} then 'rebuilt'
      when renewed.changed > ${limitOf(`accounts.${name}`, dialect)} then 'rebuilt'
      else 'logged' end
    from accounts where accounts.id = renewed.account_id`;
}

/** The state of the log afterwards. */
function logStatement(name: string, { greatest }: Dialect): string {
  const by = (outcome: string, value = 'sequence') =>
    `case outcome when '${outcome}' then ${value} else 0 end`;
  const later = (column: string) => `${column} = ${greatest}(change_logs.${column}, excluded.${column})`;
  return `insert into change_logs (account_id, list, newest, entries, rebuilt, filled)
    select account_id, '${name}', ${by('logged')}, ${by('logged', 'changed')}, ${by('rebuilt')}, ${by('filled')}
    from import_renewed where true
    on conflict (account_id, list) do update set ${later('newest')}, entries = change_logs.entries + excluded.entries,
      ${later('rebuilt')}, ${later('filled')},
      events_after = case when excluded.filled > 0 and change_logs.filled > 0 then change_logs.filled else change_logs.events_after end`;
}

/** What is older than is retained, as rows of `import_pruned`. */
function tooOld(dialect: Dialect): string {
  const oldest = (column: string, from: string) =>
    `(select ${column} from revisions where revisions.account_id = renewed.account_id${from}
      order by revisions.sequence limit 1)`;
  // Whatever the clock says, the newest entries stay.
  const stays = `coalesce(${oldest('revisions.sequence', ` and ended_at >= $1`)}, renewed.sequence - 1)`;
  const lists = Object.keys(tables).map((list) => `select '${list}' as list`);
  return `select renewed.account_id, lists.list, ${dialect.greatest}(renewed.sequence - ${MAX_REVISIONS}, ${stays})
    from import_renewed as renewed cross join (${lists.join(' union all ')}) as lists
    where ${oldest('ended_at', '')} < $1 or ${oldest('revisions.sequence', '')} < renewed.sequence - ${MAX_REVISIONS}`;
}

/**
 * What is more than is retained, or no longer of use, as rows of `import_pruned`. The sums of the limit are
 * computed once, before the logs are looked at, and not for each account again.
 */
function tooMany(name: string, dialect: Dialect): string {
  const share = `(${MIN_SHARE} + abs(${dialect.accountHash} % ${CUT_SHARES}))`;
  const limit = currentLimit(name, share, dialect);
  const long = `select renewed.account_id, renewed.sequence, ${limit} * (${share} - ${CUT_SHARES}) as kept_thousandths
    from import_renewed as renewed join accounts on accounts.id = renewed.account_id
      join change_logs on change_logs.account_id = renewed.account_id and change_logs.list = '${name}'
    where outcome = 'logged' and change_logs.entries * 1000 > accounts.${name} * ${share}
      and change_logs.entries * 1000 > ${limit} * ${share}`;
  const [before, from] = dialect.isDistributed
    ? ['', `(${long}) as long`]
    : [`with long as materialized (${long}) `, 'long'];
  const cut = `(select sequence from (
      select sequence, sum(count(*)) over (order by sequence desc) as entries, count(*) as own
      from ${changesTable(name)} as logged where logged.account_id = long.account_id group by sequence
    ) as sequences where entries * 1000 > long.kept_thousandths and entries - own >= ${NEWEST_ENTRIES} order by sequence desc limit 1)`;
  // The newest sequence stays, however many entries it has.
  return `${before}select account_id, '${name}', ${dialect.least}(coalesce(${cut}, 0), sequence - 1) from ${from}
    union all select account_id, '${name}', sequence from import_renewed where outcome = 'rebuilt'`;
}

function forgetStatements(list: string, { greatest }: Dialect): string[] {
  const log = changesTable(list);
  const upTo = (account_id: string) =>
    `(select max(up_to) from import_pruned as pruned where pruned.list = '${list}' and pruned.account_id = ${account_id})`;
  const pruned = `(select account_id from import_pruned where list = '${list}')`;
  return [
    `update change_logs set pruned = ${greatest}(pruned, ${upTo('change_logs.account_id')}), entries = entries - (
        select count(*) from ${log} as logged
        where logged.account_id = change_logs.account_id and logged.sequence <= ${upTo('change_logs.account_id')})
      where list = '${list}' and account_id in ${pruned}`,
    `delete from ${log} where account_id in ${pruned} and sequence <= ${upTo(`${log}.account_id`)}`,
  ];
}

/** The statements by which an import writes the log, in their order. */
export function logStatements(name: string, changed: string, dialect: Dialect) {
  const old = `select account_id, min(up_to) as up_to from import_pruned group by account_id having count(distinct list) = ${Object.keys(tables).length}`;
  return {
    /** Its value is now. */
    history: `insert into revisions (account_id, sequence, revision, ended_at)
      select id, sequence, revision, $1 from accounts where id in (select account_id from import_renewed)`,
    /** After the renewal of the accounts. */
    write: [
      outcomeStatement(name, dialect),
      `insert into ${changesTable(name)} (account_id, sequence, id, what, label, from_to)
        select changed.account_id, renewed.sequence, changed.id, changed.what, changed.label, changed.from_to
        from (${changed}) as changed join import_renewed as renewed on renewed.account_id = changed.account_id
        where renewed.outcome = 'logged' order by 1, 3 on conflict do nothing`,
      logStatement(name, dialect),
    ],
    /** A query; its value is the time before which revisions are pruned. */
    pruned: `${tooMany(name, dialect)} union all ${tooOld(dialect)}`,
    forget: [
      ...Object.keys(tables).flatMap((list) => forgetStatements(list, dialect)),
      `delete from revisions where account_id in (select account_id from (${old}) as old)
        and sequence < (select up_to from (${old}) as old where old.account_id = revisions.account_id)`,
    ],
  };
}

/** Of each list: how many entries all its logs have, and how many items and accounts there are. */
export async function readLogSizes(store: Pick<Store, 'read'>) {
  const lists = Object.keys(tables);
  const sums = lists.map((list) => `sum(${list})`).join(', ');
  const [logs, [counts = []]] = await store.read(
    statement('select list, sum(entries) from change_logs group by list'),
    statement(`select count(*), ${sums} from accounts`),
  );
  const entries = new Map(logs.map(([list, sum]) => [list, Number(sum)]));
  const [accounts = 0, ...items] = counts.map(Number);
  return lists.map((list, i) => ({ list, entries: entries.get(list) ?? 0, items: items[i] ?? 0, accounts }));
}

/** The step of the schema that created the log. A later one that computes columns rebuilds the list. */
export const LOG_STEP = 8;

/** The statements that rebuild a list of some accounts: older tokens are no longer valid. */
export function rebuildStatements(
  dialect: Dialect,
  name: string,
  now: string,
  ids: readonly string[],
): Statement[] {
  const revision = dialect.revision(`'${randomUUID()}'`, 'id');
  const some = (placeholder: string) => `where ${dialect.among('id', placeholder, 'text')}`;
  return [
    statement(
      `insert into revisions (account_id, sequence, revision, ended_at)
        select id, sequence, revision, cast($1 as text) from accounts ${some('$2')}`,
      now,
      ids,
    ),
    statement(
      `update accounts set revision = ${revision}, sequence = sequence + 1, updated_at = $1 ${some('$2')}`,
      now,
      ids,
    ),
    statement(
      `insert into change_logs (account_id, list, rebuilt) select id, '${name}', sequence from accounts ${some('$1')}
        on conflict (account_id, list) do update set rebuilt = excluded.rebuilt`,
      ids,
    ),
  ];
}

/** Which entries of a log: after a position in it, up to `limit`. */
export interface LogRange {
  readonly after: readonly [sequence: number, id: number];
  readonly limit: number;
}

/**
 * Entries of the log of a list in their order, each `[sequence, id, item]`; `null` where the selection does
 * not have the item. A join: to find the entries and then their items costs twice as much.
 */
export function changesStatement(
  dialect: Dialect,
  selection: Selection,
  range: LogRange,
): Statement<readonly [sequence: number | string, id: number | string, item: StoredItem | null]> {
  const values = new Values();
  const { account_id, list } = selection;
  const log = { account_id, list: changesTable(list), where: [], whole: true };
  const entriesOf = fromWhere(dialect, values, log);
  const [sequence, id] = range.after.map((one) => values.bind(one));
  const limit = dialect.limit(values.bind(range.limit));
  const text = `select account_id, sequence, id, item
    from (select account_id, sequence, id ${entriesOf} and (sequence, id) > (${sequence}, ${id})
      order by sequence, id limit ${limit}) as logged
    left join (select ${itemColumn(dialect, values, selection)}, id as item_id ${fromWhere(dialect, values, selection)}) as stored on item_id = id
    order by sequence, id`;
  return statementOf(account_id, text, values);
}
