// What the metrics of a process are read from: the parts that count, and what is read once for a scrape.

import type { Answers } from '../answers/answers.ts';
import type { ListIndexes } from '../answers/indexes.ts';
import { checkReadiness } from '../answers/readiness.ts';
import type { WorkerPool } from '../answers/threads/pool.ts';
import type { Authenticator } from '../http/authentication.ts';
import type { HttpCounts } from '../http/http.ts';
import type { Log } from '../log.ts';
import { lastImports } from '../store/audit-reading.ts';
import { readLogSizes } from '../store/change-log.ts';
import { feedStates, type RunCounts } from '../store/import-runs.ts';
import type { ServerFigures, Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';

/** The parts of a process that count. */
export interface CountingParts {
  readonly store: Store;
  readonly answers: Answers;
  readonly indexes: ListIndexes;
  readonly workers: WorkerPool;
  readonly authenticator: Authenticator;
  readonly app: HttpCounts;
  readonly log: Log;
}

/** What a scrape reads: the parts, and what is looked up once for all metrics. */
export interface Scraped extends CountingParts {
  /** The imports of each feed; `undefined` where the database cannot be read. */
  readonly feeds: readonly FeedMetrics[] | undefined;
  /** Whether what requests read can be read. */
  readonly isUp: boolean;
  /** The size of the log of each list; `undefined` where it cannot be read. */
  readonly logs: LogSizes | undefined;
  /** A database on a server; `undefined` for a file. */
  readonly server: ServerFigures | undefined;
}

/** What became of the imports of a feed in one mode. */
export interface FeedMetrics {
  readonly labels: Readonly<Record<'list' | 'feed' | 'mode', string>>;
  /** When the last that was done was finished, in seconds since 1970, and its rows; absent where none was. */
  readonly finishedAt: number | undefined;
  readonly rows: Readonly<Record<string, number>>;
  readonly failures: number;
  readonly intervalSeconds: number | undefined;
}

const SECOND = 1_000;
const LISTS = Object.values(tables).map(({ list }) => list.name);

function rowsOf({ rows: read, inserted, updated, moved, unchanged, removed }: RunCounts) {
  return { read, inserted, updated, moved, unchanged, removed };
}

async function feedMetrics(store: Store): Promise<FeedMetrics[]> {
  const feeds = (await feedStates(store)).map(({ list, feed, mode, done, failures, intervalMs }) => ({
    labels: { list, feed, mode },
    finishedAt: done?.ended_at ? Date.parse(done.ended_at) / SECOND : undefined,
    rows: done === undefined ? {} : rowsOf(done),
    failures,
    intervalSeconds: intervalMs && intervalMs / SECOND,
  }));
  // What was imported before runs were recorded.
  const missing = LISTS.filter(
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

type LogSizes = Awaited<ReturnType<typeof readLogSizes>>;

/** The sums are over all accounts: they may take a thousandth of the time, and no more. */
const MAX_SHARE = 0.001;
const FAST_MILLISECONDS = 5;
const cachedSizes = new WeakMap<Store, { readonly sizes: LogSizes; readonly until: number }>();

async function logSizes(store: Store): Promise<LogSizes> {
  const cached = cachedSizes.get(store);
  const start = performance.now();
  if (cached !== undefined && start < cached.until) return cached.sizes;
  const sizes = await readLogSizes(store);
  const took = performance.now() - start;
  if (took > FAST_MILLISECONDS) cachedSizes.set(store, { sizes, until: start + took / MAX_SHARE });
  return sizes;
}

/** Never fails: a database that is down is what the metrics are wanted for. */
export async function scrape(parts: CountingParts): Promise<Scraped> {
  const { store } = parts;
  const orNothing = <T>(read: Promise<T>) => read.catch(() => undefined);
  const [feeds, logs, isUp = false] = await Promise.all([
    orNothing(feedMetrics(store)),
    store.showsOneAccount ? undefined : orNothing(logSizes(store)),
    orNothing(checkReadiness(store).then(() => true)),
  ]);
  return { ...parts, feeds, logs, isUp, server: store.figures?.() };
}
