// A URL and settings -> connections to PostgreSQL, and one trip over one of them with a deadline. It must not know what
// is asked.

import { Client, type ClientConfig, Pool, type PoolConfig } from 'pg';
import type { Statement } from '../sql.ts';
import { type StoreOptions, StoreRefused, StoreUnavailable } from '../store.ts';
import { Batch, type Outcome, type Preparations } from './batch.ts';
import { troubleOf } from './errors.ts';

const APPLICATION_NAME = 'linecard';
const KEEP_ALIVE_MILLISECONDS = 10_000;
const GOODBYE_MILLISECONDS = 1_000;
const IDLE_MILLISECONDS = 30_000;
const LIFETIME_SECONDS = 3_600;

/** How a connection is used; the default is that of a command that a person waits for. */
export interface Settings {
  readonly url: string;
  /** Connections of each kind that may be open at once. */
  readonly connections: number;
  /** How long anything that is asked may take, from asking to answer. */
  readonly timeout_ms: number;
  /** How long the next rows of a snapshot may take. */
  readonly rows_ms: number;
  /** Whose reads may share a trip; 1 for none. */
  readonly together: number;
  readonly pooler: NonNullable<StoreOptions['pooler']>;
  readonly row_security: boolean;
}

const DEFAULTS = {
  connections: 4,
  timeout_ms: 30_000,
  // Sorting a large list comes before its first row.
  rows_ms: 20_000,
  together: 1,
  pooler: 'none',
  row_security: false,
} as const;

/** @throws {StoreRefused} when the URL is none. */
export function settingsOf(url: string, options: StoreOptions): Settings {
  if (!URL.canParse(url)) {
    throw new StoreRefused(
      'The database URL is not well-formed. It looks like postgres://user:password@host:5432/database; write special characters of the password percent-encoded.',
    );
  }
  return { ...DEFAULTS, url, ...options };
}

/** What to tell the driver. */
function clientConfig({ url, timeout_ms }: Settings): ClientConfig {
  return {
    connectionString: url,
    fallback_application_name: APPLICATION_NAME,
    connectionTimeoutMillis: timeout_ms,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MILLISECONDS,
  };
}

/** Connections that are kept for the next who needs one, at most so many. */
export function poolOf(settings: Settings, config: PoolConfig = {}): Pool {
  const pool = new Pool({
    ...clientConfig(settings),
    max: settings.connections,
    idleTimeoutMillis: IDLE_MILLISECONDS,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    ...config,
  });
  // A connection that breaks while it is idle leaves the pool by itself; one that is in use tells whoever uses it.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * Opens one connection.
 * @throws {StoreUnavailable | StoreRefused}
 */
export async function connect(settings: Settings): Promise<Client> {
  const client = new Client(clientConfig(settings));
  // A connection that breaks tells whoever waits for an answer; there is nobody else to tell.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw troubleOf(error);
  }
}

/** Ends a connection whatever it is doing: an answer that is still to come must reach nobody. */
export function drop(client: Client): void {
  client.connection.stream.destroy();
}

/** Ends a connection that is idle; a backend that was stopped does not answer even that. */
export function hangUp(client: Client): void {
  const timer = setTimeout(() => drop(client), GOODBYE_MILLISECONDS);
  void client.end().finally(() => clearTimeout(timer));
}

/** One trip that may take so long; where it fails, the connection is of no more use. */
export async function trip(
  client: Client,
  statements: readonly Statement[],
  preparations: Preparations,
  timeout_ms: number,
): Promise<readonly Outcome[]> {
  const batch = new Batch(statements, preparations);
  let overdue = false;
  const timer = setTimeout(() => {
    overdue = true;
    drop(client);
  }, timeout_ms);
  const error = await batch.travel(client);
  clearTimeout(timer);
  if (overdue) throw new StoreUnavailable('The database did not answer in time.');
  if (error === undefined) return batch.outcomes;
  drop(client);
  throw troubleOf(error);
}
