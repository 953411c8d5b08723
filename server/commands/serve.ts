// `serve`: opens the store, opens the door, and closes both tidily.

import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import type { Settings } from '../config.ts';
import { Authenticator } from '../http/authentication.ts';
import { openDoor } from '../http/http.ts';
import { ListIndexes } from '../lists/indexes.ts';
import { Lists } from '../lists/list.ts';
import { type LogSettings, makeLogger } from '../log.ts';
import { type ReachSettings, reach } from '../store/deadline.ts';
import { cursorKey } from '../store/deployment.ts';
import { openStore } from '../store/open.ts';
import { type ReplicaChange, type Store, StoreUnavailable } from '../store/store.ts';
import { Aside } from '../threads/pool.ts';
import { type Membership, STOP_SIGNALS } from './processes.ts';

const NOTE_USE_MILLISECONDS = 30_000;
const SHUTDOWN_MILLISECONDS = 10_000;
/** Other threads for what takes long, started when there is something for them. */
const ASIDE_THREADS = Math.max(2, Math.min(4, availableParallelism() - 1));
const BYTES_A_MEBIBYTE = 1_048_576;

export type ServeSettings = ReachSettings &
  LogSettings &
  Pick<Settings, 'database_url' | 'host' | 'port' | 'max_page_size' | 'rate_limit' | 'cache' | 'indexes'>;

function logReplica(logger: Logger, { replica, reason }: ReplicaChange): void {
  if (reason === undefined) logger.info({ replica }, 'the replica is well: lists are read from it');
  else logger.warn({ replica, reason }, 'the replica is left: lists are read elsewhere');
}

/** Where the service listens, as a URL that a person can open. */
function urlOf({ address, family, port }: AddressInfo): string {
  const anywhere = address === '0.0.0.0' || address === '::';
  const host = anywhere ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}

/** Notes the last use of tokens every now and then, through a store of its own that is open only for the moment. */
function noteUseRegularly(authenticator: Authenticator, open: () => Promise<Store>, logger: Logger) {
  const note = async () => {
    if (!authenticator.hasUse) return;
    try {
      const store = await open();
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
 * Starts the service on a schema that is up to date, and stops it on SIGTERM and SIGINT: readiness fails first, requests
 * in flight are answered, and the process ends within ten seconds. One of several stops when the first says so.
 * @returns its URL.
 */
export async function serve(settings: ServeSettings, member?: Membership): Promise<string> {
  const logger = await makeLogger(settings);
  const { database_url, database_timeout } = settings;
  const { quick, slow } = reach(settings, (change) => logReplica(logger, change));
  const store = await openStore(database_url, 'read', quick);
  const cursor_key = await cursorKey(store);
  const aside = new Aside(database_url, cursor_key, ASIDE_THREADS, slow);
  const indexes = new ListIndexes(aside, {
    max_bytes: (settings.indexes * BYTES_A_MEBIBYTE) / settings.workers,
    onFailure: (error) =>
      logger.warn({ err: error }, 'could not make the index of a list; answering without it'),
  });
  const authenticator = new Authenticator(store, settings.cache > 0);
  const app = await openDoor({
    lists: new Lists(store, cursor_key),
    indexes,
    aside,
    authenticator,
    logger,
    max_page_size: settings.max_page_size,
    time_ms: store.dialect.remote ? database_timeout : undefined,
    rate_limit: settings.rate_limit,
    others: member,
    // Two lists, each with its pages and its facets, in each process.
    keep_bytes: (settings.cache * BYTES_A_MEBIBYTE) / 4 / settings.workers,
    ready: async () => {
      await store.read({ text: 'select 1', values: [] });
    },
  });
  await app.listen({ host: settings.host, port: settings.port });
  const noteUse = noteUseRegularly(authenticator, () => openStore(database_url, 'note', slow), logger);
  const skip = member === undefined ? [] : [...STOP_SIGNALS];
  const closing = closeWithGrace({ delay: SHUTDOWN_MILLISECONDS, logger, skip }, async ({ err }) => {
    if (err !== undefined) logger.fatal({ err }, 'stopping because of an error that nobody caught');
    await app.close();
    await noteUse();
    await aside.close();
    await store.close();
    logger.info('stopped');
    logger.flush();
  });
  member?.onStop(() => closing.close());
  return urlOf(app.server.address() as AddressInfo);
}
