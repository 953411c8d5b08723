// Every metric that is a figure of the time or a count, as a table: docs/operations.md, the dashboard and the
// alert rules are checked against it.
//
// No account, token or address is ever a label: they would be as many series as there are customers, and a
// reader of the metrics would see those.

import type { Definition, FeedFigures, Figures } from './figures.ts';

const one = (value: number) => [[{}, value]] as const;
const byName = (label: string, counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).map(([name, value]) => [{ [label]: name }, value] as const);

function cache(
  what: 'bytes' | 'entries' | 'hits' | 'misses' | 'evictions',
  name: string,
  help: string,
): Definition {
  return {
    name,
    type: what === 'bytes' || what === 'entries' ? 'gauge' : 'counter',
    help,
    labels: ['cache', 'list'],
    together: 'sum',
    read: ({ caches }) => caches.map(({ cache: of, list, [what]: value }) => [{ cache: of, list }, value]),
  };
}

/** What sends imports, as it calls itself or came in, and what it does with what is stored. */
const FEED = ['list', 'feed', 'mode'] as const;

function ofFeeds(name: string, help: string, value: (feed: FeedFigures) => number | undefined): Definition {
  const sampleOf = (feed: FeedFigures) => [[feed.labels, value(feed) ?? Number.NaN]] as const;
  const read = ({ imports = [] }: Figures) =>
    imports.flatMap(sampleOf).filter(([, one]) => !Number.isNaN(one));
  return { name, type: 'gauge', help, labels: FEED, together: 'max', read };
}

