// Settings -> how the stores of a service are opened, and how a request's time is shared out among what it
// reads.

import { WrongUsage } from '../errors.ts';
import { scaledToMemory } from '../memory.ts';
import type { Settings } from '../settings/settings.ts';
import { isPostgresUrl } from '../store/open.ts';
import type { Replicas, StoreOptions } from '../store/store.ts';

/** The share of a request's time that one quick read may take: there may be two. */
const QUICK_SHARE = 0.5;
/** Quick reads that may share a round trip: more would wait for each other longer than round trips cost. */
const BATCHED_READS = 8;
/** What looks once at most of a file has little use for caching what it has seen. */
const SLOW_CACHE_KIB = 8_192;

export type StoreSettings = Pick<
  Settings,
  | 'database_pooler'
  | 'database_connections'
  | 'database_timeout'
  | 'replica_url'
  | 'replica_lag'
  | 'row_security'
>;

/**
 * For what only a server has: before a file is made for nothing.
 * @throws {WrongUsage}
 */
export function mustHaveRoles({
  database_url,
  row_security,
  serving_role,
}: Pick<Settings, 'database_url' | 'row_security'> & Partial<Pick<Settings, 'serving_role'>>): void {
  const option = row_security ? '--row-security' : serving_role === undefined ? undefined : '--serving-role';
  if (option === undefined || isPostgresUrl(database_url)) return;
  throw new WrongUsage(
    `Roles and what each sees are of PostgreSQL, and a SQLite file has none: leave out ${option}, or name a PostgreSQL database with --database-url.`,
  );
}

function replicasOf({ replica_url, replica_lag }: StoreSettings): Replicas | undefined {
  if (replica_url.length === 0) return undefined;
  const shared = new SharedArrayBuffer(replica_url.length * Int32Array.BYTES_PER_ELEMENT);
  return { urls: replica_url, maxLagMs: replica_lag, health: new Int32Array(shared) };
}

/**
 * The options of the store that answers what takes milliseconds, and of the stores of worker threads, which
 * answer all else. The first watches the health of replicas, and reports it.
 */
export function storeOptions(
  settings: StoreSettings,
  onReplica: NonNullable<Replicas['onChange']>,
): { readonly quick: StoreOptions; readonly slow: StoreOptions } {
  const replicas = replicasOf(settings);
  const usual: StoreOptions = {
    connections: settings.database_connections,
    timeoutMs: settings.database_timeout,
    pooler: settings.database_pooler,
    rowSecurity: settings.row_security,
    ...(replicas === undefined ? {} : { replicas }),
  };
  const quick: StoreOptions = {
    ...usual,
    timeoutMs: Math.floor(settings.database_timeout * QUICK_SHARE),
    batchReads: BATCHED_READS,
    ...(replicas === undefined ? {} : { replicas: { ...replicas, onChange: onReplica } }),
  };
  return { quick, slow: { ...usual, cacheKib: scaledToMemory(SLOW_CACHE_KIB) } };
}
