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
import { Waiting } from './waiting.ts';

/** Looked at once a second, so a slow request is answered and closed within ten. */
const REQUEST_MILLISECONDS = 8_000;
const IDLE_MILLISECONDS = 10_000;
/** Node closes a connection that takes nothing after twice this time. */
const STALLED_MILLISECONDS = 9_000;
const CHECK_MILLISECONDS = 1_000;
/** How long what is in flight has to come to its end when the service stops: less than that may take. */
const DRAIN_MILLISECONDS = 7_000;

export interface HttpOptions extends Pick<Operations, 'ready'> {
  /** The lists that are served. */
  readonly readers: readonly ListReader[];
  readonly account: AccountReader;
  readonly authenticator: Authenticator;
  /** For the requests that wait until their account changes. */
  readonly watch: RevisionWatch;
  readonly logger: FastifyBaseLogger;
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
  /** How long a whole export may take. */
  readonly exportMs: number;
  /** Other processes that count the same tokens. */
  readonly peers?: Peers | undefined;
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

function frameworkOptions(
  { logger, basePath = '', trustProxy = [] }: HttpOptions,
  allowOrigin: CrossOrigin,
): FastifyHttpOptions<Server> {
  return {
    trustProxy: trustProxy.length === 0 ? false : [...trustProxy],
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestId(request.headers['x-request-id']),
    connectionTimeout: STALLED_MILLISECONDS,
    keepAliveTimeout: IDLE_MILLISECONDS,
    requestTimeout: REQUEST_MILLISECONDS,
    http: {
      maxHeaderSize: MAX_PARSED_BYTES,
      requireHostHeader: false,
      headersTimeout: REQUEST_MILLISECONDS,
      connectionsCheckingInterval: CHECK_MILLISECONDS,
    },
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
  const exportLimits = new ExportLimits(authenticator, exportMs);
  app.addHook('preClose', (done) => {
    closing = true;
    waiting.close();
    exportLimits.stop(DRAIN_MILLISECONDS);
    // Any other client that does not take its answer is cut off behind them.
    setTimeout(() => app.server.closeAllConnections(), DRAIN_MILLISECONDS).unref();
    done();
  });
  app.decorate('waiting', waiting);
  app.decorate('exportLimits', exportLimits);
  limitConnections(app);
  addRequestParts(app, authenticator);
  addHooks(app, isClosing, allowOrigin, basePath);
  addCallerRoutes(app, options);
  addOperations(app, { document, basePath, ready, isClosing });
  addReference(app, document, basePath);
  return app;
}
