// How long a request may wait for a database on a server, and how that time is shared out among what it reads. Pure.

import type { Settings } from './config.ts';
import type { StoreOptions } from './store.ts';

/** The share of a request's time that one quick read may take: there may be two, and then an answer to be made. */
const QUICK_SHARE = 0.4;
/** Quick reads that may share a trip: more would wait for each other longer than trips cost. */
const TOGETHER = 8;

export type ReachSettings = Pick<
  Settings,
  'database_pooler' | 'database_connections' | 'database_timeout' | 'row_security'
>;

/** How the store is opened that answers what is a matter of milliseconds, and those that answer all else. */
export function reach(settings: ReachSettings): {
  readonly quick: StoreOptions;
  readonly slow: StoreOptions;
} {
  const slow: StoreOptions = {
    connections: settings.database_connections,
    timeout_ms: settings.database_timeout,
    pooler: settings.database_pooler,
    row_security: settings.row_security,
  };
  const quick = {
    ...slow,
    timeout_ms: Math.floor(settings.database_timeout * QUICK_SHARE),
    together: TOGETHER,
  };
  return { quick, slow };
}
