// The table of all gauges and counters: docs/generated/metrics.md, the dashboard and the alert rules are
// checked against it.
//
// No account, token or address is ever a label: there would be a series for each customer, and a reader of
// the metrics would see who they are.

import { certificateEnd } from '../http/tls.ts';
import { ForeignRows } from '../store/store-errors.ts';
import { commit, VERSION } from '../version.ts';
import { byName, cache, FEED, ofFeeds, type Row, refusals, type Values } from './rows.ts';
import type { Scraped } from './scrape.ts';

/** `doctor` reads it from a running service. */
export const FORWARDS_METRIC = 'linecard_untrusted_forwards_total';

const ROWS: readonly Row[] = [
  {
    name: 'linecard_build_info',
    help: 'Always 1; the labels say which version and commit run, on which Node.js and which kind of database.',
    labels: ['version', 'commit', 'node_version', 'database'],
    together: 'max',
    read: ({ store }) => [
      [
        { version: VERSION, commit: commit(), node_version: process.version, database: store.dialect.name },
        1,
      ],
    ],
  },
  {
    name: 'linecard_processes',
    help: 'Processes that answered this scrape: as many as --workers says, unless one has ended or hangs.',
    read: () => 1,
  },
  {
    name: 'linecard_database_up',
    help: 'Whether this scrape could read what requests read, a token and each list: 1 or 0.',
    together: 'max',
    read: ({ isUp }) => (isUp ? 1 : 0),
  },
  ofFeeds(
    'linecard_last_import_timestamp_seconds',
    'When the last successful import of a feed ended, in seconds since 1970; it survives restarts.',
    ({ finishedAt }) => finishedAt,
  ),
  {
    name: 'linecard_last_import_rows',
    help: 'Rows of that import: read, and of these inserted, updated, moved between accounts, unchanged; removed; and left out by a mapping.',
    labels: [...FEED, 'outcome'],
    together: 'max',
    read: ({ feeds = [] }) => feeds.flatMap(({ labels, rows }) => byName('outcome', rows, labels)),
  },
  ofFeeds(
    'linecard_import_failures',
    'Imports of a feed that were refused or failed since its last successful one.',
    ({ failures }) => failures,
  ),
  ofFeeds(
    'linecard_import_interval_seconds',
    'The usual time from one import of a feed that is done to the next, once there were three.',
    ({ intervalSeconds }) => intervalSeconds,
  ),
  {
    name: 'linecard_change_log_entries',
    help: 'Entries of the log of changes of a list; none with row security, which shows one account at a time.',
    labels: ['list'],
    together: 'max',
    read: ({ logs = [] }) => logs.map(({ list, entries }) => [{ list }, entries]),
  },
  {
    name: 'linecard_worker_tasks_waiting',
    help: 'Pages, facets and exports that wait for a worker thread.',
    read: ({ workers }) => workers.statistics.waiting,
  },
  {
    name: 'linecard_worker_tasks_running',
    help: 'Pages and facets that a worker thread works on.',
    read: ({ workers }) => workers.statistics.running,
  },
  {
    name: 'linecard_exports_open',
    help: 'Exports that are being streamed.',
    read: ({ workers }) => workers.statistics.exports,
  },
  {
    name: 'linecard_exports_broken_off_total',
    help: 'Exports that did not complete, by reason: client (disconnected), token (no longer valid), store (the database was replaced), time (the limit), stopping (of the service), fault.',
    labels: ['reason'],
    read: ({ app }) => byName('reason', app.exportLimits.aborted),
  },
  {
    name: 'linecard_requests_waiting_for_change',
    help: 'Requests that wait until their account changes (Prefer: wait).',
    read: ({ app }) => app.waiting.count,
  },
  {
    name: 'linecard_connections_open',
    help: 'Connections of clients and proxies.',
    read: ({ app }) => app.connections.open,
  },
  {
    name: 'linecard_connections_refused_total',
    help: 'Connections that were refused: there were too many in all, or from their address.',
    labels: ['reason'],
    read: ({ app }) => byName('reason', refusals('address', app.connections)),
  },
  {
    name: FORWARDS_METRIC,
    help: 'Requests whose client is named by a peer that --trust-proxy does not name, or in Forwarded: they count as of the peer.',
    read: ({ app }) => app.untrustedForwards.count,
  },
  {
    name: 'linecard_pipelined_requests_waiting',
    help: 'Requests that wait for earlier ones on their connections.',
    read: ({ app }) => app.pipelined.count,
  },
  {
    name: 'linecard_room_bytes',
    help: 'Memory that clients hold: bodies that arrive, and large answers that are not read yet.',
    labels: ['room'],
    read: ({ app }) => byName('room', { bodies: app.heldBodies.inUse, answers: app.heldAnswers.inUse }),
  },
  {
    name: 'linecard_room_refusals_total',
    help: 'Requests refused because this memory is used up: by their owner (an account, or without one an address), by their token, or by all.',
    labels: ['room', 'reason'],
    read: ({ app }) =>
      Object.entries({ bodies: app.heldBodies, answers: app.heldAnswers }).flatMap(([room, limit]) =>
        byName('reason', refusals('owner', limit, 'token'), { room }),
      ),
  },
  cache('bytes', 'linecard_cache_bytes', 'Memory of cached values, as it is counted against its limit.'),
  cache('entries', 'linecard_cache_entries', 'Cached values.'),
  cache('hits', 'linecard_cache_hits_total', 'Requests that a cached value answered.'),
  cache('misses', 'linecard_cache_misses_total', 'Requests whose value was not cached, or not current.'),
  cache('evictions', 'linecard_cache_evictions_total', 'Values that were evicted for others.'),
  {
    name: 'linecard_indexes_without_room_total',
    help: 'Requests that scanned a list again because its index does not fit next to those in demand (--indexes).',
    read: ({ indexes }) => indexes.rejected,
  },
  {
    name: 'linecard_tokens_refused_total',
    help: 'Requests refused for their token or what it is limited to, by the reason that their line of the log has: token_… (missing, malformed, unknown, revoked, expired), account_disabled, address, list, charges, reach, account_header, origin, and jwt_… for the check that an access token fails.',
    labels: ['reason'],
    read: ({ refused = {} }) => byName('reason', refused),
  },
  {
    name: 'linecard_tokens_ending',
    help: 'Tokens of customers that end within 14 days; none with row security, which shows one account at a time.',
    together: 'max',
    read: ({ endingTokens }) => endingTokens ?? [],
  },
  {
    name: 'linecard_jwt_total',
    help: 'Access tokens of the identity provider that were checked, by outcome: accepted, the check that failed, account (unknown or disabled), or unavailable (no keys yet). One that is cached is not checked again.',
    labels: ['outcome'],
    read: ({ authenticator: { jwts } }) => (jwts === undefined ? [] : byName('outcome', jwts.outcomes)),
  },
  {
    name: 'linecard_jwks_age_seconds',
    help: 'How long ago the keys of the identity provider were fetched; none before the first time.',
    together: 'max',
    read: ({ authenticator: { jwts } }) => jwts?.keysAgeSeconds ?? [],
  },
  {
    name: 'linecard_certificate_expires_timestamp_seconds',
    help: 'When the certificate of --tls-cert expires, in seconds since 1970; none without one.',
    together: 'max',
    read: ({ certificate }) => certificateEnd(certificate) ?? [],
  },
  {
    name: 'linecard_row_guard_refusals_total',
    help: 'Answers of the database that were dropped because they belonged to another statement; above 0 is a fault.',
    read: () => ForeignRows.count,
  },
  {
    name: 'linecard_database_reads_waiting',
    help: 'Reads of the request threads that wait for a connection to PostgreSQL.',
    read: ({ server }) => server?.waiting ?? [],
  },
  {
    name: 'linecard_database_connections',
    help: 'Connections of the request threads to PostgreSQL, by state: busy or idle.',
    labels: ['state'],
    read: ({ server }) =>
      server === undefined ? [] : byName('state', { busy: server.busy, idle: server.open - server.busy }),
  },
  {
    name: 'linecard_replica_healthy',
    help: 'Whether lists are read from a replica: 1 or 0; replicas are numbered as --replica-url names them.',
    labels: ['replica'],
    together: 'max',
    read: ({ server }) =>
      (server?.replicas ?? []).map(({ isHealthy }, i) => [{ replica: String(i + 1) }, isHealthy ? 1 : 0]),
  },
  {
    name: 'linecard_replica_lag_bytes',
    help: 'What a replica has not replayed of the log of the database; none while it does not answer.',
    labels: ['replica'],
    together: 'max',
    read: ({ server }) =>
      (server?.replicas ?? []).flatMap(({ lagBytes }, i) =>
        lagBytes === undefined ? [] : [[{ replica: String(i + 1) }, lagBytes] as const],
      ),
  },
  {
    name: 'linecard_webhook_attempts_total',
    help: 'Attempts to deliver webhooks, by outcome: delivered, refused (answered with another status than 2xx) or failed (no answer).',
    labels: ['outcome'],
    read: ({ webhooks }) => (webhooks === undefined ? [] : byName('outcome', webhooks.attempts)),
  },
  {
    name: 'linecard_webhooks',
    help: 'Webhooks by status: active, paused or disabled; none where nothing is delivered.',
    labels: ['status'],
    together: 'max',
    read: ({ webhooks }) => (webhooks?.state === undefined ? [] : byName('status', webhooks.state.byStatus)),
  },
  {
    name: 'linecard_webhook_oldest_pending_seconds',
    help: 'How long ago the oldest change was committed that an active webhook has not been sent; 0 without any.',
    together: 'max',
    read: ({ webhooks }) => webhooks?.state?.oldestPendingSeconds ?? [],
  },
  {
    name: 'linecard_log_lines_dropped_total',
    help: 'Lines of the log that were dropped because nobody read standard error.',
    read: ({ log }) => log.dropped(),
  },
];

export interface Definition extends Required<Omit<Row, 'read'>> {
  readonly type: 'counter' | 'gauge';
  readonly read: (scraped: Scraped) => Values;
}

export const definitions: readonly Definition[] = ROWS.map(({ read, ...row }) => ({
  labels: [],
  together: 'sum',
  ...row,
  type: row.name.endsWith('_total') ? 'counter' : 'gauge',
  read(scraped) {
    const values = read(scraped);
    return typeof values === 'number' ? [[{}, values]] : values;
  },
}));
