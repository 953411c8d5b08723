// A whole service on a real, throw-away database, opened in process: the way in for every test of a
// behaviour. Which databases there are is one table, so that one suite runs on every store.

import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Answers, type AnswersOptions } from '../../server/answers/answers.ts';
import { Declarations } from '../../server/answers/declarations.ts';
import { ListIndexes } from '../../server/answers/indexes.ts';
import { checkReadiness } from '../../server/answers/readiness.ts';
import { RevisionWatch } from '../../server/answers/revision-watch.ts';
import { WorkerPool } from '../../server/answers/threads/pool.ts';
import { type StoreSettings, storeOptions } from '../../server/commands/store-options.ts';
import { Authenticator } from '../../server/http/authentication.ts';
import { type HttpOptions, httpServer } from '../../server/http/http.ts';
import type { Jwts } from '../../server/http/jwt/jwt.ts';
import { importColumns } from '../../server/import/columns.ts';
import { createAccount } from '../../server/store/access/accounts.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { cursorKey } from '../../server/store/deployment.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { type RowValues, storedRow, type Table, tables } from '../../server/store/tables.ts';
import { CITUS_URL, makeCitusDatabase } from './citus-server.ts';
import { type ModelList, type ModelRow, millionths } from './model.ts';
import { PostgresServer } from './postgres-server.ts';
import { ENGINE } from './questions.ts';
import { type Database, makeDatabase, makeFile } from './templates.ts';

/** So little that what is cached is also evicted. */
const CACHE_BYTES = 500_000;
const LONGEST_EXPORT_MS = 600_000;
/** Less than it is by default: what waits for a connection to be closed would wait as long. */
const KEEP_ALIVE_MS = 10_000;
const INDEX_BYTES = 20_000_000;

export interface StoreKind {
  readonly name: string;
  /** Which part of the random queries is sent here: 1 for all of them. */
  readonly share: number;
  /** One that is empty. */
  make(): Promise<Database>;
  /** One that has the schema already, where that takes less. */
  makeWithSchema?(): Promise<Database>;
}

/** Every store that the behaviours must hold on. */
export const stores: readonly StoreKind[] = [
  {
    name: 'SQLite',
    share: 1,
    make: async () => makeFile(),
    makeWithSchema: async () => makeFile('template'),
  },
  {
    name: 'PostgreSQL',
    // Every statement is a round trip to another process.
    share: 0.4,
    make: async () => makeDatabase(await PostgresServer.shared()),
    makeWithSchema: async () => makeDatabase(await PostgresServer.shared(), 'template'),
  },
  // A statement takes a second round trip after the first, from node to node.
  ...(CITUS_URL === undefined ? [] : [{ name: 'Citus', share: 0.2, make: makeCitusDatabase }]),
];

/** For a test that begins with the schema, however it came to be. */
export function databaseOf(kind: StoreKind): Promise<Database> {
  return kind.makeWithSchema?.() ?? kind.make();
}

const UNLIMITED = Number.POSITIVE_INFINITY;

const PATIENT: StoreSettings = {
  database_pooler: 'none',
  database_connections: 4,
  database_timeout: 60_000,
  replica_url: [],
  replica_lag: 60_000,
  row_security: false,
};

/** What the service under test is like, where it differs from the usual. */
interface Circumstances extends Partial<HttpOptions> {
  readonly accounts?: readonly string[];
  readonly rows?: { readonly [N in ModelList['name']]?: readonly ModelRow[] };
  /** That of accounts which have none of their own. */
  readonly currency?: string;
  /** How many exports of an account there may be at once; otherwise as there are connections for. */
  readonly exports?: number;
  /** For what is cached between requests; 0 for nothing, not even who calls. */
  readonly cacheBytes?: number;
  /** For the indexes of lists in memory. */
  readonly indexBytes?: number;
  /** Access tokens of an identity provider. */
  readonly jwts?: Jwts;
  /** Only what is wrong is logged: where the lines of all requests would fill the memory. */
  readonly quiet?: true;
  /** Called before every read of the service with its statements; what it throws, the store throws. */
  readonly beforeReading?: (text: string) => unknown;
  /**
   * How a database on a server is reached, and with which deadlines; without them a slow machine fails no
   * test.
   */
  readonly reach?: Partial<StoreSettings>;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly body: string;
  /** The same as it came, where it is no text. */
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** `Link` (RFC 8288) as relation to target. */
  readonly links: ReadonlyMap<string, string>;
}

