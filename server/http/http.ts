// The HTTP server: the framework with its options, its hooks and all routes. It holds no rule about lists.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { openapi } from '@linecard/client/openapi';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { AccountReader } from '../lists/account.ts';
import type { ListReader } from '../lists/reader.ts';
import type { RevisionWatch } from '../lists/revision-watch.ts';
import { VERSION } from '../version.ts';
import { addAccountRoute } from './account.ts';
import { admission } from './admission.ts';
import { noteAnswers, type OnAnswered } from './answered.ts';
import type { Authenticator } from './authentication.ts';
import { limitConnections } from './connections.ts';
import { type CrossOrigin, crossOrigin } from './cors.ts';
import { ExportLimits } from './export-limits.ts';
import { Failures } from './failures.ts';
import { addHooks } from './hooks.ts';
import { addListRoutes } from './lists/routes.ts';
import { addOperations, type Operations } from './operations.ts';
import { isRefused, notFound, sendProblem } from './problems.ts';
import type { Peers } from './rate.ts';
import { MAX_PARSED_BYTES, parserProblem, type Refused, rawAnswer, requestId } from './raw.ts';
import { addReference } from './reference.ts';
import type { Certificate } from './tls.ts';
import { trusted } from './trust.ts';
import { Waiting } from './waiting.ts';

const IDLE_MILLISECONDS = 10_000;
const KEEP_ALIVE_MILLISECONDS = 75_000;
/**
 * Shares of the time that a connection may be silent. Requests are looked at once a tenth of it or second, so
 * that a slow one is answered and closed in time; a connection that takes nothing is closed after twice its
 * share.
 */
const [REQUEST_SHARE, STALLED_SHARE, CHECK_SHARE] = [0.8, 0.9, 0.1];
const LONGEST_CHECK_MILLISECONDS = 1_000;

export interface HttpOptions extends Pick<Operations, 'ready'> {
  /** The lists that are served. */
  readonly readers: readonly ListReader[];
  readonly account: AccountReader;
  readonly authenticator: Authenticator;
  /** For the requests that wait until their account changes. */
  readonly watch: RevisionWatch;
  readonly logger: FastifyBaseLogger;
  /** Called with every request that is over. */
  readonly onAnswered?: OnAnswered | undefined;
  readonly maxPageSize: number;
  /** The path that everything stands behind, such as `/numbers`; none where it is left out. */
  readonly basePath?: string;
  /** Origins whose pages may read answers; `*` for all. */
  readonly corsOrigins?: readonly string[];
  /** Requests per minute per token; 0 for no limit. */
  readonly rateLimit: number;
  /** Requests without a valid token per minute per address; 0 for no limit. */
  readonly failureLimit: number;
  /** Addresses and networks of proxies, whose `X-Forwarded-For` is believed. */
  readonly trustProxy?: readonly string[] | undefined;
  /**
   * How long a connection may be silent before its first request or amid one; amid an answer, twice as long.
   */
  readonly idleMs?: number;
  /** How long a connection may be idle between two requests. */
  readonly keepAliveMs?: number;
  /** Speaks TLS with a certificate and its key, as PEM. */
  readonly tls?: Certificate | undefined;
  /** Whether it listens on a Unix socket, which only a proxy on this machine uses. */
  readonly isLocal?: boolean;
  /** How long a whole export may take. */
  readonly exportMs: number;
  /** Other processes that count the same tokens. */
  readonly peers?: Peers | undefined;
}

/** What a server counts beside its requests. */
export interface HttpCounts {
  readonly exportLimits: Pick<ExportLimits, 'broken'>;
  readonly waiting: Pick<Waiting, 'count'>;
}

/** Answers what the parser refused, which no route ever sees. */
function refuse(error: Refused, socket: Socket, logger: FastifyBaseLogger): void {
  if (error.code === 'ECONNRESET' || isRefused(socket)) return void socket.destroy();
  const problem = parserProblem(error);
  const request_id = requestId(undefined);
  logger.warn({ request_id, status: problem.status, code: error.code }, 'refused before it was a request');
  rawAnswer(socket, problem, request_id);
}

