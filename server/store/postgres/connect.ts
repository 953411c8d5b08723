// A URL and settings -> the connection pool of PostgreSQL, and one round trip over a connection with a
// deadline.

import { Client, type ClientConfig, Pool, type PoolConfig } from 'pg';
import { driverUrl, parameterFault } from '../../postgres-url.ts';
import type { Statement } from '../sql.ts';
import type { StoreOptions } from '../store.ts';
import { StoreRefused, StoreUnavailable } from '../store-errors.ts';
import { Batch, type Preparations, type StatementResult } from './batch.ts';
import { storeErrorOf } from './errors.ts';

const APPLICATION_NAME = 'linecard';
const KEEP_ALIVE_MILLISECONDS = 10_000;
const GOODBYE_MILLISECONDS = 1_000;
const IDLE_MILLISECONDS = 30_000;
const LIFETIME_SECONDS = 3_600;

/** How connections are used; the defaults suit a command that a person waits for. */
export interface ConnectionSettings {
  readonly url: string;
  /** Connections of each kind that may be open at once. */
  readonly connections: number;
  /** How long a read or a write may take, the wait for a connection included. */
  readonly timeoutMs: number;
  /** How many reads may share a round trip; 1 for none. */
  readonly batchReads: number;
  readonly pooler: NonNullable<StoreOptions['pooler']>;
  readonly rowSecurity: boolean;
  /** Whether the database is spread over nodes, to which the settings of a transaction must be sent. */
  readonly isDistributed: boolean;
}

const DEFAULTS = {
  connections: 4,
  timeoutMs: 30_000,
  batchReads: 1,
  pooler: 'none',
  rowSecurity: false,
  isDistributed: false,
} as const;

/** As in `postgres://user:password@one:5432,two:5432/database`, which libpq takes. */
function hasSeveralHosts(url: string): boolean {
  const [, , authority = ''] = url.split(/[/?#]/, 3);
  return authority.includes(',', authority.lastIndexOf('@') + 1);
}

/** @throws {StoreRefused} when the URL is none, or names several hosts. */
export function settingsOf(url: string, options: StoreOptions): ConnectionSettings {
  if (hasSeveralHosts(url)) {
    throw new StoreRefused(
      'The database URL names several hosts. Name one address that leads to the server that takes writes: of a load balancer, of Patroni or of your cloud.',
    );
  }
  if (!URL.canParse(url)) {
    throw new StoreRefused(
      'The database URL is not well-formed. It looks like postgres://user:password@host:5432/database; write special characters of the password percent-encoded.',
    );
  }
  const fault = parameterFault(url);
  if (fault !== undefined) throw new StoreRefused(`The database URL ${fault}`);
  return { ...DEFAULTS, url, ...options };
}

function clientConfig({ url, timeoutMs }: ConnectionSettings): ClientConfig {
  return {
    connectionString: driverUrl(url),
    fallback_application_name: APPLICATION_NAME,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MILLISECONDS,
  };
}

export function poolOf(settings: ConnectionSettings, config: PoolConfig = {}): Pool {
  const pool = new Pool({
    ...clientConfig(settings),
    max: settings.connections,
    idleTimeoutMillis: IDLE_MILLISECONDS,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    ...config,
  });
  // A connection that breaks while it is idle leaves the pool by itself; one in use fails its
  // round trip.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * Opens one connection.
 * @throws {StoreUnavailable | StoreRefused}
 */
export async function connect(settings: ConnectionSettings): Promise<Client> {
  const client = new Client(clientConfig(settings));
  // A connection that breaks fails its round trip; there is nothing else to report it to.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw storeErrorOf(error);
  }
}

/** Destroys a connection whatever it is doing: an answer that is still to come must reach no request. */
export function drop(client: Client): void {
  client.connection.stream.destroy();
}

/** Ends a connection that is idle; a backend that was stopped does not answer even that. */
export function hangUp(client: Client): void {
  const timer = setTimeout(() => drop(client), GOODBYE_MILLISECONDS);
  void client.end().finally(() => clearTimeout(timer));
}

/** One round trip with a deadline; where it fails, the connection is destroyed. */
export async function roundTrip(
  client: Client,
  statements: readonly Statement[],
  preparations: Preparations,
  timeoutMs: number,
): Promise<readonly StatementResult[]> {
  const batch = new Batch(statements, preparations);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    drop(client);
  }, timeoutMs);
  const error = await batch.send(client);
  clearTimeout(timer);
  if (isLate) throw StoreUnavailable.late();
  if (error === undefined) return batch.results;
  drop(client);
  throw storeErrorOf(error);
}
