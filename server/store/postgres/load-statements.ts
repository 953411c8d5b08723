// The statements of an import into PostgreSQL, and the temporary tables that they work with. It must not know
// when each is run.

import { logStatements } from '../change-log.ts';
import { type Statement, statement } from '../sql.ts';
import { listedCondition, storedColumns, type Table } from '../tables.ts';

const NEW_REVISION = `replace(gen_random_uuid()::text, '-', '')`;

/** The statements that bring the accounts of an import up to date. */
function accountStatements(name: string, listed: string) {
  return {
    createAccounts: `insert into accounts (id, name, created_at, updated_at, revision)
      select distinct account_id, '', $1, $1, ${NEW_REVISION} from import_accounts as named
      where not exists (select from accounts where accounts.id = named.account_id) on conflict do nothing`,
    // Counted are the items of lists that some came to or went from; in one that was empty, all are new.
    renewAccounts: `update accounts set revision = ${NEW_REVISION}, sequence = accounts.sequence + 1, updated_at = $1,
        ${name} = case when renewed.before = 0 then renewed.changed
          when renewed.counted then (select count(*) from ${name} as stored where account_id = accounts.id and ${listed})
          else accounts.${name} end
      from import_renewed as renewed where renewed.account_id = accounts.id`,
  };
}

/** Whose list looks different now, by which id, and whether that item comes or goes. */
const CHANGED = `select account_id, id, old_account_id is distinct from account_id or listed <> was_listed as counted
    from import_changes where listed or (was_listed and old_account_id = account_id)
  union all select old_account_id, id, true from import_changes where was_listed and old_account_id <> account_id
  union all select account_id, id, true from import_removals where was_listed`;

/** The statements that note the accounts whose lists look different now, and log what has changed. */
function changeStatements(name: string) {
  const { write, cut, ...log } = logStatements(name, CHANGED, { greatest: 'greatest', value: '$1' });
  return {
    ...log,
    renewed: `create temp table import_renewed on commit drop as
      select account_id, count(*) as changed, bool_or(counted) as counted, 0::bigint as before, 0::bigint as sequence, '' as outcome
      from (${CHANGED}) as changed group by account_id`,
    pruned: `create temp table import_pruned (account_id text collate "C", list text, up_to bigint) on commit drop`,
    // Another command may be changing such an account: its next sequence comes behind that.
    lockRenewed: `select from accounts where id in (select account_id from import_renewed) order by id for no key update`,
    // One that was deleted meanwhile has no log any more.
    gone: `delete from import_renewed where account_id not in (select id from accounts)`,
    before: `update import_renewed set before = accounts.${name}, sequence = accounts.sequence + 1
      from accounts where accounts.id = import_renewed.account_id`,
    log: [...write, ...cut],
    countPruned: `select count(*)::int from import_pruned`,
  };
}

/** The statements that remove rows, those that rows without an item name, or all that did not come. */
function removeStatements(name: string, listed: string) {
  const remove = (condition: string) => `with removed as (
      delete from ${name} as stored where ${condition} returning account_id, id, ${listed} as was_listed
    ) insert into import_removals select account_id, id, was_listed from removed`;
  // A row that was to remove an item of another account does not say that the item stays.
  const others = `not exists (select from import_rows as rows where rows.id = stored.id and rows.item is not null)`;
  return {
    removeNamed: remove(`exists (select from import_rows as rows
      where rows.item is null and rows.id = stored.id and rows.account_id = stored.account_id)`),
    removeOthers: {
      all: remove(others),
      named: remove(`account_id in (select account_id from import_accounts) and ${others}`),
    },
  };
}

/** The statements that count, when all is worked out: rows before the import, and changes by account. */
function countStatements(name: string) {
  const before = (where: string) => `select
      (select count(*) from ${name} as stored ${where.replace('?', 'stored.account_id')})
      + (select count(*) from import_removals as removed ${where.replace('?', 'removed.account_id')})
      + (select count(old_account_id) from import_changes ${where.replace('?', 'old_account_id')})
      - (select count(*) from import_changes as changed ${where.replace('?', 'changed.account_id')})`;
  return {
    before: { all: before(''), named: before('where ? in (select account_id from import_accounts)') },
    outside: `select account_id, named from (
        select account_id, 1 as named from import_accounts
        union all select old_account_id, 0 from import_changes where old_account_id is not null
        union all select account_id, 0 from import_removals
      ) as touched where account_id <> all($1::text[]) order by named desc, account_id limit 1`,
    accountChanges: `select account_id, sum(inserted)::int, sum(updated)::int, sum(removed)::int from (
        select account_id, (old_account_id is null)::int as inserted, (old_account_id is not null)::int as updated,
          0 as removed from import_changes
        union all select account_id, 0, 0, 1 from import_removals
      ) as changed group by account_id order by account_id collate "C"`,
  };
}

