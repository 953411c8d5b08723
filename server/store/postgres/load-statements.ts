// The statements of an import into PostgreSQL, and its own tables. Its steps are those of every store: stage
// (incoming rows), compare (with the stored rows), write (to the list) and renew (the accounts whose lists
// look different now, and the log of changes). What differs where Citus distributes the list is in
// staging.ts.
//
//   import_rows     the incoming rows; one without an id names an account alone. Of rows that went directly
//                   to the list (incoming-rows.ts), only those that remove an item
//   import_lines    of rows that went directly to the list, the lines and ids; on no other node
//   import_changes  what happens to an item in an account: it is 'stored' there; it is 'removed'; or it has
//                   'moved' to another account, where it is stored. Nothing, where it is what it was.
//   import_renewed  the accounts whose lists look different now (change-log.ts)
//   import_pruned   what is pruned from the log, if anything
//
// Every join of two tables is on account and id, so that each shard is compared with itself; what finds an id
// in another account is in staging.ts.

import { postgres } from '../dialects.ts';
import { ADDED, addedText, changedText, fromToText, REMOVED } from '../events.ts';
import { EXAMPLES } from '../load-summary.ts';
import { logStatements } from '../log/change-log.ts';
import { separateTexts } from '../own-columns.ts';
import { comparedColumns, listedCondition, sourceColumns, storedColumns, type Table } from '../tables.ts';
import { type Compared, INSERT_CHANGES, type Staging } from './staging.ts';

/**
 * The accounts that an import names; where its rows went directly to the list, once its changes are recorded.
 */
const NAMED = {
  staged: '(select account_id from import_rows)',
  direct: '(select account_id from import_rows union all select account_id from import_changes)',
} as const;

/** Where the incoming rows go: to a table of the import, or directly to a list that is empty. */
export type Route = keyof typeof NAMED;

/**
 * Counts the rows before the import, which is written by now, and what moves away from accounts it names.
 * Citus counts on each side of a join alone.
 */
function beforeStatement(name: string, where: string, named: string, isTrial: boolean): string {
  return `select stored_now + ${isTrial ? 0 : 'changed'}, moved_out
    from (select count(*)::int as stored_now from ${name} ${where}) as stored
    cross join (select count(*) filter (where outcome <> 'stored')::int
        - count(*) filter (where outcome = 'stored' and old_account_id is distinct from account_id)::int as changed
      from import_changes ${where}) as those
    cross join (select count(*)::int as moved_out from import_changes
      where outcome = 'moved' and account_id in ${named}) as moved`;
}

function routeStatements(name: string, staging: Staging, route: Route, isTrial: boolean) {
  const named = NAMED[route];
  const newAccounts = `from (select distinct account_id from ${named} as those) as named
      where not exists (select from accounts where accounts.id = named.account_id)`;
  return {
    duplicates: duplicatesIn(route === 'direct' ? 'import_lines' : 'import_rows'),
    lockAccounts: staging.lockAccounts(named),
    createAccounts: `insert into accounts (id, name, created_at, updated_at, revision)
      select account_id, '', $1, $1, ${postgres.revision('$2::text', 'account_id')} ${newAccounts} on conflict do nothing`,
    countNewAccounts: `select account_id ${newAccounts}`,
    before: {
      all: beforeStatement(name, '', named, isTrial),
      named: beforeStatement(name, `where account_id in ${named}`, named, isTrial),
    },
    outside: `select account_id, named from (
        select account_id, 1 as named from ${named} as those
        union all select account_id, 0 from import_changes where outcome <> 'stored'
      ) as touched where account_id <> all($1::text[]) order by named desc, account_id limit 1`,
  };
}

/** Names ids that come more than once, and the lines where they do. */
function duplicatesIn(rows: string): string {
  return `with repeated as (
      select id, line, min(line) over (partition by id) as first_line from ${rows}
    ), later as (select * from repeated where line > first_line)
    select (select count(*) from later), id, line, first_line from later order by line limit $1`;
}

