// The settings of the database and its replicas.

import { flag, integer, oneOf, optional, parameter, shortTime, urls, waitingTime } from './kinds.ts';

export const databaseSettings = {
  database_url: parameter({
    isSecret: true,
    allowed: 'sqlite:PATH or postgres://user:password@host:5432/database',
    read: (text: string) => (/^(?:sqlite:|postgres(?:ql)?:\/\/)/.test(text) ? text : undefined),
    value: 'url',
    default: 'sqlite:data/linecard.db',
    about: 'the database: sqlite:PATH or postgres://user:password@host/database',
  }),
  database_pooler: parameter<'none' | 'session' | 'transaction'>({
    ...oneOf('none', 'session', 'transaction'),
    value: 'mode',
    default: 'none',
    about: 'the pooling mode of a connection pooler such as PgBouncer: none, session or transaction',
  }),
  database_connections: parameter({
    ...integer(1, 100),
    default: 4,
    about: "each thread's connections to PostgreSQL for quick reads, and as many again for everything else",
  }),
  database_timeout: parameter({
    ...waitingTime,
    default: 1_900,
    about: 'how long a request may wait for PostgreSQL before it fails with 503',
  }),
  wait_for_database: optional(
    shortTime(),
    'how long to wait at startup for the database to be reachable, such as 30s; no wait if not given',
  ),
  replica_url: parameter({
    ...urls,
    about: 'a streaming replica to read lists from; repeat the option, or separate several URLs with spaces',
  }),
  replica_lag: parameter({
    ...waitingTime,
    default: 1_000,
    about: 'the largest lag at which a replica is still read',
  }),
  row_security: flag(
    'use row-level security, so that the serving role sees only the rows of one account at a time',
  ),
} as const;
