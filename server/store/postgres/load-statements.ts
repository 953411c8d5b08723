// The statements of an import into PostgreSQL, and the tables of its own that they work with. What differs
// where Citus distributes the list stands in staging.ts.
//
//   import_rows     the rows as they came; one without an id names an account alone. Of rows that went
//                   straight to the list (incoming-rows.ts), those alone that remove an item
//   import_lines    of rows that went straight to the list, the lines and ids; on no other node
//   import_changes  what happens to an item in an account: it is 'stored' there; it is 'removed'; or it has
//                   'moved' to another account, where it is stored. Nothing, where it is what it was.
//   import_renewed  the accounts whose lists look different now (change-log.ts)
//   import_pruned   what is forgotten of the log, where anything is
//
// Every join of two tables is on account and id, so that each shard is compared with itself; what finds an id
// in another account is of the staging.

import { logStatements } from '../change-log.ts';
import { postgres } from '../dialects.ts';
import { comparedColumns, listedCondition, sourceColumns, storedColumns, type Table } from '../tables.ts';
import { type Compared, NOTE_CHANGES, type Staging } from './staging.ts';

/** The accounts that an import names, once its changes are noted where its rows went straight to the list. */
const NAMED = {
  staged: '(select account_id from import_rows)',
  straight: '(select account_id from import_rows union all select account_id from import_changes)',
} as const;

/** Where the rows of an import have come to. */
export type Way = keyof typeof NAMED;

/** The statement that counts, when all is worked out, the rows before the import. */
function beforeStatement(name: string, where: string): string {
  return `select
      (select count(*) from ${name} as stored ${where})
      + (select count(*) filter (where outcome <> 'stored')
          - count(*) filter (where outcome = 'stored' and old_account_id is distinct from account_id)
        from import_changes ${where})`;
}

/** The statements that depend on where the rows have come to. */
function wayStatements(name: string, staging: Staging, way: Way) {
  const named = NAMED[way];
  return {
    duplicates: duplicatesIn(way === 'straight' ? 'import_lines' : 'import_rows'),
    holdAccounts: staging.holdAccounts(named),
    createAccounts: `insert into accounts (id, name, created_at, updated_at, revision)
      select account_id, '', $1, $1, ${postgres.revision('$2::text', 'account_id')}
      from (select distinct account_id from ${named} as those) as named
      where not exists (select from accounts where accounts.id = named.account_id) on conflict do nothing`,
    before: {
      all: beforeStatement(name, ''),
      named: beforeStatement(name, `where account_id in ${named}`),
    },
    outside: `select account_id, named from (
        select account_id, 1 as named from ${named} as those
        union all select account_id, 0 from import_changes where outcome <> 'stored'
      ) as touched where account_id <> all($1::text[]) order by named desc, account_id limit 1`,
  };
}

/** The statements that bring the accounts of an import up to date; their values are now and a random text. */
function accountStatements(name: string, listed: string) {
  return {
    // Counted are the items of lists that some came to or went from; in one that was empty, all are new.
    renewAccounts: `update accounts set revision = ${postgres.revision('$2::text', 'accounts.id')},
        sequence = accounts.sequence + 1, updated_at = $1,
        ${name} = case when renewed.before = 0 then renewed.changed
          when renewed.counted then (select count(*) from ${name} as stored where account_id = accounts.id and ${listed})
          else accounts.${name} end
      from import_renewed as renewed where renewed.account_id = accounts.id`,
  };
}

/** Whose list looks different now, by which id, and whether that item comes or goes. */
const CHANGED = `select account_id, id, old_account_id is distinct from account_id or listed <> was_listed as counted
    from import_changes where listed or (was_listed and old_account_id = account_id)`;

/** The statements that note the accounts whose lists look different now, and log what has changed. */
function changeStatements(name: string, { lockRenewed, make }: Staging) {
  const { history, write, pruned, forget } = logStatements(name, CHANGED, {
    greatest: 'greatest',
    value: '$1',
  });
  return {
    history,
    renewed: `insert into import_renewed (account_id, changed, counted, before, sequence, outcome)
      select account_id, count(*), bool_or(counted), 0, 0, ''
      from (${CHANGED}) as changed group by account_id`,
    // Another command may be changing such an account: its next sequence comes behind that.
    lockRenewed,
    // One that was deleted meanwhile has no log any more.
    gone: `delete from import_renewed as renewed where not exists (select from accounts where accounts.id = renewed.account_id)`,
    before: `update import_renewed as renewed set before = accounts.${name}, sequence = accounts.sequence + 1
      from accounts where accounts.id = renewed.account_id`,
    log: write,
    countPruned: `select count(*)::int from (${pruned}) as pruned`,
    makePruned: make('import_pruned', `select account_id, ''::text as list, id as up_to from ${name}`),
    notePruned: `insert into import_pruned ${pruned}`,
    forget,
  };
}

