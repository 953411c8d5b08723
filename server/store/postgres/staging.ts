// What differs in an import where Citus distributes its list, as a table: how its own tables are made, how
// rows are compared with the stored ones, and what is locked.
//
// On plain PostgreSQL the tables are temporary. Citus has no temporary tables on its nodes, and would fetch
// the complete list to join it with one: there they are unlogged, distributed like the list, made and dropped
// inside the transaction, so that none is left whatever happens; what is joined with nothing stays on the
// coordinator. Their names are unique to the run: a node that lost its coordinator still has those of the run
// before until that is cleaned up.

import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { citus, type Dialect, postgres } from '../dialects.ts';
import { REMOVED } from '../events.ts';
import type { LoadSummary } from '../load-summary.ts';
import { type Statement, statement } from '../sql.ts';
import type { StatementResult } from './batch.ts';
import { isMove } from './errors.ts';
import { NO_TRANSACTION_TIMEOUT, PROPAGATE_SETTINGS } from './transaction.ts';

/**
 * The tables of an import have no statistics: compiling for the rows that are guessed takes seconds. And a
 * seek is taken for as cheap as on today's disks, so that few rows are compared with a large list by its key.
 */
export const SETTINGS = `set local statement_timeout = 0; set local lock_timeout = 0;
  set local idle_in_transaction_session_timeout = 0; set local work_mem = '64MB'; set local jit = off;
  set local random_page_cost = 1.1; select ${NO_TRANSACTION_TIMEOUT}`;

/** What is compared: the incoming rows, as `rows`, with those of the list, as `stored`. */
export interface Compared {
  readonly name: string;
  readonly listed: string;
  readonly wasListed: string;
  readonly differs: string;
  /** The events of an item that is new on its account, and of one that is not. */
  readonly added: string;
  readonly changed: string;
  /** What fields of its events were and are. */
  readonly fromTo: string;
  /** What people know a stored item by. */
  readonly label: string;
}

export interface Staging {
  readonly begin: (isTrial: boolean) => string;
  readonly dialect: Dialect;
  /** A statement as this run names its tables. */
  readonly named: (text: string) => string;
  /** The statements that make a table of the import, of the columns that a statement selects. */
  readonly make: (name: string, select: string) => string[];
  /** The statement that makes one, of columns with their types, that is joined with no table of a node. */
  readonly makeLocal: (name: string, columns: string) => string;
  readonly drop: readonly string[];
  /** The statements that record what comes, what changes, and what moves to another account. */
  readonly compare: (compared: Compared) => string[];
  /** Locks the accounts of items that are read, which must not be deleted before they are stored. */
  readonly lockStored: (name: string) => string | undefined;
  /** Waits for accounts that are being deleted, and locks those that are named here against it. */
  readonly lockAccounts: (named: string) => string | undefined;
  readonly lockRenewed: string;
  /**
   * The number of rows that the planner assumes, and the number of values of a column that statistics are to
   * have; null for the server's default.
   */
  readonly statistics: (name: string) => string;
  /** The statements that make the statistics of a list, of a number of values of a column. */
  readonly analyze: (name: string, values: number | null) => string[];
}

/** Of an item that is not stored, the old account is where it was, and it is not listed there any more. */
export const INSERT_CHANGES =
  'insert into import_changes (id, account_id, old_account_id, listed, was_listed, outcome, what, label, from_to)';

function comparison(compared: Compared, on: string): string {
  const { name, listed, wasListed, differs, added, changed, fromTo, label } = compared;
  const stays = `stored.account_id = rows.account_id and ${wasListed}`;
  return `${INSERT_CHANGES}
    select rows.id, rows.account_id, stored.account_id, ${listed}, coalesce(${wasListed}, false), 'stored',
      case when not (${listed}) then ${REMOVED} when ${stays} then ${changed} else ${added} end,
      case when ${wasListed} and not (${stays} and ${listed}) then ${label} end,
      case when ${stays} and ${listed} then ${fromTo} end
    from import_rows as rows left join ${name} as stored on ${on}
    where rows.item is not null and (stored.id is null or ${differs})`;
}

/** A trial sees one snapshot: on Citus one of each node. */
const beginning = (isTrial: boolean) =>
  `begin isolation level ${isTrial ? 'repeatable read' : 'read committed'} read write`;

