// The statements of an import of accounts, the same for every store, and its own tables:
//
//   import_rows     the incoming rows; null leaves a value as it is, an empty text empties it
//   import_stored   the stored accounts that rows are of, or name as parents
//   import_changes  what becomes of each account that is new or changes
//   import_levels   the rows whose account gets another parent, and the level that puts it on
//   import_deep     accounts that would be too deep, with the row that puts them there
//   import_renewed  the accounts of which a customer sees something change
//
// A tree of accounts is walked by recursion: upwards from what moves, then downwards to what is below it. On
// Citus, which has none over shards, all parents are copied into a table of the import first.

import { timestampOf } from '@linecard/client/contract/timestamp';
import type { Dialect } from '../dialects.ts';
import { type AccountEvent, type EventOrigin, newId } from '../log/audit.ts';
import { type Statement, sql } from '../sql.ts';
import { MAX_ACCOUNT_LEVELS } from './accounts.ts';

export const ROW_COLUMNS = ['line', 'account_id', 'name', 'currency', 'parent_id', 'disabled'] as const;

const integer = (name: string) => `cast(0 as bigint) as ${name}`;
/** Each with a statement that has its columns. */
export const TABLES = [
  [
    'import_rows',
    `select ${integer('line')}, id as account_id, name, currency, parent_id, ${integer('disabled')} from accounts`,
  ],
  ['import_stored', 'select id, name, currency, parent_id, disabled_at from accounts'],
  [
    'import_changes',
    `select ${integer('line')}, id as account_id, ${integer('created')}, name, currency, parent_id,
      ${['moved', 'shown', 'disabled', 'was_disabled'].map(integer).join(', ')} from accounts`,
  ],
  ['import_renewed', 'select id as account_id from accounts'],
] as const;

/** A column of a row after the import, where empty text empties it. */
const after = (column: string, stored = `stored.${column}`) =>
  `case when incoming.${column} is null then ${stored} else nullif(incoming.${column}, '') end`;
const flag = (condition: string) => `case when ${condition} then 1 else 0 end`;

const NAMED = `select account_id from import_rows union select parent_id from import_rows where parent_id <> ''`;
const IS_SHOWN = 'created = 1 or name is distinct from old_name or currency is distinct from old_currency';
const IS_MOVED = 'parent_id is distinct from old_parent_id';

/** Finds what is wrong, and what changes. */
export const CHANGES = {
  duplicates: `with repeated as (
      select account_id, line, min(line) over (partition by account_id) as first_line from import_rows
    ), later as (select * from repeated where line > first_line)
    select (select count(*) from later), account_id, line, first_line from later order by line limit $1`,
  forgetDuplicates:
    'delete from import_rows where line not in (select min(line) from import_rows group by account_id)',
  named: NAMED,
  stored: `insert into import_stored select id, name, currency, parent_id, disabled_at from accounts
    where id in (${NAMED})`,
  unknownParents: `select count(*) over (), line, parent_id from import_rows as incoming
    where parent_id <> ''
      and not exists (select 1 from import_rows as other where other.account_id = incoming.parent_id)
      and not exists (select 1 from import_stored as stored where stored.id = incoming.parent_id)
    order by line limit $1`,
  fill: `insert into import_changes
    select line, account_id, created, name, currency, parent_id, ${flag(IS_MOVED)}, ${flag(IS_SHOWN)}, disabled, was_disabled
    from (select incoming.line, incoming.account_id, ${flag('stored.id is null')} as created,
        coalesce(incoming.name, stored.name, '') as name, stored.name as old_name,
        ${after('currency')} as currency, stored.currency as old_currency,
        ${after('parent_id')} as parent_id, stored.parent_id as old_parent_id,
        coalesce(incoming.disabled, ${flag('stored.disabled_at is not null')}) as disabled,
        ${flag('stored.disabled_at is not null')} as was_disabled
      from import_rows as incoming left join import_stored as stored on stored.id = incoming.account_id
    ) as compared
    where ${IS_SHOWN} or ${IS_MOVED} or disabled <> was_disabled`,
  countMoved: 'select count(*) from import_changes where moved = 1 and parent_id is not null',
  count: `select (select count(*) from import_rows), count(*), coalesce(sum(created), 0) from import_changes`,
  effects: `select account_id, created, 1 - created, ${flag('disabled > was_disabled')}, ${flag('disabled < was_disabled')}
    from import_changes order by account_id`,
  outside: (isAmong: string) =>
    `select account_id, named from (
        select account_id, 1 as named from (${NAMED}) as incoming
        union all select stored.parent_id, 0
          from import_changes as changed join import_stored as stored on stored.id = changed.account_id
          where changed.moved = 1 and stored.parent_id is not null
      ) as concerned
      where not (${isAmong}) order by named desc, account_id limit 1`,
  suspended: 'select account_id from import_changes where disabled > was_disabled',
  resumed: 'select account_id from import_changes where disabled < was_disabled',
};

/** The level of each account that moves: of a row that changes its account, the parent is the new one. */
function levelsText(tree: string): string {
  const parent = 'case when changed.account_id is null then stored.parent_id else changed.parent_id end';
  return `insert into import_levels
    with recursive above (line, account_id, up_to, level) as (
      select line, account_id, parent_id, 2 from import_changes where moved = 1 and parent_id is not null
      union all
      select above.line, above.account_id, ${parent}, above.level + 1
      from above left join import_changes as changed on changed.account_id = above.up_to
        left join ${tree} as stored on stored.id = above.up_to
      where above.level <= ${MAX_ACCOUNT_LEVELS} and ${parent} is not null
    ) select line, account_id, max(level) from above group by line, account_id`;
}