export const definitions: readonly Definition[] = [
  {
    name: 'linecard_build_info',
    type: 'gauge',
    help: 'Always 1; the labels say which version runs, on which Node.js and which kind of database.',
    labels: ['version', 'node_version', 'database'],
    together: 'max',
    read: ({ version, database }) => [[{ version, node_version: process.version, database }, 1]],
  },
  {
    name: 'linecard_processes',
    type: 'gauge',
    help: 'Processes that answered this scrape: as many as --workers says, unless one has ended or hangs.',
    labels: [],
    together: 'sum',
    read: () => one(1),
  },
  {
    name: 'linecard_database_up',
    type: 'gauge',
    help: 'Whether the database could be read for this scrape: 1 or 0.',
    labels: [],
    together: 'max',
    read: ({ imports }) => one(imports === undefined ? 0 : 1),
  },
  ofFeeds(
    'linecard_last_import_timestamp_seconds',
    'When the last import of a feed that was done was finished, in seconds since 1970; it survives restarts.',
    ({ finishedAt }) => finishedAt,
  ),
  {
    name: 'linecard_last_import_rows',
    type: 'gauge',
    help: 'Rows of that import: read, and of these inserted, updated, moved between accounts, unchanged; and removed.',
    labels: [...FEED, 'outcome'],
    together: 'max',
    read: ({ imports = [] }) =>
      imports.flatMap(({ labels, rows }) =>
        Object.entries(rows).map(([outcome, value]) => [{ ...labels, outcome }, value] as const),
      ),
  },
  ofFeeds(
    'linecard_import_failures',
    'Imports of a feed that were refused or failed since its last that was done.',
    ({ failures }) => failures,
  ),
  ofFeeds(
    'linecard_import_interval_seconds',
    'The usual time from one import of a feed that is done to the next, once there were three.',
    ({ intervalSeconds }) => intervalSeconds,
  ),
  {
    name: 'linecard_worker_tasks_waiting',
    type: 'gauge',
    help: 'Pages, facets and exports that wait for a worker thread.',
    labels: [],
    together: 'sum',
    read: ({ workers }) => one(workers.waiting),
  },
  {
    name: 'linecard_worker_tasks_running',
    type: 'gauge',
    help: 'Pages and facets that a worker thread works on.',
    labels: [],
    together: 'sum',
    read: ({ workers }) => one(workers.running),
  },
  {
    name: 'linecard_exports_open',
    type: 'gauge',
    help: 'Exports that are being streamed.',
    labels: [],
    together: 'sum',
    read: ({ workers }) => one(workers.exports),
  },
  {
    name: 'linecard_exports_broken_off_total',
    type: 'counter',
    help: 'Exports that did not come to their end: client (it left), token (not valid any more), time, fault.',
    labels: ['reason'],
    together: 'sum',
    read: ({ brokenExports }) => byName('reason', brokenExports),
  },
  {
    name: 'linecard_requests_waiting_for_change',
    type: 'gauge',
    help: 'Requests that wait until their account changes (Prefer: wait).',
    labels: [],
    together: 'sum',
    read: ({ waitingRequests }) => one(waitingRequests),
  },
  {
    name: 'linecard_connections_open',
    type: 'gauge',
    help: 'Connections of clients and proxies.',
    labels: [],
    together: 'sum',
    read: ({ connections }) => one(connections),
  },
  {
    name: 'linecard_connections_refused_total',
    type: 'counter',
    help: 'Connections that were refused: there were too many in all, or from their address.',
    labels: ['reason'],
    together: 'sum',
    read: ({ refusedConnections }) => byName('reason', refusedConnections),
  },
  {
    name: 'linecard_pipelined_requests_waiting',
    type: 'gauge',
    help: 'Requests that wait behind others on their connections.',
    labels: [],
    together: 'sum',
    read: ({ pipelinedRequests }) => one(pipelinedRequests),
  },
  {
    name: 'linecard_room_bytes',
    type: 'gauge',
    help: 'Memory that clients hold: bodies that arrive, and large answers that are not read yet.',
    labels: ['room'],
    together: 'sum',
    read: ({ rooms }) => rooms.map(({ room, bytes }) => [{ room }, bytes]),
  },
  {
    name: 'linecard_room_refusals_total',
    type: 'counter',
    help: 'Requests refused for want of that room: of their owner, an account or without one an address, or of all.',
    labels: ['room', 'reason'],
    together: 'sum',
    read: ({ rooms }) =>
      rooms.flatMap(({ room, refused }) =>
        Object.entries(refused).map(([reason, count]) => [{ room, reason }, count] as const),
      ),
  },
  cache('bytes', 'linecard_cache_bytes', 'Memory of cached values, as it is reckoned against its limit.'),
  cache('entries', 'linecard_cache_entries', 'Cached values.'),
  cache('hits', 'linecard_cache_hits_total', 'Requests that a cached value answered.'),
  cache('misses', 'linecard_cache_misses_total', 'Requests whose value was not cached, or not current.'),
  cache('evictions', 'linecard_cache_evictions_total', 'Values that were evicted to make room for others.'),
  {
    name: 'linecard_indexes_without_room_total',
    type: 'counter',
    help: 'Requests that looked through a list again because its index has no room beside those in demand (--indexes).',
    labels: [],
    together: 'sum',
    read: ({ indexesWithoutRoom }) => one(indexesWithoutRoom),
  },
  {
    name: 'linecard_tokens_refused_total',
    type: 'counter',
    help: 'Requests refused for their token: missing, malformed, or invalid (unknown, expired or revoked).',
    labels: ['reason'],
    together: 'sum',
    read: ({ refusedTokens }) => byName('reason', refusedTokens),
  },
  {
    name: 'linecard_row_guard_refusals_total',
    type: 'counter',
    help: 'Answers of the database that were dropped because they belonged to another statement; above 0 is a fault.',
    labels: [],
    together: 'sum',
    read: ({ rowGuard }) => one(rowGuard),
  },
  {
    name: 'linecard_database_reads_waiting',
    type: 'gauge',
    help: 'Reads of the request threads that wait for a connection to PostgreSQL.',
    labels: [],
    together: 'sum',
    read: ({ server }) => (server === undefined ? [] : one(server.waiting)),
  },
  {
    name: 'linecard_database_connections',
    type: 'gauge',
    help: 'Connections of the request threads to PostgreSQL, by state: busy or idle.',
    labels: ['state'],
    together: 'sum',
    read: ({ server }) =>
      server === undefined ? [] : byName('state', { busy: server.busy, idle: server.open - server.busy }),
  },
  {
    name: 'linecard_replica_healthy',
    type: 'gauge',
    help: 'Whether lists are read from a replica: 1 or 0; replicas are numbered as --replica-url names them.',
    labels: ['replica'],
    together: 'max',
    read: ({ server }) =>
      (server?.replicas ?? []).map(({ isHealthy }, i) => [{ replica: String(i + 1) }, isHealthy ? 1 : 0]),
  },
  {
    name: 'linecard_replica_lag_bytes',
    type: 'gauge',
    help: 'What a replica has not replayed of the log of the database; none while it does not answer.',
    labels: ['replica'],
    together: 'max',
    read: ({ server }) =>
      (server?.replicas ?? []).flatMap(({ lagBytes }, i) =>
        lagBytes === undefined ? [] : [[{ replica: String(i + 1) }, lagBytes] as const],
      ),
  },
  {
    name: 'linecard_log_lines_dropped_total',
    type: 'counter',
    help: 'Lines of the log that were dropped because nobody read standard error.',
    labels: [],
    together: 'sum',
    read: ({ droppedLogLines }) => one(droppedLogLines),
  },
];
