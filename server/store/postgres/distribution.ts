// Which tables of a deployment Citus distributes, and how: done once, by the migration that sets a database
// up which has the extension.
//
// Why this way: accounts by their id, and all that has rows of accounts by `account_id`, in one group of
// shards, so that every request of an account is of one shard. What is looked up before its account is
// known (tokens) or is of nobody (`deployment`) is complete on every node. What only commands and imports
// write, and no customer's request reads, stays on the coordinator, through which they all go: feeds,
// deliveries and the audit log would otherwise be written to every node in two phases.
//
// A key must hold what rows are distributed by, so that no index can keep an id of a list unique in all
// shards: imports do, one at a time.

import type { Client } from 'pg';
import { DISTRIBUTED_BY } from '../deployment.ts';
import { LOG_TABLES } from '../log/change-log.ts';
import { StoreRefused } from '../store-errors.ts';
import { tables } from '../tables.ts';

const LISTS = Object.keys(tables);
const ON_EVERY_NODE = ['deployment', 'tokens', 'operator_tokens'];
const BY_ACCOUNT = [...LISTS, ...LOG_TABLES];
const DISTRIBUTED = [...ON_EVERY_NODE, 'accounts', ...BY_ACCOUNT];

const CITUS = 'citus';
/** The first version that reads an account's rows from one snapshot. */
const OLDEST_VERSION = [11, 2] as const;

const HAS_EXTENSION = `select from pg_extension where extname = 'citus'`;
const MARK = `select value, exists (${HAS_EXTENSION}) as possible from deployment where name = '${DISTRIBUTED_BY}'`;

/** Whether a deployment is spread over the nodes of Citus. */
export interface Distribution {
  readonly isDistributed: boolean;
  /** Tables that are still to be distributed, or to be made. */
  readonly waiting: readonly string[];
}

/** Of a database of PostgreSQL alone. */
export const PLAIN: Distribution = { isDistributed: false, waiting: [] };

/** @throws {StoreRefused} when Citus is too old, or this is not the node that commands go through. */
async function mustBeCoordinator(client: Client): Promise<void> {
  const { rows } = await client.query<{ version: string; coordinator: boolean; nodes: boolean }>(
    `select extversion as version, (select groupid from pg_dist_local_group) = 0 as coordinator,
       exists (select from pg_dist_node where groupid = 0) and
       exists (select from pg_dist_node where shouldhaveshards) as nodes from pg_extension where extname = 'citus'`,
  );
  const [{ version, coordinator, nodes } = { version: '', coordinator: false, nodes: false }] = rows;
  const [major = 0, minor = 0] = version.split(/\D/).map(Number);
  if (major < OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor < OLDEST_VERSION[1])) {
    throw new StoreRefused(
      `The server has Citus ${version}; Linecard needs ${OLDEST_VERSION.join('.')} or newer.`,
    );
  }
  if (!coordinator) {
    throw new StoreRefused(
      'The database URL leads to a worker of Citus: name the coordinator with --database-url.',
    );
  }
  if (!nodes) {
    throw new StoreRefused(
      `The coordinator of Citus does not know the nodes that rows are to be on, or they do not know it. Run there, as a superuser: select citus_set_coordinator_host('HOST', PORT), with what the workers reach it by, and select citus_add_node('HOST', PORT) for each worker; then linecard-server migrate again.`,
    );
  }
}

/**
 * How a database with tables of Linecard is spread.
 * @throws {StoreRefused} when it was distributed and cannot be used as it is now.
 */
export async function distributionOf(client: Client): Promise<Distribution> {
  const marks = await client.query<{ value: string; possible: boolean }>(MARK);
  const [mark] = marks.rows;
  if (mark === undefined) return PLAIN;
  if (mark.value !== CITUS || !mark.possible) {
    throw new StoreRefused(
      'The deployment is distributed by Citus, but the database does not have the extension, and what stands in its tables may be a part of what it holds. Run create extension citus on every node and linecard-server migrate, or name the database that it was copied from.',
    );
  }
  await mustBeCoordinator(client);
  const { rows } = await client.query<{ name: string }>(
    `select name from unnest($1::text[]) as name
     where not exists (select from pg_dist_partition where logicalrelid = to_regclass(name))`,
    [DISTRIBUTED],
  );
  return { isDistributed: true, waiting: rows.map(({ name }) => name) };
}

/** Marks a database that is being set up, in the transaction that makes its first tables. */
export async function markDistribution(client: Client): Promise<void> {
  if ((await client.query(HAS_EXTENSION)).rows.length === 0) return;
  await mustBeCoordinator(client);
  await client.query('insert into deployment (name, value) values ($1, $2)', [DISTRIBUTED_BY, CITUS]);
}

/** The statements that distribute a table, with the rows that it may have. */
function distributing(name: string): string[] {
  const move = `select truncate_local_data_after_distributing_table('${name}')`;
  if (ON_EVERY_NODE.includes(name)) return [`select create_reference_table('${name}')`, move];
  const [column, group] = name === 'accounts' ? ['id', 'none'] : ['account_id', 'accounts'];
  const distribute = `select create_distributed_table('${name}', '${column}', colocate_with => '${group}')`;
  if (!LISTS.includes(name)) return [distribute, move];
  const byId = [`drop index ${name}_by_id`, `create index ${name}_by_id on ${name} (id)`];
  return [...byId, distribute, move];
}

/** Distributes what still waits for it, in the transaction that the connection is in. */
export async function distribute(client: Client): Promise<void> {
  const { waiting } = await distributionOf(client);
  for (const text of waiting.flatMap(distributing)) await client.query(text);
}
