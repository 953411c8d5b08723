// `linecard-server serve`: opens the store, starts the HTTP server, and stops both gracefully.

import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import { Answers } from '../answers/answers.ts';
import { Declarations } from '../answers/declarations.ts';
import type { EngineSettings } from '../answers/engine.ts';
import { ListIndexes } from '../answers/indexes.ts';
import { checkReadiness } from '../answers/readiness.ts';
import { RevisionWatch } from '../answers/revision-watch.ts';
import { WorkerPool } from '../answers/threads/pool.ts';
import { Authenticator } from '../http/authentication.ts';
import { brandOf } from '../http/brand.ts';
import { httpServer } from '../http/http.ts';
import { Jwts } from '../http/jwt/jwt.ts';
import { followCertificate, readCertificate } from '../http/tls.ts';
import { type Answered, type Log, makeLog } from '../log.ts';
import type { CountingParts } from '../metrics/scrape.ts';
import { NO_CURRENCY } from '../settings/money.ts';
import type { Settings } from '../settings/settings.ts';
import { cursorKey } from '../store/deployment.ts';
import type { Declared } from '../store/lists/own-fields.ts';
import { openStore } from '../store/open.ts';
import type { ReplicaChange, Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import type { SERVE } from './command.ts';
import type { RunningDeliverer } from './deliver.ts';
import { identityOf } from './identity.ts';
import { certificateFiles, listenOptions, shareSocket, urlOf } from './listening.ts';
import { startMetrics } from './metrics.ts';
import type { Membership } from './processes.ts';
import { stopOnSignals } from './signals.ts';
import { storeOptions } from './store-options.ts';
import { writeUsesRegularly } from './token-uses.ts';
import { startTraces, type Traces } from './traces.ts';

const SHUTDOWN_MILLISECONDS = 10_000;
const WORKER_THREADS = Math.max(2, Math.min(4, availableParallelism() - 1));
const BYTES_PER_MEBIBYTE = 1_048_576;
/** Each list has one of pages and one of facets. */
const CACHES = 2 * Object.values(tables).length;

type ServeSettings = Pick<Settings, (typeof SERVE)[number]>;

interface Engine {
  readonly store: Store;
  readonly answers: Answers;
  readonly indexes: ListIndexes;
  readonly workers: WorkerPool;
  readonly declared: () => Declared;
  readonly watch: RevisionWatch;
  openForTokenUses(): Promise<Store>;
}

function logReplica(logger: Logger, { replica, reason }: ReplicaChange): void {
  if (reason === undefined) logger.info({ replica }, 'the replica is healthy: lists are read from it');
  else logger.warn({ replica, reason }, 'the replica is out of rotation: lists are read elsewhere');
}

/**
 * Opens the store and starts what reads from it: indexes, worker pool, caches.
 * @param opened collects what has to be closed.
 */
async function openEngine(
  settings: ServeSettings,
  logger: Logger,
  opened: AsyncDisposableStack,
): Promise<Engine> {
  const { database_url, database_timeout, workers: processes } = settings;
  const { quick, slow } = storeOptions(settings, (change) => logReplica(logger, change));
  const store = await openStore(database_url, 'read', quick);
  opened.defer(() => store.close());
  const engine: EngineSettings = {
    cursorKey: await cursorKey(store),
    address: settings.public_url ?? settings.base_path,
    currency: settings.currency === NO_CURRENCY ? null : (settings.currency ?? null),
    billingMonths: settings.billing_months,
  };
  const pool = { databaseUrl: database_url, threads: WORKER_THREADS, store: slow };
  const workers = new WorkerPool({ ...engine, ...pool });
  opened.defer(() => workers.close());
  const failed = (what: string) => (err: unknown) => logger.warn({ err }, `could not ${what}`);
  const indexes = new ListIndexes(workers, {
    maxBytes: (settings.indexes * BYTES_PER_MEBIBYTE) / processes,
    onFailure: failed('build the index of a list; continuing without it'),
  });
  const watch = new RevisionWatch(store);
  const declarations = await Declarations.open(store, {
    onChange: () => watch.wake(),
    onFailure: failed('read which fields are declared; continuing with those known'),
  });
  opened.defer(() => declarations.close());
  return {
    store,
    declared: () => declarations.known,
    watch,
    answers: new Answers({
      ...engine,
      store,
      indexes,
      workers,
      deadlineMs: store.isRemote ? database_timeout : undefined,
      cacheBytes: (settings.cache * BYTES_PER_MEBIBYTE) / CACHES / processes,
    }),
    indexes,
    workers,
    openForTokenUses() {
      // Throws if the database was replaced: the uses belong to the old one.
      store.state?.();
      return openStore(database_url, 'note', slow);
    },
  };
}

function httpSettings(settings: ServeSettings) {
  return {
    basePath: settings.base_path,
    brand: brandOf(settings),
    maxPageSize: settings.max_page_size,
    corsOrigins: settings.cors_origin,
    frameAncestors: settings.frame_ancestors,
    rateLimit: settings.rate_limit,
    publicUrl: settings.public_url,
    hasAgents: !settings.no_mcp,
    trustProxy: settings.trust_proxy,
    keepAliveMs: settings.keep_alive * 1_000,
    drainMs: settings.drain,
    isLocal: settings.socket !== undefined,
  };
}

function traced(log: Log, traces: Traces): (answered: Answered) => void {
  return (answered) => log.answered({ ...answered, traceparent: traces.answered(answered) });
}

/** What a service has in addition to its own parts: the primary process, or a deliverer. */
interface Others {
  readonly member: Membership | undefined;
  readonly deliverer: RunningDeliverer | undefined;
}

/**
 * Serves metrics, or reports them to the primary if there are several processes.
 * @param onAnswered is given what is to be called with every request that is over.
 * @returns what ends it.
 */
async function answerMetrics(
  settings: ServeSettings,
  parts: CountingParts & { readonly log: Log },
  { member, deliverer }: Others,
  onAnswered: (call: (answered: Answered) => void) => void,
): Promise<(() => Promise<void>) | undefined> {
  if (settings.metrics_port === undefined) return undefined;
  const { collectorOf } = await import('../metrics/metrics.ts');
  const collect = collectorOf(parts, onAnswered);
  if (member !== undefined) {
    member.onScrape(collect);
    return undefined;
  }
  const listener = await startMetrics(settings, parts.log.logger, async () => [
    await collect(),
    ...(deliverer === undefined ? [] : [await deliverer.metrics()]),
  ]);
  return listener && (() => listener.close());
}

/** Starts the service and returns its URL. `opened` collects what has to be closed, in reverse order. */
async function start(
  settings: ServeSettings,
  log: Log,
  opened: AsyncDisposableStack,
  others: Others,
): Promise<string> {
  const { logger } = log;
  const files = certificateFiles(settings);
  const tls = files && readCertificate(files);
  const engine = await openEngine(settings, logger, opened);
  const identity = identityOf(settings);
  const jwts = identity && (await Jwts.open(identity, { logger }));
  opened.defer(() => jwts?.close());
  const authenticator = new Authenticator(engine.store, settings.cache > 0, jwts);
  for (const uses of [authenticator.uses, authenticator.readings])
    opened.defer(writeUsesRegularly(uses, () => engine.openForTokenUses(), logger));
  const traces = await startTraces(logger);
  opened.defer(async () => traces?.close());
  const logAnswered = traces === undefined ? log.answered : traced(log, traces);
  let onAnswered = logAnswered;
  const app = await httpServer({
    ...httpSettings(settings),
    tls,
    answers: engine.answers,
    authenticator,
    declared: engine.declared,
    watch: engine.watch,
    logger,
    onAnswered: (answered) => onAnswered(answered),
    peers: others.member,
    protectedResource: identity,
    ready: () => checkReadiness(engine.store),
  });
  const parts = { ...engine, authenticator, app, log, certificate: files?.cert };
  const closeMetrics = await answerMetrics(settings, parts, others, (count) => {
    onAnswered = (answered) => {
      count(answered);
      logAnswered(answered);
    };
  });
  opened.defer(async () => closeMetrics?.());
  opened.defer(() => app.close());
  await app.listen(listenOptions(settings));
  shareSocket(settings);
  if (files !== undefined) opened.defer(followCertificate(app.server, files, logger));
  return urlOf(app.server.address(), files !== undefined) + settings.base_path;
}

/**
 * Starts the service. On SIGTERM and SIGINT readiness fails first, requests in flight are completed, and the
 * process exits within 10 seconds after the drain. One of several processes stops when the primary says so.
 * If the service cannot start, everything opened is closed, so that the process can exit.
 * @returns its URL.
 */
export async function serve(
  settings: ServeSettings,
  member?: Membership,
  deliverer?: RunningDeliverer,
): Promise<string> {
  const log = await makeLog(settings);
  const opened = new AsyncDisposableStack();
  let url: string;
  try {
    url = await start(settings, log, opened, { member, deliverer });
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
  const stop = stopOnSignals(
    { logger: log.logger, delay: settings.drain + SHUTDOWN_MILLISECONDS, isMember: member !== undefined },
    () => Promise.all([opened.disposeAsync(), deliverer?.stop()]),
  );
  member?.onStop(stop);
  return url;
}
