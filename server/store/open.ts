// A database URL -> the store behind it.

import { parameterFault } from '../postgres-url.ts';
import { refuseUnfinishedCopy } from './deployment.ts';
import type { PostgresStore } from './postgres/postgres.ts';
import { SqliteStore } from './sqlite/sqlite.ts';
import type { Purpose, Replicas, Store, StoreOptions } from './store.ts';
import { StoreRefused } from './store-errors.ts';

const SQLITE = 'sqlite:';
const POSTGRES = ['postgres:', 'postgresql:'];

export function isPostgresUrl(url: string): boolean {
  return POSTGRES.some((scheme) => url.startsWith(scheme));
}

/** Whether it is the URL of one PostgreSQL server. */
function isServerUrl(url: string): boolean {
  return isPostgresUrl(url) && URL.canParse(url) && !new URL(url).host.includes(',');
}

/** The path of a database that is a file; `undefined` for one on a server. */
export function filePath(url: string): string | undefined {
  return url.startsWith(SQLITE) ? url.slice(SQLITE.length) : undefined;
}

/**
 * The store to read from: the server itself, its replicas, or the nodes of Citus.
 * @throws {StoreRefused} when a replica is one of another database, or the database is distributed.
 */
async function routed(primary: PostgresStore, replicas: Replicas | undefined): Promise<Store> {
  const { isDistributed } = primary.dialect;
  if (replicas === undefined && !isDistributed) return primary;
  const { routedStore } = await import('./postgres/routed-store.ts');
  if (replicas === undefined) {
    const { NodeRoute } = await import('./postgres/nodes/node-route.ts');
    return routedStore(primary, new NodeRoute(primary));
  }
  // A replica does not say of which node it is.
  if (isDistributed) {
    throw new StoreRefused(
      'The database is distributed by Citus, whose nodes are read themselves: leave out --replica-url.',
    );
  }
  const { ReplicaRoute } = await import('./postgres/replicas/replica-route.ts');
  return routedStore(primary, await ReplicaRoute.begin(primary, replicas));
}

/**
 * Opens the database that a URL names: `sqlite:PATH` or `postgres://…`. Opened to write, it is created where
 * it is missing (a file) and its schema is migrated first; opened to read, it is never changed.
 * @throws {StoreRefused} when the URL is not valid, or what it names cannot be used.
 * @throws {StoreUnavailable} when a server cannot be reached.
 */
export async function openStore(url: string, purpose: Purpose, options: StoreOptions = {}): Promise<Store> {
  const replicas = purpose === 'read' ? options.replicas : undefined;
  if (replicas !== undefined && !(isPostgresUrl(url) && replicas.urls.every(isServerUrl))) {
    throw new StoreRefused(
      'Replicas are those of a PostgreSQL database: --database-url and each --replica-url must look like postgres://user:password@host:5432/database, special characters of the password percent-encoded. A --replica-url names one host; give it once for each replica.',
    );
  }
  const fault = replicas?.urls.map(parameterFault).find((one) => one !== undefined);
  if (fault !== undefined) throw new StoreRefused(`A --replica-url ${fault}`);
  const path = filePath(url);
  if (path !== undefined && options.rowSecurity) {
    throw new StoreRefused(
      'Row security is a wall within PostgreSQL, and a SQLite file has none: leave out --row-security.',
    );
  }
  if (path === undefined && !isPostgresUrl(url)) {
    throw new StoreRefused(
      'The database URL must look like sqlite:PATH or postgres://user:password@host:5432/database.',
    );
  }
  // The driver of PostgreSQL takes memory that only a server on it needs.
  const store =
    path === undefined
      ? await (await import('./postgres/postgres.ts')).PostgresStore.open(url, purpose, options)
      : SqliteStore.open(path, purpose, options);
  try {
    if (!options.isCopyTarget) await refuseUnfinishedCopy(store);
    return purpose === 'read' && !(store instanceof SqliteStore) ? await routed(store, replicas) : store;
  } catch (error) {
    await store.close();
    throw error;
  }
}