/** The statements that remove rows: those that moved away, that rows name, or all that did not come. */
function removeStatements(name: string, listed: string) {
  const note = (from: string) => `${NOTE_CHANGES}
    select stored.id, stored.account_id, stored.account_id, false, ${listed}, 'removed' from ${from}`;
  // A row that was to remove an item does not say that it stays; one that has moved stands in its new
  // account.
  const others = `${name} as stored where not exists (select from import_rows as rows
      where rows.account_id = stored.account_id and rows.id = stored.id and rows.item is not null)`;
  return {
    remove: (outcome: 'moved' | 'removed') => `delete from ${name} as stored using import_changes as changed
      where changed.account_id = stored.account_id and changed.id = stored.id and changed.outcome = '${outcome}'`,
    noteNamed: note(`import_rows as rows
      join ${name} as stored on stored.account_id = rows.account_id and stored.id = rows.id where rows.item is null`),
    noteOthers: {
      all: note(others),
      named: note(`${others} and account_id in ${NAMED.staged}`),
    },
  };
}

/** The statements that count what an import changes. */
function countStatements() {
  return {
    count: `select count(*) filter (where old_account_id is null), count(old_account_id)
      from import_changes where outcome = 'stored'`,
    accountChanges: `select account_id, count(*) filter (where outcome = 'stored' and old_account_id is null)::int,
        count(*) filter (where outcome = 'stored' and old_account_id is not null)::int,
        count(*) filter (where outcome = 'removed')::int
      from import_changes where outcome <> 'moved' group by account_id order by account_id collate "C"`,
  };
}

/** The statements of an import whose rows go straight into a list that is empty. */
function straightStatements(name: string, names: string, listed: string, { makeLocal }: Staging) {
  return {
    makeLines: makeLocal('import_lines', 'line bigint, id bigint'),
    copyLines: 'copy import_lines (line, id) from stdin',
    copyList: `copy ${name} (${names}) from stdin`,
    hasRows: `select 1 from ${name} limit 1`,
    // COPY writes to no table whose rows a policy looks at.
    isSecured: `select 1 where row_security_active('${name}')`,
    newChanges: `${NOTE_CHANGES}
      select id, account_id, null, ${listed}, false, 'stored' from ${name} as stored`,
  };
}

/** The statement that names ids which come more than once, and the lines where they do. */
function duplicatesIn(rows: string): string {
  return `with repeated as (
      select id, line, min(line) over (partition by id) as first_line from ${rows}
    ), later as (select * from repeated where line > first_line)
    select (select count(*) from later), id, line, first_line from later order by line limit $1`;
}

/** The statements that make what an import notes when its rows have come. */
function makeStatements(name: string, { make }: Staging): string[] {
  const changes = `id, account_id, account_id as old_account_id, true as listed, true as was_listed, ''::text as outcome`;
  const renewed = `account_id, id as changed, true as counted, id as before, id as sequence, ''::text as outcome`;
  return [
    ...make('import_changes', `select ${changes} from ${name}`),
    ...make('import_renewed', `select ${renewed} from ${name}`),
  ];
}

/** The statements of an import into a table. */
export function statementsFor(table: Table, staging: Staging) {
  const { name } = table;
  const columns = storedColumns(table);
  const names = columns.join(', ');
  const of = (row: string, some = columns) => some.map((column) => `${row}.${column}`).join(', ');
  const compare = comparedColumns(table);
  const listed = (row: string) => listedCondition(table, row);
  const compared: Compared = {
    name,
    listed: listed('rows'),
    wasListed: listed('stored'),
    differs: `(${of('stored', compare)}) is distinct from (${of('rows', compare)})`,
  };
  return {
    stage: staging.make('import_rows', `select 0::bigint as line, ${names} from ${name}`),
    copy: `copy import_rows (line, ${names}) from stdin`,
    holdStored: staging.holdStored(name),
    stored: `select ${sourceColumns(table).join(', ')} from ${name} where id = any($1::bigint[])`,
    make: makeStatements(name, staging),
    changes: staging.compare(compared),
    nameMore: `insert into import_rows (account_id) select unnest($1::text[])`,
    store: `insert into ${name} (${names}) select ${of('rows')}
      from import_rows as rows join import_changes as changed
        on changed.account_id = rows.account_id and changed.id = rows.id and changed.outcome <> 'moved'
      order by rows.account_id, rows.id
      on conflict (account_id, id) do update set (${columns.slice(2).join(', ')}) =
        row(${columns
          .slice(2)
          .map((column) => `excluded.${column}`)
          .join(', ')})`,
    ...straightStatements(name, names, compared.wasListed, staging),
    staged: wayStatements(name, staging, 'staged'),
    straight: wayStatements(name, staging, 'straight'),
    ...removeStatements(name, listed('stored')),
    ...accountStatements(name, listed('stored')),
    change: changeStatements(name, staging),
    ...countStatements(),
    drop: staging.drop,
    statistics: staging.statistics(name),
    analyze: (values: number | null) => staging.analyze(name, values),
  };
}
