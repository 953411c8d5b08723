// `serve`: opens the store, starts the HTTP server on it, and closes both tidily.

import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import { Authenticator } from '../http/authentication.ts';
import { httpServer } from '../http/http.ts';
import { AccountReader } from '../lists/account.ts';
import { ListIndexes } from '../lists/indexes.ts';
import { ListReader, type ListReaderOptions } from '../lists/reader.ts';
import { RevisionWatch } from '../lists/revision-watch.ts';
import { type LogSettings, makeLogger } from '../log.ts';
import { NO_CURRENCY } from '../setting-kinds.ts';
import type { Settings } from '../settings.ts';
import { cursorKey } from '../store/deployment.ts';
import { openStore } from '../store/open.ts';
import { type ReplicaChange, type Store, StoreUnavailable } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { WorkerPool } from '../threads/pool.ts';
import type { Membership } from './processes.ts';
import { stopOnSignals } from './signals.ts';
import { type StoreSettings, storeOptions } from './store-options.ts';

const NOTE_USE_MILLISECONDS = 30_000;
const SHUTDOWN_MILLISECONDS = 10_000;
/** Threads of the worker pool, started when there is work for them. */
const WORKER_THREADS = Math.max(2, Math.min(4, availableParallelism() - 1));
const MILLISECONDS_A_MINUTE = 60_000;
const BYTES_A_MEBIBYTE = 1_048_576;
const TABLES = Object.values(tables);
/** Each list has two: of pages and of facets. */
const CACHES = 2 * TABLES.length;

export type ServeSettings = StoreSettings &
  LogSettings &
  Pick<
    Settings,
    | 'base_path'
    | 'database_url'
    | 'host'
    | 'port'
    | 'max_page_size'
    | 'cors_origin'
    | 'rate_limit'
    | 'failure_limit'
    | 'trust_proxy'
    | 'exports'
    | 'export_minutes'
    | 'currency'
    | 'cache'
    | 'indexes'
  >;

/** What answers requests, beside the HTTP server. */
interface Engine {
  readonly store: Store;
  readonly readers: readonly ListReader[];
  readonly account: AccountReader;
  /** Another store, to note the use of tokens in. */
  openForNotes(): Promise<Store>;
  close(): Promise<void>;
}

function logReplica(logger: Logger, { replica, reason }: ReplicaChange): void {
  if (reason === undefined) logger.info({ replica }, 'the replica is healthy: lists are read from it');
  else logger.warn({ replica, reason }, 'the replica is out of rotation: lists are read elsewhere');
}

/** Where the service listens, as a URL that a person can open. */
function urlOf({ address, family, port }: AddressInfo): string {
  const anywhere = address === '0.0.0.0' || address === '::';
  const host = anywhere ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}

/** Opens the store and starts what reads lists from it: indexes, worker pool, caches. */
async function openEngine(settings: ServeSettings, logger: Logger): Promise<Engine> {
  const { database_url, database_timeout, workers: processes } = settings;
  const { quick, slow } = storeOptions(settings, (change) => logReplica(logger, change));
  const store = await openStore(database_url, 'read', quick);
  const key = await cursorKey(store);
  const workers = new WorkerPool(database_url, key, WORKER_THREADS, slow, settings.exports);
  const indexes = new ListIndexes(workers, {
    maxBytes: (settings.indexes * BYTES_A_MEBIBYTE) / processes,
    onFailure: (error) =>
      logger.warn({ err: error }, 'could not build the index of a list; answering without it'),
  });
  const options: ListReaderOptions = {
    store,
    cursorKey: key,
    indexes,
    workers,
    deadlineMs: store.needsDeadline ? database_timeout : undefined,
    cacheBytes: (settings.cache * BYTES_A_MEBIBYTE) / CACHES / processes,
    currency: settings.currency === NO_CURRENCY ? undefined : settings.currency,
  };
  return {
    store,
    readers: TABLES.map((table) => new ListReader(table, options)),
    account: new AccountReader(options),
    openForNotes: () => openStore(database_url, 'note', slow),
    async close() {
      await workers.close();
      await store.close();
    },
  };
}

/**
 * Notes the last use of tokens every now and then, through a store that is open only as long as that takes.
 */
function noteUseRegularly(authenticator: Authenticator, engine: Engine, logger: Logger) {
  const note = async () => {
    if (!authenticator.hasUse) return;
    try {
      // Where the database was replaced, these are tokens of another.
      engine.store.state?.();
      const store = await engine.openForNotes();
      try {
        await authenticator.noteUse(store);
      } finally {
        await store.close();
      }
    } catch (error) {
      const level = error instanceof StoreUnavailable ? 'debug' : 'warn';
      logger[level]({ err: error }, 'could not note the last use of tokens; will try again');
    }
  };
  const timer = setInterval(() => void note(), NOTE_USE_MILLISECONDS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await note();
  };
}

/**
 * Starts the service on a schema that is up to date, and stops it on SIGTERM and SIGINT: readiness fails
 * first, requests in flight are answered, and the process ends within ten seconds. One of several stops when
 * the first says so.
 * @returns its URL.
 */
export async function serve(settings: ServeSettings, member?: Membership): Promise<string> {
  const logger = await makeLogger(settings);
  const engine = await openEngine(settings, logger);
  const authenticator = new Authenticator(engine.store, settings.cache > 0);
  const app = await httpServer({
    readers: engine.readers,
    account: engine.account,
    basePath: settings.base_path,
    authenticator,
    watch: new RevisionWatch(engine.store),
    logger,
    maxPageSize: settings.max_page_size,
    corsOrigins: settings.cors_origin,
    rateLimit: settings.rate_limit,
    failureLimit: settings.failure_limit,
    trustProxy: settings.trust_proxy,
    exportMs: settings.export_minutes * MILLISECONDS_A_MINUTE,
    peers: member,
    ready: async () => {
      await engine.store.read({ text: 'select 1 from deployment', values: [] });
    },
  });
  await app.listen({ host: settings.host, port: settings.port });
  const noteUse = noteUseRegularly(authenticator, engine, logger);
  const isMember = member !== undefined;
  const stop = stopOnSignals({ logger, delay: SHUTDOWN_MILLISECONDS, isMember }, async (err) => {
    if (err !== undefined) logger.fatal({ err }, 'stopping because of an error that nobody caught');
    await app.close();
    await noteUse();
    await engine.close();
    logger.info('stopped');
    logger.flush();
  });
  member?.onStop(stop);
  return urlOf(app.server.address() as AddressInfo) + settings.base_path;
}