/** The statements of an import whose rows go straight into a list that is empty, and notes of them beside. */
function straightStatements(table: Table, names: string, listed: string) {
  const { name, list } = table;
  const noted = ['id', 'account_id', ...Object.keys(list.only)];
  return {
    /** The columns that a note has of a row; its item is empty text, or null where it removes one. */
    noted,
    stageNotes: `create temp table import_rows on commit drop as
      select 0::bigint as line, ${noted.join(', ')}, item from ${name} with no data`,
    copyNotes: `copy import_rows (line, ${noted.join(', ')}, item) from stdin`,
    copyList: `copy ${name} (${names}) from stdin`,
    hasRows: `select 1 from ${name} limit 1`,
    newChanges: `create temp table import_changes on commit drop as
      select id, account_id, null::text collate "C" as old_account_id, ${listed} as listed, false as was_listed
      from import_rows as rows where item is not null`,
  };
}

/** The statements of an import into a table. */
export function statementsFor(table: Table) {
  const { name } = table;
  const columns = storedColumns(table);
  const names = columns.join(', ');
  const of = (row: string) => columns.map((column) => `${row}.${column}`).join(', ');
  const listed = (row: string) => listedCondition(table, row);
  return {
    stage: `create temp table import_rows on commit drop as
      select 0::bigint as line, ${names} from ${name} with no data`,
    copy: `copy import_rows (line, ${names}) from stdin`,
    duplicates: `with repeated as (
        select id, line, min(line) over (partition by id) as first_line from import_rows
      ), later as (select * from repeated where line > first_line)
      select (select count(*) from later), id, line, first_line from later order by line limit $1`,
    // What is read of an item must be there when it is stored: its account cannot be deleted any more.
    holdStored: `select from accounts where id in (select account_id from ${name} where id = any($1::bigint[]))
      order by id for key share`,
    stored: `select ${names} from ${name} where id = any($1::bigint[])`,
    changes: `create temp table import_changes on commit drop as
      select rows.id, rows.account_id, stored.account_id as old_account_id,
        ${listed('rows')} as listed, coalesce(${listed('stored')}, false) as was_listed
      from import_rows as rows left join ${name} as stored on stored.id = rows.id
      where rows.item is not null and (stored.id is null or (${of('stored')}) is distinct from (${of('rows')}))`,
    // An account that is being deleted is waited for, and one that is named here cannot be deleted any more.
    holdAccounts: `select from accounts where id in (select account_id from import_rows) order by id for key share`,
    named: `create temp table import_accounts on commit drop as select distinct account_id from import_rows`,
    nameMore: `insert into import_accounts select unnest($1::text[])`,
    removals: `create temp table import_removals (account_id text collate "C", id bigint, was_listed boolean) on commit drop`,
    // A row that moves goes and comes, because the account is what rows are distributed by.
    removeMoved: `delete from ${name} as stored using import_changes as changed
      where stored.account_id = changed.old_account_id and stored.id = changed.id and changed.old_account_id <> changed.account_id`,
    store: `insert into ${name} (${names}) select ${of('rows')}
      from import_rows as rows join import_changes as changed on changed.id = rows.id
      order by rows.account_id, rows.id
      on conflict (account_id, id) do update set (${columns.slice(2).join(', ')}) =
        row(${columns
          .slice(2)
          .map((column) => `excluded.${column}`)
          .join(', ')})`,
    ...straightStatements(table, names, listed('rows')),
    ...removeStatements(name, listed('stored')),
    ...accountStatements(name, listed('stored')),
    change: changeStatements(name),
    count: `select count(*) filter (where old_account_id is null), count(old_account_id),
        (select reltuples::bigint from pg_class where oid = '${name}'::regclass)
      from import_changes`,
    ...countStatements(name),
    analyze: `analyze ${name}`,
  };
}

/** What removes the rows that are named, and others; in a list that was empty there are none to remove. */
export function removalsOf(
  { removeNamed, removeOthers }: ReturnType<typeof statementsFor>,
  { areStored, removals }: { readonly areStored: boolean; readonly removals: number },
  others: 'none' | 'named' | 'all',
): { readonly named?: Statement; readonly others?: Statement } {
  if (areStored) return {};
  return {
    ...(removals === 0 ? {} : { named: statement(removeNamed) }),
    ...(others === 'none' ? {} : { others: statement(removeOthers[others]) }),
  };
}
