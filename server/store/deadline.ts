// How long a request may wait for a database on a server, and how that time is shared out among what it reads.

import type { Settings } from '../config.ts';
import { type Replicas, type StoreOptions, StoreUnavailable } from './store.ts';

/** The share of a request's time that one quick read may take: there may be two. */
const QUICK_SHARE = 0.5;
/** Quick reads that may share a trip: more would wait for each other longer than trips cost. */
const TOGETHER = 8;

/** Whoever looks at most of a file once has little use for what he has seen. */
const SLOW_CACHE_KIB = 8_192;

export type ReachSettings = Pick<
  Settings,
  | 'database_pooler'
  | 'database_connections'
  | 'database_timeout'
  | 'replica_url'
  | 'replica_lag'
  | 'row_security'
>;

function replicasOf({ replica_url, replica_lag }: ReachSettings): Replicas | undefined {
  if (replica_url.length === 0) return undefined;
  const shared = new SharedArrayBuffer(replica_url.length * Int32Array.BYTES_PER_ELEMENT);
  return { urls: replica_url, maxLagMs: replica_lag, health: new Int32Array(shared) };
}

/**
 * How the store is opened that answers what is a matter of milliseconds, and those that answer all else. The first is the
 * one that watches replicas, and tells how they stand.
 */
export function reach(
  settings: ReachSettings,
  onReplica: NonNullable<Replicas['onChange']>,
): {
  readonly quick: StoreOptions;
  readonly slow: StoreOptions;
} {
  const replicas = replicasOf(settings);
  const usual: StoreOptions = {
    connections: settings.database_connections,
    timeoutMs: settings.database_timeout,
    pooler: settings.database_pooler,
    rowSecurity: settings.row_security,
    ...(replicas === undefined ? {} : { replicas }),
  };
  const quick = {
    ...usual,
    timeoutMs: Math.floor(settings.database_timeout * QUICK_SHARE),
    batchReads: TOGETHER,
    ...(replicas === undefined ? {} : { replicas: { ...replicas, onChange: onReplica } }),
  };
  return { quick, slow: { ...usual, cacheKib: SLOW_CACHE_KIB } };
}

/**
 * What comes of some work, if it comes in time.
 * @throws {StoreUnavailable} when it does not; the work comes to its own end unheard.
 */
export async function inTime<T>(work: Promise<T>, time_ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new StoreUnavailable('The database did not answer in time.')),
    time_ms,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
