// The settings of the database and its replicas: part of the one table in settings.ts.

import { flag, integer, oneOf, optionalText, setting, shortTime, urls, waitingTime } from './kinds.ts';

export const databaseSettings = {
  database_url: setting({
    // Its password is not shown where the URL is wrong.
    isSecret: true,
    allowed: 'sqlite:PATH or postgres://user:password@host:5432/database',
    read: (text: string) => (/^(?:sqlite:|postgres(?:ql)?:\/\/)/.test(text) ? text : undefined),
    value: 'url',
    default: 'sqlite:data/linecard.db',
    about: 'the database: sqlite:PATH or postgres://user:password@host/database',
  }),
  database_pooler: setting<'none' | 'session' | 'transaction'>({
    ...oneOf('none', 'session', 'transaction'),
    value: 'mode',
    default: 'none',
    about: 'the pooling mode of a connection pooler such as PgBouncer: none, session or transaction',
  }),
  database_connections: setting({
    ...integer(1, 100),
    default: 4,
    about:
      'connections to PostgreSQL for quick reads of each thread, and the same number for everything else',
  }),
  database_timeout: setting({
    ...waitingTime,
    default: 1_900,
    about: 'how long a request may wait for PostgreSQL before it is answered 503',
  }),
  wait_for_database: setting({
    ...shortTime(),
    default: undefined as number | undefined,
    about: 'how long to wait at the start for a database that cannot be reached, such as 30s; not at all',
  }),
  replica_url: setting({
    ...urls,
    value: 'url',
    default: [] as readonly string[],
    about: 'a streaming replica to read lists from; several are given one by one, or separated by spaces',
  }),
  replica_lag: setting({
    ...waitingTime,
    default: 1_000,
    about: 'how far a replica may lag behind the database and still be read',
  }),
  serving_role: setting({
    ...optionalText,
    value: 'role',
    about: 'the PostgreSQL role that serves: created where it is missing, with the right to read and no more',
  }),
  row_security: setting({
    ...flag,
    about: 'have PostgreSQL itself show the serving role the rows of one account at a time, and no others',
  }),
} as const;
