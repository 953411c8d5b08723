// What the metrics of a process are read from: the parts that count, and what is read once for a scrape.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Answers } from '../answers/answers.ts';
import type { ListIndexes } from '../answers/indexes.ts';
import { checkReadiness } from '../answers/readiness.ts';
import type { WorkerPool } from '../answers/threads/pool.ts';
import type { Authenticator } from '../http/authentication.ts';
import type { HttpCounts } from '../http/http.ts';
import type { Log } from '../log.ts';
import type { RunCounts } from '../store/imports/import-runs.ts';
import { type ImportState, importState, type LogSizes } from '../store/imports/import-state.ts';
import type { ServerFigures, Store } from '../store/store.ts';
import type { WebhookState } from '../store/webhooks/webhook-state.ts';

export interface CountingParts {
  readonly store: Store;
  readonly answers: Answers;
  readonly indexes: ListIndexes;
  readonly workers: WorkerPool;
  readonly authenticator: Authenticator;
  readonly app: HttpCounts;
  readonly log: Log;
  /** The file of the certificate that is served. */
  readonly certificate?: string | undefined;
}

/** What a scrape reads: the parts, and what is looked up once for all metrics. */
export interface Scraped extends CountingParts {
  /** The imports of each feed; `undefined` where the database cannot be read. */
  readonly feeds: readonly FeedMetrics[] | undefined;
  /** Whether what requests read can be read. */
  readonly isUp: boolean;
  /** The size of the log of each list; `undefined` where it cannot be read. */
  readonly logs: LogSizes | undefined;
  /** How many tokens end soon; `undefined` where that cannot be read. */
  readonly endingTokens: number | undefined;
  /** A database on a server; `undefined` for a file. */
  readonly server: ServerFigures | undefined;
  readonly webhooks?: WebhookFigures;
  /** How often callers were refused, by reason. */
  readonly refused?: Readonly<Record<string, number>>;
}

/** Of a process that delivers webhooks. */
export interface WebhookFigures {
  /** Since the start, by outcome. */
  readonly attempts: Readonly<Record<string, number>>;
  /** `undefined` where the database cannot be read. */
  readonly state: WebhookState | undefined;
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
/** How long a scrape waits for what is read on a worker thread, and how long that may take. */
const WAIT_MILLISECONDS = 1_000;
const READ_MILLISECONDS = 60_000;

/** Reads the state of imports; if the worker threads are busy, it is the one that was read last. */
function stateReader(workers: CountingParts['workers']): () => Promise<ImportState | undefined> {
  let state: ImportState | undefined;
  let inFlight: Promise<void> | undefined;
  const end = (read: ImportState | undefined) => {
    state = read;
    inFlight = undefined;
  };
  return async () => {
    inFlight ??= workers.importState(READ_MILLISECONDS).then(end, () => end(undefined));
    await Promise.race([inFlight, sleep(WAIT_MILLISECONDS, undefined, { ref: false })]);
    return state;
  };
}

function rowsOf({ rows: read, left_out, inserted, updated, moved, unchanged, removed }: RunCounts) {
  return { read, left_out, inserted, updated, moved, unchanged, removed };
}

function feedMetrics({ feeds, older }: ImportState): FeedMetrics[] {
  const known = new Set(older.map(({ list, origin, mode }) => `${list},${origin},${mode}`));
  const recorded = feeds.filter(({ list, feed, mode }) => !known.has(`${list},${feed},${mode}`));
  return [
    ...recorded.map(({ list, feed, mode, done, failures, intervalMs }) => ({
      labels: { list, feed, mode },
      finishedAt: done?.ended_at ? Date.parse(done.ended_at) / SECOND : undefined,
      rows: done === undefined ? {} : rowsOf(done),
      failures,
      intervalSeconds: intervalMs && intervalMs / SECOND,
    })),
    ...older.map((one) => ({
      labels: { list: one.list, feed: one.origin, mode: one.mode },
      finishedAt: Date.parse(one.finished_at) / SECOND,
      rows: rowsOf(one),
      failures: 0,
      intervalSeconds: undefined,
    })),
  ];
}

/** What it returns never fails: a database that is down is what the metrics are wanted for. */
export function scraperOf(parts: CountingParts): () => Promise<Scraped> {
  const { store, workers } = parts;
  const orNothing = <T>(read: Promise<T>) => read.catch(() => undefined);
  // The embedded store would hold this thread.
  const readState = store.isRemote ? () => orNothing(importState(store)) : stateReader(workers);
  return async () => {
    const [imports, isUp = false] = await Promise.all([
      readState(),
      orNothing(checkReadiness(store).then(() => true)),
    ]);
    const feeds = imports && feedMetrics(imports);
    const { logs, endingTokens } = imports ?? {};
    return { ...parts, feeds, logs, endingTokens, isUp, server: store.figures?.() };
  };
}