/**
 * The URL of a request below the path of the deployment. A proxy that has taken that path off already is
 * served as well.
 */
function urlBelow(basePath: string, url: string): string {
  if (!url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
}

/** How connections are limited, whether they are encrypted or not. */
function connectionOptions({ idleMs = IDLE_MILLISECONDS, tls }: HttpOptions) {
  const requestTimeout = idleMs * REQUEST_SHARE;
  const http = {
    maxHeaderSize: MAX_PARSED_BYTES,
    requireHostHeader: false,
    headersTimeout: requestTimeout,
    connectionsCheckingInterval: Math.min(LONGEST_CHECK_MILLISECONDS, idleMs * CHECK_SHARE),
  };
  return {
    connectionTimeout: idleMs * STALLED_SHARE,
    requestTimeout,
    ...(tls === undefined ? { http } : { https: { ...http, ...tls, handshakeTimeout: requestTimeout } }),
  };
}

function frameworkOptions(options: HttpOptions, allowOrigin: CrossOrigin): FastifyHttpOptions<Server> {
  const { logger, basePath = '', keepAliveMs = KEEP_ALIVE_MILLISECONDS } = options;
  return {
    trustProxy: trusted(options),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestId(request.headers['x-request-id']),
    ...connectionOptions(options),
    keepAliveTimeout: keepAliveMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    ...(basePath === '' ? {} : { rewriteUrl: ({ url = '/' }) => urlBelow(basePath, url) }),
    routerOptions: { querystringParser: () => ({}), maxParamLength: MAX_PARSED_BYTES },
    clientErrorHandler: (error, socket) => refuse(error, socket, logger),
    frameworkErrors(_error, request, reply) {
      reply.header('x-request-id', request.id);
      if (!allowOrigin(request, reply)) sendProblem(request, reply, notFound(basePath));
    },
  };
}

/** What each request can carry, and the one kind of body that is read. */
function addRequestParts(app: FastifyInstance, authenticator: Authenticator): void {
  app.decorateRequest('caller');
  app.decorateRequest('waitedMs', 0);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (request: FastifyRequest, body: string) => {
      // A body may come long after its headers.
      await authenticator.caller(request.headers.authorization);
      return body;
    },
  );
}

/** The routes behind a token. */
function addCallerRoutes(app: FastifyInstance, options: HttpOptions): void {
  const { readers, account, authenticator, rateLimit, failureLimit, peers, maxPageSize } = options;
  const { basePath = '' } = options;
  const admit = admission(authenticator, new Failures(failureLimit), rateLimit, peers);
  for (const reader of readers) {
    const served = { reader, path: `${basePath}${reader.table.list.path}` };
    addListRoutes(app, served, admit, maxPageSize);
  }
  addAccountRoute(app, account, admit);
}

/** The server, ready to listen. */
export async function httpServer(options: HttpOptions): Promise<FastifyInstance> {
  const { authenticator, watch, exportMs, maxPageSize, ready, basePath = '', corsOrigins = [] } = options;
  const serverUrl = basePath === '' ? '/' : basePath;
  const document = openapi({ version: VERSION, max_page_size: maxPageSize, serverUrl });
  const allowOrigin = crossOrigin(corsOrigins, Object.keys(document.components.headers));
  let closing = false;
  const isClosing = () => closing;
  const app = Fastify(frameworkOptions(options, allowOrigin));
  // No expectation is met, and none is needed: the answer comes all the same.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const waiting = new Waiting(authenticator, watch);
  app.addHook('preClose', (done) => {
    closing = true;
    waiting.close();
    done();
  });
  app.decorate('waiting', waiting);
  app.decorate('exportLimits', new ExportLimits(authenticator, exportMs));
  noteAnswers(app, options.onAnswered);
  limitConnections(app);
  addRequestParts(app, authenticator);
  addHooks(app, isClosing, allowOrigin, basePath);
  addCallerRoutes(app, options);
  addOperations(app, { document, basePath, ready, isClosing });
  addReference(app, document, basePath);
  return app;
}