/** What is below accounts that move, and stays where it is, if it is too deep now. */
const belowText = (tree: string) => `insert into import_deep
    with recursive below (line, account_id, level) as (
      select line, account_id, level from import_levels where level <= ${MAX_ACCOUNT_LEVELS}
      union all
      select below.line, stored.id, below.level + 1
      from below join ${tree} as stored on stored.parent_id = below.account_id
      where below.level <= ${MAX_ACCOUNT_LEVELS} and not exists (
        select 1 from import_changes as changed where changed.account_id = stored.id and changed.moved = 1)
    ) select line, account_id from below where level > ${MAX_ACCOUNT_LEVELS}`;

/** A table of the import, how it is filled, and the columns that are looked up from then on. */
interface Step {
  readonly name: string;
  readonly select: string;
  readonly fill: readonly string[];
  readonly indexed: readonly string[];
}

/** Checks the levels of accounts that move, and of those below them. */
export function treeStatements(dialect: Dialect) {
  const { isDistributed } = dialect;
  const tree = isDistributed ? 'import_tree' : 'accounts';
  const copied: Step = {
    name: 'import_tree',
    select: 'select id, parent_id from accounts',
    fill: ['insert into import_tree select id, parent_id from accounts where parent_id is not null'],
    indexed: ['id', 'parent_id'],
  };
  const steps: readonly Step[] = [
    ...(isDistributed ? [copied] : []),
    {
      name: 'import_levels',
      select: `select ${integer('line')}, id as account_id, ${integer('level')} from accounts`,
      fill: [levelsText(tree)],
      indexed: [],
    },
    {
      name: 'import_deep',
      select: `select ${integer('line')}, id as account_id from accounts`,
      fill: [
        `insert into import_deep select line, account_id from import_levels where level > ${MAX_ACCOUNT_LEVELS}`,
        belowText(tree),
      ],
      indexed: [],
    },
  ];
  return {
    steps,
    deep: `select count(*) over (), line, min(account_id) from import_deep group by line order by line limit $1`,
    /** The parents of some accounts; those of the second statement are the ones after the import. */
    parentsOf: [
      `select id, parent_id from ${tree} where ${dialect.among('id', '$1', 'text')}`,
      `select account_id, parent_id from import_changes where ${dialect.among('account_id', '$1', 'text')}`,
    ],
  };
}

/**
 * Writes what changes. Each value that a row does not have is left to the account as it is then: another
 * command may have changed it since it was compared.
 */
export function writeStatements(
  dialect: Dialect,
  now: string,
  random: string,
): { readonly renewed: Statement; readonly written: readonly Statement[] } {
  const revision = (id: string) => dialect.revision(`cast($1 as text)`, id);
  const at = `cast($2 as text)`;
  const values = [random, now];
  const disabledAt = `case when incoming.disabled is null then accounts.disabled_at
    when incoming.disabled = 1 then coalesce(accounts.disabled_at, ${at}) end`;
  return {
    renewed: sql`insert into import_renewed select account_id from import_changes where created = 0 and shown = 1`,
    written: [
      sql`insert into revisions (account_id, sequence, revision, ended_at)
        select id, sequence, revision, ${now} from accounts where id in (select account_id from import_renewed)`,
      {
        text: `update accounts set name = coalesce(incoming.name, accounts.name), currency = ${after('currency', 'accounts.currency')},
            parent_id = ${after('parent_id', 'accounts.parent_id')}, disabled_at = ${disabledAt},
            revision = case when incoming.shown = 1 then ${revision('accounts.id')} else accounts.revision end,
            sequence = accounts.sequence + incoming.shown,
            updated_at = case when incoming.shown = 1 then ${at} else accounts.updated_at end
          from (select given.account_id, given.name, given.currency, given.parent_id, given.disabled, changed.shown
            from import_rows as given join import_changes as changed on changed.account_id = given.account_id
            where changed.created = 0) as incoming
          where incoming.account_id = accounts.id`,
        values,
      },
      {
        // One that another command has created since then is changed as if it had been there.
        text: `insert into accounts (id, name, currency, parent_id, disabled_at, created_at, updated_at, revision)
          select account_id, name, currency, parent_id, case when disabled = 1 then ${at} end, ${at}, ${at}, ${revision('account_id')}
          from import_changes where created = 1
          on conflict (id) do update set name = excluded.name, currency = excluded.currency,
            parent_id = excluded.parent_id, disabled_at = excluded.disabled_at, updated_at = excluded.updated_at,
            revision = excluded.revision`,
        values,
      },
    ],
  };
}

/** Which rows of an import of accounts an event is recorded of. */
const IMPORTED_ACCOUNTS = {
  created: 'created = 1',
  updated: 'created = 0 and (shown = 1 or moved = 1)',
  disabled: 'disabled > was_disabled',
  enabled: 'disabled < was_disabled',
} as const satisfies Partial<Record<AccountEvent, string>>;

export function recordImportedAccounts({ origin, actor }: EventOrigin): Statement[] {
  return Object.entries(IMPORTED_ACCOUNTS).map(([event, condition]) => {
    const insert = sql`insert into account_events (id, at, event, account_id, name, currency, origin, actor)
      select cast(${`${newId()}-`} as text) || account_id, ${timestampOf()}, ${event}, account_id, name, currency,
        ${origin}, ${actor} from import_changes where `;
    return { ...insert, text: insert.text + condition };
  });
}