function stageStatements(table: Table, names: string, staging: Staging) {
  const { name } = table;
  const changes = `id, account_id, account_id as old_account_id, true as listed, true as was_listed, ''::text as outcome,
    0 as what, ''::text as label, ''::text as from_to`;
  const renewed = `account_id, id as changed, true as counted, id as before, id as sequence, ''::text as outcome`;
  return {
    make: [
      ...staging.make('import_rows', `select 0::bigint as line, ${names} from ${name}`),
      ...staging.make('import_changes', `select ${changes} from ${name}`),
      ...staging.make('import_renewed', `select ${renewed} from ${name}`),
    ],
    copy: `copy import_rows (line, ${names}) from stdin`,
    makeLines: staging.makeLocal('import_lines', 'line bigint, id bigint'),
    copyLines: 'copy import_lines (line, id) from stdin',
    copyList: `copy ${name} (${names}) from stdin`,
    hasRows: `select 1 from ${name} limit 1`,
    // COPY writes to no table whose rows a policy looks at.
    isSecured: `select 1 where row_security_active('${name}')`,
    lockStored: staging.lockStored(name),
    stored: `select ${sourceColumns(table).join(', ')} from ${name} where id = any($1::bigint[])`,
    accounts: `insert into import_rows (account_id) select unnest($1::text[])`,
  };
}

/**
 * How many items each column changes of, and the first of them, before they are written. Both texts of an
 * item have the same members in the same order. On Citus what comes from another account is not among them.
 */
function columnStatements(name: string, { separate }: Table, { dialect }: Staging) {
  const account = dialect.isDistributed ? 'changed.account_id' : 'changed.old_account_id';
  const members = (row: string) => `json_each(${row}.item::json)`;
  const columns = separate.map((one) => separateTexts(one, dialect));
  const from = `import_changes as changed
      join import_rows as rows on rows.account_id = changed.account_id and rows.id = changed.id
      join ${name} as stored on stored.account_id = ${account} and stored.id = changed.id
      cross join lateral (
        select field, was::text as was, now::text as now
        from rows from (${members('stored')}, ${members('rows')}) as member (field, was, same_field, now)${columns.join('')}
      ) as value
    where changed.outcome = 'stored' and changed.old_account_id is not null and was is distinct from now`;
  return {
    changed: `select field, count(*)::int from ${from} group by field`,
    examples: `select field, id, was, now from (
        select field, changed.id, was, now, row_number() over (partition by field order by changed.id) as nth
        from ${from} and field = any($1::text[])
      ) as numbered where nth <= ${EXAMPLES} order by field, id`,
  };
}

/** Records what comes, changes, moves or is removed; of rows that are in the list already, that they come. */
function compareStatements(table: Table, compared: Compared, staging: Staging) {
  const { name } = table;
  const { wasListed, label } = compared;
  const removed = (from: string) => `${INSERT_CHANGES}
    select stored.id, stored.account_id, stored.account_id, false, ${wasListed}, 'removed', ${REMOVED}, ${label}, null
    from ${from}`;
  // What has moved stays in its new account, and is recorded in its old one already.
  const others = `${name} as stored where not exists (select from import_rows as rows
      where rows.account_id = stored.account_id and rows.id = stored.id)
    and not exists (select from import_changes as changed
      where changed.account_id = stored.account_id and changed.id = stored.id and changed.outcome = 'moved')`;
  return {
    changes: staging.compare(compared),
    newChanges: `${INSERT_CHANGES}
      select id, account_id, null, ${wasListed}, false, 'stored', ${ADDED}, null, null from ${name} as stored`,
    removed: removed(`import_rows as rows
      join ${name} as stored on stored.account_id = rows.account_id and stored.id = rows.id where rows.item is null`),
    others: {
      all: removed(others),
      named: removed(`${others} and account_id in ${NAMED.staged}`),
    },
    count: `select count(*) filter (where old_account_id is null), count(old_account_id),
        count(*) filter (where old_account_id <> account_id)
      from import_changes where outcome = 'stored'`,
    accountChanges: `select account_id, count(*) filter (where outcome = 'stored' and old_account_id is null)::int,
        count(*) filter (where outcome = 'stored' and old_account_id is not null)::int,
        count(*) filter (where outcome = 'removed')::int,
        count(*) filter (where outcome = 'stored' and old_account_id <> account_id)::int,
        count(*) filter (where outcome = 'moved')::int
      from import_changes group by account_id order by account_id collate "C"`,
    ...columnStatements(name, table, staging),
    moves: `select old_account_id, account_id, count(*)::int from import_changes
      where outcome = 'stored' and old_account_id <> account_id
      group by 1, 2 order by old_account_id collate "C", account_id collate "C"`,
  };
}

