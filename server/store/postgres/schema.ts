// Whether a PostgreSQL database is one that Linecard can work on, and the migration of its schema: one
// transaction a step, under an advisory lock.

import { timestampOf } from '@linecard/client/contract/timestamp';
import type { Client } from 'pg';
import { DISTRIBUTED_BY, SCHEMA_STEP } from '../deployment.ts';
import { postgres } from '../dialects.ts';
import { LOG_STEP, rebuildStatements } from '../log/change-log.ts';
import { type Backfill, backfillsOf, olderSchema, refuseNewerSchema, schemaSteps } from '../migrations.ts';
import { statement } from '../sql.ts';
import type { Purpose } from '../store.ts';
import { StoreEmpty, StoreRefused } from '../store-errors.ts';
import type { Stored } from '../tables.ts';
import { Preparations } from './batch.ts';
import { type ConnectionSettings, connect, hangUp, roundTrip } from './connect.ts';
import { type Distribution, distribute, distributionOf, markDistribution, PLAIN } from './distribution.ts';
import { INSUFFICIENT_PRIVILEGE, POOLER_HINT, sqlState, storeErrorOf } from './errors.ts';
import { grantNewRights } from './new-rights.ts';
import { IS_SECURED } from './policies.ts';
import { NO_TRANSACTION_TIMEOUT } from './transaction.ts';

const OLDEST_VERSION = 14;
/** `LNCD`: the advisory lock that a migration and nothing else takes. */
const MIGRATION_LOCK = 0x4c4e4344;
const MIGRATION_MILLISECONDS = 60_000;
const BATCH_ROWS = 1_000;
const DUPLICATE_TABLE = '42P07';
const NO_SCHEMA = '3F000';

async function firstRow(client: Client, text: string, timeoutMs: number): Promise<readonly Stored[]> {
  const [result] = await roundTrip(client, [statement(text)], new Preparations(false), timeoutMs);
  return result?.rows[0] ?? [];
}

/** @throws {StoreRefused} when the server cannot be used, or a pooler is in the way. */
async function mustFit(client: Client, { pooler, timeoutMs }: ConnectionSettings): Promise<void> {
  const [version, encoding, backendId] = await firstRow(
    client,
    `select current_setting('server_version_num')::int / 10000, current_setting('server_encoding'), pg_backend_pid()`,
    timeoutMs,
  );
  if (Number(version) < OLDEST_VERSION) {
    throw new StoreRefused(`The server is PostgreSQL ${version}; Linecard needs ${OLDEST_VERSION} or newer.`);
  }
  if (encoding !== 'UTF8') {
    throw new StoreRefused(
      `The database is encoded as ${encoding}, but must be UTF8. Make another with: createdb --encoding UTF8 --template template0 NAME`,
    );
  }
  // A server sends the id of the backend process; a pooler sends an id of its own.
  const { processID } = client as Client & { processID: number };
  if (pooler === 'none' && processID !== backendId) throw new StoreRefused(POOLER_HINT);
}

/** The migration that the schema is at; 0 where there is none. */
async function schemaStep(client: Client, timeoutMs: number): Promise<number> {
  // From the catalogue itself: to_regclass caches what was not there before the migration of another process
  // ended.
  const [there] = await firstRow(
    client,
    `select count(*) from pg_tables where tablename = 'deployment' and schemaname = any(current_schemas(false))`,
    timeoutMs,
  );
  if (there === 0) return 0;
  const [value] = await firstRow(
    client,
    `select to_jsonb(deployment) ->> 'value' from deployment where to_jsonb(deployment) ->> 'name' = '${SCHEMA_STEP}'`,
    timeoutMs,
  );
  if (typeof value === 'string' && Number.isSafeInteger(Number(value))) return Number(value);
  throw new StoreRefused(
    'The database has a table named deployment that is not of Linecard. It was left as it is: name another database, or another schema, with --database-url.',
  );
}

/** How a database is distributed; one without the mark is not examined further. */
async function distributionIn(client: Client, timeoutMs: number): Promise<Distribution> {
  const mark = `select count(*) from deployment where name = '${DISTRIBUTED_BY}'`;
  const [marks] = await firstRow(client, mark, timeoutMs);
  return marks === 0 ? PLAIN : distributionOf(client);
}

type BackfilledRow = [account_id: string, id: string, ...Stored[]];

