// The metrics of `serve`: what they are made of in a process, and where they are scraped. Nothing of them
// is loaded where no port is set.

import type { Answers } from '../answers/answers.ts';
import type { ListIndexes } from '../answers/indexes.ts';
import type { WorkerPool } from '../answers/threads/pool.ts';
import type { Authenticator } from '../http/authentication.ts';
import type { HttpCounts } from '../http/http.ts';
import type { Semaphore } from '../limits/semaphore.ts';
import type { Log } from '../log.ts';
import type { CacheFigures, FeedFigures, Sources } from '../metrics/figures.ts';
import type { MetricsListener } from '../metrics/listener.ts';
import type { MetricData } from '../metrics/metrics.ts';
import type { Settings } from '../settings/settings.ts';
import { lastImports } from '../store/audit-reading.ts';
import { feedStates, type RunCounts } from '../store/import-runs.ts';
import type { Store } from '../store/store.ts';
import { ForeignRows } from '../store/store-errors.ts';
import { tables } from '../store/tables.ts';
import { VERSION } from '../version.ts';

export type MetricsSettings = Pick<Settings, 'metrics_host' | 'metrics_port'>;

/** A part of a process that counts. */
export interface CountingParts {
  readonly store: Store;
  readonly answers: Answers;
  readonly indexes: ListIndexes;
  readonly workers: WorkerPool;
  readonly authenticator: Authenticator;
  readonly app: HttpCounts;
  readonly log: Log;
}

const SECOND = 1_000;

function cachesOf({ answers, indexes }: CountingParts): CacheFigures[] {
  return [...answers.figures, { cache: 'indexes', list: '', ...indexes.figures }];
}

function rowsOf({ rows: read, inserted, updated, moved, unchanged, removed }: RunCounts) {
  return { read, inserted, updated, moved, unchanged, removed };
}

async function importsOf(store: Store): Promise<FeedFigures[]> {
  const feeds = (await feedStates(store)).map(({ list, feed, mode, done, failures, intervalMs }) => ({
    labels: { list, feed, mode },
    finishedAt: done?.ended_at ? Date.parse(done.ended_at) / SECOND : undefined,
    rows: done === undefined ? {} : rowsOf(done),
    failures,
    intervalSeconds: intervalMs && intervalMs / SECOND,
  }));
  // What was imported before runs were recorded.
  const names = Object.values(tables).map(({ list }) => list.name);
  const missing = names.filter(
    (name) => !feeds.some(({ labels, finishedAt }) => labels.list === name && finishedAt),
  );
  const older = (await lastImports(store, missing)).map((one) => ({
    labels: { list: one.list, feed: one.origin, mode: one.mode },
    finishedAt: Date.parse(one.finished_at) / SECOND,
    rows: rowsOf(one),
    failures: 0,
    intervalSeconds: undefined,
  }));
  const known = new Set(older.map(({ labels }) => Object.values(labels).join()));
  return [...feeds.filter(({ labels }) => !known.has(Object.values(labels).join())), ...older];
}

/** What a limit has refused, as the metrics name the reasons. */
function byReason(each: string, { refused }: Pick<Semaphore, 'refused'>): Record<string, number> {
  return { [each]: refused.each, all: refused.total };
}

function sourcesOf(parts: CountingParts, onAnswered: Sources['onAnswered']): Sources {
  const { store, indexes, workers, authenticator, app, log } = parts;
  return {
    onAnswered,
    async figures() {
      return {
        version: VERSION,
        database: store.dialect.name,
        caches: cachesOf(parts),
        indexesWithoutRoom: indexes.withoutRoom,
        workers: workers.figures,
        server: store.figures?.(),
        refusedTokens: authenticator.refused,
        brokenExports: app.exportLimits.broken,
        rowGuard: ForeignRows.count,
        waitingRequests: app.waiting.count,
        connections: app.connections.open,
        refusedConnections: byReason('address', app.connections),
        pipelinedRequests: app.pipelined.count,
        rooms: [
          { room: 'bodies', bytes: app.heldBodies.inUse, refused: byReason('owner', app.heldBodies) },
          { room: 'answers', bytes: app.heldAnswers.inUse, refused: byReason('owner', app.heldAnswers) },
        ],
        droppedLogLines: log.dropped(),
        // A database that is down is what the metrics are wanted for.
        imports: await importsOf(store).catch(() => undefined),
      };
    },
  };
}

/**
 * How the metrics of this process are collected; `undefined` where nobody wants them. `onAnswered` is given
 * what is to be called with every request that is over.
 */
export async function processMetrics(
  { metrics_port }: MetricsSettings,
  parts: CountingParts,
  onAnswered: Sources['onAnswered'],
): Promise<(() => Promise<MetricData[]>) | undefined> {
  if (metrics_port === undefined) return undefined;
  const { ProcessMetrics } = await import('../metrics/metrics.ts');
  const metrics = new ProcessMetrics(sourcesOf(parts, onAnswered));
  return () => metrics.collect();
}

/**
 * Answers with what `collect` gives for each process; `undefined` where nobody wants it.
 * @throws the error of listening.
 */
export async function startMetrics(
  { metrics_host: host, metrics_port: port }: MetricsSettings,
  logger: Log['logger'],
  collect: () => Promise<readonly (readonly MetricData[])[]>,
): Promise<MetricsListener | undefined> {
  if (port === undefined) return undefined;
  const { metricsText } = await import('../metrics/metrics.ts');
  const { listenForMetrics } = await import('../metrics/listener.ts');
  const listener = await listenForMetrics(
    { host, port },
    async () => metricsText(await collect()),
    (err) => logger.error({ err }, 'the metrics could not be collected'),
  );
  logger.info({ url: listener.url }, 'metrics are answered');
  return listener;
}