const TEMPORARY: Staging = {
  begin: beginning,
  dialect: postgres,
  named: (text) => text,
  make: (name, select) => [`create temp table ${name} on commit drop as ${select} with no data`],
  makeLocal: (name, columns) => `create temp table ${name} (${columns}) on commit drop`,
  drop: [],
  compare: (compared) => [
    comparison(compared, 'stored.id = rows.id'),
    `${INSERT_CHANGES} select id, old_account_id, old_account_id, false, was_listed, 'moved', ${REMOVED}, label, null
      from import_changes where old_account_id <> account_id`,
  ],
  lockStored: (name) => `select from accounts
    where id in (select account_id from ${name} where id = any($1::bigint[])) order by id for key share`,
  lockAccounts: (named) => `select from accounts where id in ${named} order by id for key share`,
  lockRenewed: `select from accounts where id in (select account_id from import_renewed) order by id for no key update`,
  statistics: (name) => `select reltuples::bigint, null from pg_class where oid = '${name}'::regclass`,
  analyze: (name) => [`analyze ${name}`],
};

const TABLES = ['rows', 'lines', 'changes', 'renewed', 'pruned'].map((one) => `import_${one}`);
const OWN_TABLE = new RegExp(`\\b(?:${TABLES.join('|')})\\b`, 'g');

const FEWEST_VALUES = 10;

function distributed(run: string): Staging {
  return {
    // Sent to the nodes as well. One connection to each node sees what the statements before have done. All
    // rows would be sorted to merge them with few changes, for want of statistics of either.
    begin: (isTrial) => `${beginning(isTrial)};
      set local citus.multi_shard_modify_mode = 'sequential'; ${PROPAGATE_SETTINGS};
      set local enable_mergejoin = off`,
    dialect: citus,
    named: (text) => text.replace(OWN_TABLE, (name) => `${name}_${run}`),
    make: (name, select) => [
      `create unlogged table ${name} as ${select} with no data`,
      `select create_distributed_table('${name}', 'account_id', colocate_with => 'accounts')`,
    ],
    makeLocal: (name, columns) => `create unlogged table ${name} (${columns})`,
    drop: [`drop table if exists ${TABLES.join(', ')}`],
    // Each shard is compared with itself; ids that it does not have are sent to all, to find their old
    // account.
    compare: (compared) => [
      comparison(compared, 'stored.account_id = rows.account_id and stored.id = rows.id'),
      `${INSERT_CHANGES}
        select stored.id, stored.account_id, stored.account_id, false, ${compared.wasListed}, 'moved', ${REMOVED}, ${compared.label}, null
        from ${compared.name} as stored
        where stored.id in (select id from import_changes where old_account_id is null)`,
      `update import_changes as changed set old_account_id = moved.account_id
        from (select account_id, id from import_changes where outcome = 'moved' offset 0) as moved
        where moved.id = changed.id and changed.outcome = 'stored'`,
    ],
    // No statement locks rows of many shards. An account is deleted when no import is running (accounts.ts).
    lockStored: () => undefined,
    lockAccounts: () => undefined,
    lockRenewed: `update accounts set updated_at = updated_at where id in (select account_id from import_renewed)`,
    // The list itself has no rows on the coordinator, and no statistics. Those of a shard are of fewer
    // values, so that all shards together sample the same number of rows as one table.
    statistics: (name) => `select (select sum(${name})::bigint from accounts), greatest(${FEWEST_VALUES},
      current_setting('default_statistics_target')::int
        / (select count(*)::int from pg_dist_shard where logicalrelid = '${name}'::regclass))`,
    analyze: (name, values) => [
      'begin',
      PROPAGATE_SETTINGS,
      `set local default_statistics_target = ${values ?? FEWEST_VALUES}`,
      `analyze ${name}`,
      'commit',
    ],
  };
}

/** How an import is staged; each run has its own. */
export function stagingOf({ isDistributed }: Dialect): Staging {
  return isDistributed ? distributed(randomBytes(6).toString('hex')) : TEMPORARY;
}

/** Makes the tables of an import; false while shards move, during which Citus makes none. */
export async function makeFirst(client: Client, texts: readonly string[]): Promise<boolean> {
  await client.query('savepoint first');
  try {
    for (const text of texts) await client.query(text);
    return true;
  } catch (error) {
    if (!isMove(error)) throw error;
    await client.query('rollback to savepoint first');
    return false;
  }
}

/**
 * An import that changed more than this share of a list leaves the planner with wrong statistics of it: its
 * first queries would read all of the list.
 */
const ANALYZE_SHARE = 0.1;
const ANALYZE_ROWS = 1_000;

type Run = (...statements: Statement[]) => Promise<readonly StatementResult[]>;

/** Makes the planner's statistics after the commit of an import that has changed enough. */
export async function refreshStatistics(
  run: Run,
  sql: { readonly statistics: string; readonly analyze: (values: number | null) => string[] },
  { inserted, updated, removed }: LoadSummary,
): Promise<void> {
  const changed = inserted + updated + removed;
  if (changed < ANALYZE_ROWS) return;
  const [known] = await run(statement(sql.statistics));
  const [rows, values] = (known?.rows[0] ?? []) as [number | null, number | null];
  if (changed < Number(rows) * ANALYZE_SHARE) return;
  await run(...sql.analyze(values).map((text) => statement(text)));
}