/** Computes the columns of a step for every row, and logs that the lists with different ones were rebuilt. */
async function runBackfill(client: Client, step: number, backfill: Backfill): Promise<void> {
  const { table, columns, read, valuesOf } = backfill;
  const batchAfter = `select account_id, id, ${read.join(', ')} from ${table.name}
    where (account_id, id) > ($1, $2) order by account_id, id limit ${BATCH_ROWS}`;
  // Of one account, so that Citus sends it to one node.
  const update = `update ${table.name} as stored set ${columns.map(({ name }) => `${name} = computed.${name}`).join(', ')}
    from unnest($2::bigint[], ${columns.map(({ type }, i) => `$${i + 3}::${type}[]`).join(', ')})
      as computed (id, ${columns.map(({ name }) => name).join(', ')})
    where stored.account_id = $1 and stored.id = computed.id`;
  const changed = new Set<string>();
  let last: readonly [string, string] = ['', '0'];
  for (let count = BATCH_ROWS; count === BATCH_ROWS; ) {
    const { rows } = await client.query<BackfilledRow>({
      text: batchAfter,
      values: [...last],
      rowMode: 'array',
    });
    const computed = rows.flatMap(([account_id, id, ...stored]) => {
      const values = valuesOf(stored);
      return values === undefined ? [] : [{ account_id, id, values }];
    });
    for (const [account_id, some] of Map.groupBy(computed, (row) => row.account_id)) {
      const values = columns.map((_, i) => some.map((row) => row.values[i]));
      await client.query(update, [account_id, some.map(({ id }) => id), ...values]);
      changed.add(account_id);
    }
    count = rows.length;
    const [account_id, id] = rows.at(-1) ?? last;
    last = [account_id, id];
  }
  if (step <= LOG_STEP) return;
  for (const { text, values } of rebuildStatements(postgres, table.name, timestampOf(), [...changed]))
    await client.query(text, [...values]);
}

/** The error for a step that failed, after `done` steps, with what to do about it. */
function migrationError(error: unknown, done: number): Error {
  const says = `(PostgreSQL says: ${(error as Error).message})`;
  switch (sqlState(error) ?? '') {
    case DUPLICATE_TABLE:
      return new StoreRefused(
        `The database has tables of another program ${says}. It was left as it is: name another database, or another schema, with --database-url.`,
        { cause: error },
      );
    case NO_SCHEMA:
      return new StoreRefused(
        `There is no schema that the search_path of the URL names ${says}. Make it first: create schema NAME.`,
        { cause: error },
      );
    case INSUFFICIENT_PRIVILEGE:
      return new StoreRefused(
        done > 0
          ? `The schema of the database is not up to date, and the role of the URL may not change it ${says}: run linecard-server migrate with the URL of the role that owns the tables.`
          : `The role of the URL may make no tables in the database ${says}. Have it own the database: alter database NAME owner to ROLE.`,
        { cause: error },
      );
    default:
      return storeErrorOf(error);
  }
}

/** Runs the migrations that are missing, one transaction each. */
async function migrate(client: Client): Promise<void> {
  const steps = schemaSteps('postgres');
  for (let done = -1; done < steps.length; ) {
    try {
      await client.query('begin isolation level read committed read write');
      await client.query(
        `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
          select ${NO_TRANSACTION_TIMEOUT}`,
      );
      await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      done = await schemaStep(client, MIGRATION_MILLISECONDS);
      refuseNewerSchema('The database', done, 'postgres');
      const next = steps[done];
      if (next !== undefined) {
        await client.query(next);
        if (done === 0) await markDistribution(client);
        done += 1;
        for (const one of backfillsOf(done)) await runBackfill(client, done, one);
        await client.query(
          'insert into deployment (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
          [SCHEMA_STEP, String(done)],
        );
      }
      if (done === steps.length) {
        await distribute(client);
        if (next !== undefined) await grantNewRights(client);
      }
      await client.query('commit');
    } catch (error) {
      throw migrationError(error, done);
    }
  }
}

/** What a database was found to be. */
export interface Prepared {
  /** Whether row security is in force for the role of the URL, for any table or for all. */
  readonly isSecured: boolean;
  readonly isWhollySecured: boolean;
  /** Whether Citus distributes it. */
  readonly isDistributed: boolean;
}

/**
 * Checks the database and, to write, migrates its schema.
 * @throws {StoreUnavailable | StoreRefused}
 */
export async function prepare(settings: ConnectionSettings, purpose: Purpose): Promise<Prepared> {
  const client = await connect(settings);
  try {
    await mustFit(client, settings);
    const step = await schemaStep(client, settings.timeoutMs);
    refuseNewerSchema('The database', step, 'postgres');
    let distribution = step === 0 ? PLAIN : await distributionIn(client, settings.timeoutMs);
    if (step < schemaSteps('postgres').length || distribution.waiting.length > 0) {
      if (purpose !== 'write') {
        if (step === 0)
          throw new StoreEmpty('The database has no tables of Linecard yet.', 'Run linecard-server migrate.');
        throw olderSchema('the database');
      }
      await migrate(client);
      distribution = await distributionIn(client, settings.timeoutMs);
    }
    const [any, all] = await firstRow(client, IS_SECURED, settings.timeoutMs);
    const { isDistributed } = distribution;
    return { isSecured: any === 1, isWhollySecured: all === 1, isDistributed };
  } finally {
    hangUp(client);
  }
}