export function linksOf(header = ''): Map<string, string> {
  const links = [...header.matchAll(/<([^>]*)>; rel="(\w+)"(?:, |$)/g)];
  return new Map(links.map(([, target = '', rel = '']) => [rel, target]));
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'QUERY';

/** A row as an import reads it: fields that it does not have fall back to what an empty value is. */
function valuesOf({ list }: Table, fallbacks: RowValues, row: ModelRow): RowValues {
  const values = Object.entries(row).map(([field, value]) => [
    field,
    list.fields[field]?.kind === 'charge' ? Number(millionths(String(value))) : value,
  ]);
  return { ...fallbacks, ...Object.fromEntries(values) };
}

/** Puts rows in the way an import does; `replaces` names accounts whose other rows go. */
export async function load(
  store: Store,
  name: ModelList['name'],
  rows: readonly ModelRow[],
  replaces?: readonly string[],
): Promise<void> {
  // A reader on this thread leaves its snapshot when the turn ends, and a writer that waited for it would
  // wait for itself.
  await setImmediate();
  const table = tables[name];
  const fallbacks = Object.fromEntries(
    importColumns(table.list).map(({ name, fallback }) => [name, fallback]),
  );
  const run = await store.load(table);
  try {
    const stored = rows.map((row) => storedRow(table, row.account_id, valuesOf(table, fallbacks, row)));
    await run.add(
      stored,
      rows.map((_, i) => i),
    );
    await run.commit(replaces === undefined ? {} : { accounts: replaces, removeOthers: 'named' });
  } catch (error) {
    await run.rollback();
    throw error;
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** Keeps every line that would be logged, before anything is taken out of it, whatever its level. */
export function loggerInto(lines: string[], levels: readonly string[] = LOG_LEVELS): HttpOptions['logger'] {
  const logger: Record<string, unknown> = { level: 'trace', child: () => logger };
  for (const level of LOG_LEVELS) {
    logger[level] = (...said: unknown[]) => {
      if (levels.includes(level)) lines.push(`${level} ${inspect(said, { depth: 8 })}`);
    };
  }
  return logger as unknown as HttpOptions['logger'];
}

/** The same store, but something happens before it reads. */
function watched(store: Store, beforeReading: Circumstances['beforeReading']): Store {
  if (beforeReading === undefined) return store;
  const read: Store['read'] = async (...statements) => {
    await beforeReading(statements.map(({ text }) => text).join(';\n'));
    return store.read(...statements);
  };
  return new Proxy(store, {
    get(_, name) {
      if (name === 'read') return read;
      const member: unknown = Reflect.get(store, name);
      return typeof member === 'function' ? member.bind(store) : member;
    },
  });
}

/**
 * Indexes that lists of any length have after two requests, but that are used for two of every four: each
 * of two requests, one after the other, is answered with them and without.
 */
function halfOfTheTime(indexes: ListIndexes, onScan: () => void): AnswersOptions['indexes'] {
  let turn = 0;
  const isUsed = () => turn % 4 < 2;
  return {
    find(table, caller) {
      turn += 1;
      return isUsed() ? indexes.find(table, caller) : undefined;
    },
    beingBuilt: (table, caller) => (isUsed() ? indexes.beingBuilt(table, caller) : undefined),
    missed(...miss) {
      onScan();
      indexes.missed(...miss);
    },
  };
}

/** A service that answers, its database, and a token for each account. */
export async function openService(kind: StoreKind, how: Circumstances = {}) {
  const {
    accounts: named = [],
    rows: given = {},
    currency,
    exports,
    quiet,
    jwts,
    beforeReading,
    reach,
    ...rest
  } = how;
  const { cacheBytes = CACHE_BYTES, indexBytes = INDEX_BYTES, ...options } = rest;
  const database = await databaseOf(kind);
  const operator = await openStore(database.url, 'write');
  const { virtual_numbers = [], additional_services = [] } = given;
  await load(operator, 'virtual_numbers', virtual_numbers);
  await load(operator, 'additional_services', additional_services);
  const rows = [...virtual_numbers, ...additional_services];
  const accounts = new Set([...named, ...rows.map(({ account_id }) => account_id)]);
  const tokens = new Map<string, { id: string; token: string }>();
  for (const account_id of accounts) {
    await createAccount(operator, account_id);
    const made = await createToken(operator, account_id, 'test');
    if (made !== undefined) tokens.set(account_id, made);
  }

  const readingUrl = database.readingUrl ?? database.url;
  const log: string[] = [];
  const { quick, slow } = storeOptions({ ...PATIENT, ...reach }, (change) =>
    log.push(`replica ${inspect(change)}`),
  );
  const reader = await openStore(readingUrl, 'read', quick);
  const store = watched(reader, beforeReading);
  const settings = {
    cursorKey: await cursorKey(reader),
    address: rest.publicUrl ?? rest.basePath ?? '',
    currency: currency ?? null,
    billingMonths: ENGINE.billingMonths,
  };
  const workers = new WorkerPool({
    ...settings,
    databaseUrl: readingUrl,
    threads: 1,
    store: slow,
    maxExports: exports ?? UNLIMITED,
  });
  const indexes = new ListIndexes(workers, {
    maxBytes: indexBytes,
    minRows: 1,
    pause: 0,
    onFailure: (error) => log.push(`error ${inspect(error)}`),
  });
  let fullScans = 0;
  const answers = new Answers({
    ...settings,
    store,
    indexes: halfOfTheTime(indexes, () => {
      fullScans += 1;
    }),
    workers,
    deadlineMs: { ...PATIENT, ...reach }.database_timeout,
    cacheBytes,
  });
  const watch = new RevisionWatch(store);
  const declarations = await Declarations.open(store, {
    onChange: () => watch.wake(),
    onFailure: (error) => log.push(`error ${inspect(error)}`),
  });
  const logger = loggerInto(log, quiet ? ['warn', 'error', 'fatal'] : LOG_LEVELS);
  const authenticator = new Authenticator(store, cacheBytes > 0, jwts);
  const app = await httpServer({
    answers,
    authenticator,
    watch,
    declared: () => declarations.known,
    logger,
    onAnswered: (answered) => logger.info(answered, 'answered'),
    maxPageSize: 1_000,
    rateLimit: 0,
    failureLimit: UNLIMITED,
    connectionLimit: { each: UNLIMITED, total: UNLIMITED },
    exportMs: LONGEST_EXPORT_MS,
    keepAliveMs: KEEP_ALIVE_MS,
    ready: () => checkReadiness(store),
    ...options,
  });

  // Other threads keep no process alive, and without a listening socket nothing else may: it would end during
  // the tests.
  const alive = setInterval(() => {}, 60_000);
  const tokenOf = (account_id: string) => {
    const token = tokens.get(account_id);
    if (token === undefined) throw new Error(`The test knows no account ${account_id}.`);
    return token;
  };
  /** Asks in process, with nothing but what is given. */
  const send = async (
    method: Method,
    url: string,
    headers: Record<string, string> = {},
    payload?: string | Buffer,
  ): Promise<ServiceAnswer> => {
    // A request from outside comes with a turn of the event loop, and what shares a snapshot are the
    // requests of a turn.
    await setImmediate();
    const given = { method, url, headers, ...(payload !== undefined && { payload }) };
    const { statusCode: status, body, rawPayload: bytes, headers: sent } = await app.inject(given);
    const texts = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, String(value)]));
    return { status, body, bytes, headers: texts, links: linksOf(texts['link']) };
  };
  return {
    database_url: database.url,
    /** Reads now which fields are declared. */
    refresh: async () => {
      await setImmediate();
      await declarations.refresh();
    },
    /** What operators have read through it. */
    readings: authenticator.readings,
    /** Opens the store in which the service records what tokens are used for. */
    openForTokenUses: () => openStore(readingUrl, 'note', slow),
    /** Another connection to the same database: what an operator's command would use. */
    operator,
    /** Everything that was logged. */
    log: log as readonly string[],
    /** The requests that wait for a change. */
    get waiting() {
      return app.waiting.count;
    },
    /** The requests for which the database scanned a list. */
    get fullScans() {
      return fullScans;
    },
    tokenOf,
    /** The tree of its routes with their methods. */
    routes: () => app.printRoutes({ commonPrefix: false }),
    /** Asks in process, as the account. */
    ask: (account_id: string, url: string, headers: Record<string, string> = {}) =>
      send('GET', url, { authorization: `Bearer ${tokenOf(account_id).token}`, ...headers }),
    send,
    /** Opens a real socket, on which it listens until it is closed. */
    async listen() {
      await app.listen({ host: '127.0.0.1', port: 0 });
      return (app.server.address() as AddressInfo).port;
    },
    async close() {
      declarations.close();
      await app.close();
      await workers.close();
      await reader.close();
      await operator.close();
      await database.remove();
      clearInterval(alive);
    },
  };
}

export type Service = Awaited<ReturnType<typeof openService>>;
