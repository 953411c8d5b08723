// Whether a PostgreSQL database is one that Linecard can work on, and bringing its schema up to date: one transaction a
// step, two who try at once take turns.

import type { Client } from 'pg';
import { schemaSteps } from '../migrations.ts';
import { type Purpose, StoreEmpty, StoreRefused } from '../store.ts';
import type { Stored } from '../tables.ts';
import { Preparations } from './batch.ts';
import { connect, hangUp, type Settings, trip } from './connect.ts';
import { POOLER_HINT, sqlState, troubleOf } from './errors.ts';

const OLDEST_VERSION = 14;
/** `LNCD`: the lock that a migration and nothing else takes. */
const MIGRATION_LOCK = 0x4c4e4344;
const MIGRATION_MILLISECONDS = 60_000;
const SCHEMA_STEP = 'schema_step';
const DUPLICATE_TABLE = '42P07';

/** The first row of one statement. */
async function firstRow(client: Client, text: string, timeout_ms: number): Promise<readonly Stored[]> {
  const [outcome] = await trip(client, [{ text, values: [] }], new Preparations(false), timeout_ms);
  return outcome?.rows[0] ?? [];
}

/** @throws {StoreRefused} when the server or the way to it is of no use. */
async function mustFit(client: Client, { pooler, timeout_ms }: Settings): Promise<void> {
  const [version, encoding, process_id] = await firstRow(
    client,
    `select current_setting('server_version_num')::int / 10000, current_setting('server_encoding'), pg_backend_pid()`,
    timeout_ms,
  );
  if (Number(version) < OLDEST_VERSION) {
    throw new StoreRefused(`The server is PostgreSQL ${version}; Linecard needs ${OLDEST_VERSION} or newer.`);
  }
  if (encoding !== 'UTF8') {
    throw new StoreRefused(
      `The database is encoded as ${encoding}, but must be UTF8. Make another with: createdb --encoding UTF8 --template template0 NAME`,
    );
  }
  // Whoever answers a connection says which process it is; a pooler gives a number of its own.
  const { processID } = client as Client & { processID: number };
  if (pooler === 'none' && processID !== process_id) throw new StoreRefused(POOLER_HINT);
}

/** The step that the schema stands at; 0 where there is none. */
async function schemaStep(client: Client, timeout_ms: number): Promise<number> {
  // Asked of the catalogue itself: to_regclass remembers what was not there before somebody else's migration ended.
  const [there] = await firstRow(
    client,
    `select count(*) from pg_tables where tablename = 'deployment' and schemaname = any(current_schemas(false))`,
    timeout_ms,
  );
  if (there === 0) return 0;
  const [value] = await firstRow(
    client,
    `select to_jsonb(deployment) ->> 'value' from deployment where to_jsonb(deployment) ->> 'name' = '${SCHEMA_STEP}'`,
    timeout_ms,
  );
  if (typeof value === 'string' && Number.isSafeInteger(Number(value))) return Number(value);
  throw new StoreRefused(
    'The database has a table named deployment that is not of Linecard. It was left as it is: name another database, or another schema, with --database-url.',
  );
}

function mustBeKnown(step: number): void {
  const newest = schemaSteps('postgres').length;
  if (step <= newest) return;
  throw new StoreRefused(
    `The database has schema step ${step}, but this program knows only ${newest} steps: it was written by a newer Linecard. Start that version, or restore a backup made before the upgrade.`,
  );
}

/** Brings the schema up to date. */
async function migrate(client: Client): Promise<void> {
  const steps = schemaSteps('postgres');
  for (let done = -1; done < steps.length; ) {
    try {
      await client.query('begin isolation level read committed read write');
      await client.query(
        `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`,
      );
      await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      done = await schemaStep(client, MIGRATION_MILLISECONDS);
      mustBeKnown(done);
      const next = steps[done];
      if (next !== undefined) {
        await client.query(next);
        done += 1;
        await client.query(
          'insert into deployment (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
          [SCHEMA_STEP, String(done)],
        );
      }
      await client.query('commit');
    } catch (error) {
      if (sqlState(error) === DUPLICATE_TABLE) {
        throw new StoreRefused(
          `The database has tables of another program (PostgreSQL says: ${(error as Error).message}). It was left as it is: name another database, or another schema, with --database-url.`,
          { cause: error },
        );
      }
      throw troubleOf(error);
    }
  }
}

/**
 * Looks at the database and, to write, brings its schema up to date.
 * @returns whether row security is in force for the role of the URL.
 * @throws {StoreUnavailable | StoreRefused}
 */
export async function prepare(settings: Settings, purpose: Purpose): Promise<boolean> {
  const client = await connect(settings);
  try {
    await mustFit(client, settings);
    const step = await schemaStep(client, settings.timeout_ms);
    mustBeKnown(step);
    if (step < schemaSteps('postgres').length) {
      if (purpose !== 'write') {
        if (step === 0)
          throw new StoreEmpty('The database has no tables of Linecard yet: run linecard-server migrate.');
        throw new StoreRefused('The schema of the database is not up to date: run linecard-server migrate.');
      }
      await migrate(client);
    }
    const [active] = await firstRow(
      client,
      `select row_security_active('virtual_numbers')::int`,
      settings.timeout_ms,
    );
    return active === 1;
  } finally {
    hangUp(client);
  }
}
