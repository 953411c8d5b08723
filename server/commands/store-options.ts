// The options of the stores of a service, and how the timeout of a request is divided among its reads.

import { WrongUsage } from '../errors.ts';
import { scaledToMemory } from '../memory.ts';
import type { Values } from '../settings/config.ts';
import { isPostgresUrl } from '../store/open.ts';
import type { Replicas, StoreOptions } from '../store/store.ts';

/** The fraction of a request's time that one quick read may take: there may be two. */
const QUICK_FRACTION = 0.5;
/** Quick reads per round trip: with more, waiting for each other would cost more than round trips. */
const BATCHED_READS = 8;
/** Worker threads read most data once and benefit little from the cache of SQLite. */
const SLOW_CACHE_KIB = 8_192;
/** Pages of lists are read at random, and again and again. */
const QUICK_CACHE_KIB = 65_536;

export type StoreSettings = Pick<
  Values,
  | 'database_pooler'
  | 'database_connections'
  | 'database_timeout'
  | 'replica_url'
  | 'replica_lag'
  | 'row_security'
>;

/**
 * Checked before a SQLite file is created.
 * @throws {WrongUsage} if a setting needs PostgreSQL.
 */
export function mustHaveRoles({
  database_url,
  row_security,
  ...roles
}: Pick<Values, 'database_url' | 'row_security'> &
  Partial<Pick<Values, 'serving_role' | 'intake_role' | 'deliver_role'>>): void {
  const { serving_role, intake_role, deliver_role } = roles;
  const needing = {
    'row-security': row_security || undefined,
    'serving-role': serving_role,
    'intake-role': intake_role,
    'deliver-role': deliver_role,
  };
  const [option] = Object.entries(needing).find(([, value]) => value !== undefined) ?? [];
  if (option === undefined || isPostgresUrl(database_url)) return;
  throw new WrongUsage(
    `--${option} needs PostgreSQL, because SQLite has no roles. Leave it out, or specify a PostgreSQL database with --database-url.`,
  );
}

function replicasOf({ replica_url, replica_lag }: StoreSettings): Replicas | undefined {
  if (replica_url.length === 0) return undefined;
  const shared = new SharedArrayBuffer(replica_url.length * Int32Array.BYTES_PER_ELEMENT);
  return { urls: replica_url, maxLagMs: replica_lag, health: new Int32Array(shared) };
}

/** Options for quick reads, whose store also monitors replicas, and for the stores of worker threads. */
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
    replicas,
  };
  const quick: StoreOptions = {
    ...usual,
    timeoutMs: Math.floor(settings.database_timeout * QUICK_FRACTION),
    batchReads: BATCHED_READS,
    cacheKib: scaledToMemory(QUICK_CACHE_KIB),
    replicas: replicas && { ...replicas, onChange: onReplica },
  };
  return { quick, slow: { ...usual, cacheKib: scaledToMemory(SLOW_CACHE_KIB) } };
}