/** Removes what is removed or has moved, then stores the rows that come or have changed. */
function writeStatements(name: string, columns: readonly string[]) {
  const values = (row: string, some = columns) => some.map((column) => `${row}.${column}`).join(', ');
  const changing = columns.slice(2);
  return {
    remove: `delete from ${name} as stored using import_changes as changed
      where changed.account_id = stored.account_id and changed.id = stored.id and changed.outcome <> 'stored'`,
    store: `insert into ${name} (${columns.join(', ')}) select ${values('rows')}
      from import_rows as rows join import_changes as changed
        on changed.account_id = rows.account_id and changed.id = rows.id and changed.outcome = 'stored'
      order by rows.account_id, rows.id
      on conflict (account_id, id) do update set (${changing.join(', ')}) = row(${values('excluded', changing)})`,
  };
}

/** Whose list looks different now, by which id and events, and whether that item comes or goes. */
const CHANGED = `select account_id, id, old_account_id is distinct from account_id or listed <> was_listed as counted,
      what, case when what = ${REMOVED} then label end as label, from_to
    from import_changes where listed or (was_listed and old_account_id = account_id)`;

/** It is looked up for each entry of the log that is pruned. */
const INDEX_PRUNED = ['create index on import_pruned (account_id, list)', 'analyze import_pruned'];

/** Their values are now, and a random text. */
function renewStatements(name: string, listed: string, { lockRenewed, make, dialect }: Staging) {
  const { history, write, pruned, forget } = logStatements(name, CHANGED, dialect);
  return {
    renewed: `insert into import_renewed
      select account_id, count(*), bool_or(counted), 0, 0, ''
      from (${CHANGED}) as changed group by account_id`,
    // Another command may be changing such an account: its next sequence comes after that.
    lock: lockRenewed,
    // One that was deleted meanwhile has no log any more.
    deleted: `delete from import_renewed as renewed where not exists (select from accounts where accounts.id = renewed.account_id)`,
    before: `update import_renewed as renewed set before = accounts.${name}, sequence = accounts.sequence + 1
      from accounts where accounts.id = renewed.account_id`,
    history,
    // Counted are the items of lists that some came to or went from; in one that was empty, all are new.
    accounts: `update accounts set revision = ${postgres.revision('$2::text', 'accounts.id')},
        sequence = accounts.sequence + 1, updated_at = $1,
        ${name} = case when renewed.before = 0 then renewed.changed
          when renewed.counted then (select count(*) from ${name} as stored where account_id = accounts.id and ${listed})
          else accounts.${name} end
      from import_renewed as renewed where renewed.account_id = accounts.id`,
    log: write,
    isPruned: `select exists (${pruned})::int`,
    makePruned: make('import_pruned', `select account_id, ''::text as list, id as up_to from ${name}`),
    pruned: `insert into import_pruned ${pruned}`,
    forget: dialect.isDistributed ? forget : [...INDEX_PRUNED, ...forget],
  };
}

export function statementsFor(table: Table, staging: Staging, isTrial: boolean) {
  const { name } = table;
  const columns = storedColumns(table);
  const values = (row: string) =>
    comparedColumns(table)
      .map((column) => `${row}.${column}`)
      .join(', ');
  const stored = (column: string) => `stored.${column}`;
  const incoming = (column: string) => `rows.${column}`;
  const compared: Compared = {
    name,
    listed: listedCondition(table, 'rows'),
    wasListed: listedCondition(table, 'stored'),
    differs: `(${values('stored')}) is distinct from (${values('rows')})`,
    added: addedText(table, incoming),
    changed: changedText(table, stored, incoming),
    fromTo: fromToText(table, staging.dialect, stored, incoming),
    label: staging.dialect.member('stored.item', table.list.label),
  };
  return {
    staged: routeStatements(name, staging, 'staged', isTrial),
    direct: routeStatements(name, staging, 'direct', isTrial),
    stage: stageStatements(table, columns.join(', '), staging),
    compare: compareStatements(table, compared, staging),
    write: writeStatements(name, columns),
    renew: renewStatements(name, compared.wasListed, staging),
    drop: staging.drop,
    statistics: staging.statistics(name),
    analyze: (sampled: number | null) => staging.analyze(name, sampled),
  };
}
