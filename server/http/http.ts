// The door: routes, request ids, errors -> problem bodies, headers. It turns a request into list + account + query and a
// page into an answer, and holds no rule about either.

import type { Server } from 'node:http';
import { Problem } from '@linecard/client/contract/problems';
import { openapi } from '@linecard/client/openapi';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { reference } from '../reference/reference.ts';
import { StoreUnavailable } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { VERSION } from '../version.ts';
import { addListRoutes, type ListDoor } from './lists.ts';
import { type Others, RequestCounts, WINDOW_SECONDS } from './rate.ts';
import { MAX_PARSED_BYTES, parserProblem, type Refused, rawAnswer, requestId, wireFault } from './raw.ts';

/** Looked at once a second, so a slow request is answered and closed within ten. */
const REQUEST_MILLISECONDS = 8_000;
const IDLE_MILLISECONDS = 10_000;
/** Node closes a connection that takes nothing after twice this time. */
const STALLED_MILLISECONDS = 9_000;
const CHECK_MILLISECONDS = 1_000;
const RETRY_AFTER_SECONDS = '1';

/** After these the rest of the connection cannot be trusted to begin with a request. */
const UNREADABLE: readonly string[] = [
  'bad-request',
  'content-too-large',
  'uri-too-long',
  'headers-too-large',
];

/** At these no line is written for a request that went well. */
const QUIET_LEVELS: readonly string[] = ['warn', 'error', 'fatal', 'silent'];

const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE = 'application/problem+json';

export interface Door extends Omit<ListDoor, 'limit'> {
  readonly logger: FastifyBaseLogger;
  /** Requests per minute per token; 0 for no limit. */
  readonly rate_limit: number;
  /** Other processes that count the same tokens. */
  readonly others?: Others | undefined;
  /** Resolves when the service can answer. */
  ready(): Promise<void>;
}

/** Errors of the HTTP framework that are the caller's. */
const FRAMEWORK_PROBLEMS: Readonly<Record<string, Problem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new Problem('content-too-large', 'The body must not be larger than 1 MiB.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new Problem('unsupported-media-type', 'The body must be application/json.'),
};

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const known = FRAMEWORK_PROBLEMS[(error as { code?: string }).code ?? ''];
  if (known !== undefined) return known;
  if (error instanceof StoreUnavailable) {
    return new Problem(
      'unavailable',
      'The database cannot be reached just now, or has too much to do. Try again in a moment.',
      {
        headers: { 'retry-after': RETRY_AFTER_SECONDS },
        cause: error,
      },
    );
  }
  return new Problem('internal', 'Something went wrong on our side. Quote the request_id to the operator.', {
    cause: error,
  });
}

/** Sockets that have had their last answer: whatever else the parser says of them, nothing more is sent. */
const refused = new WeakSet<object>();

function sendProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const { id: request_id } = request;
  const problem = problemOf(error);
  if (UNREADABLE.includes(problem.code)) {
    // What follows on the connection may be anything.
    reply.header('connection', 'close');
    refused.add(request.socket);
  }
  if (problem.code === 'unavailable') {
    // There may be thousands of them, all for one reason; those who have left do not even hear it.
    const reason = (problem.cause as Error | undefined)?.message;
    if (!request.socket.destroyed) request.log.warn({ request_id, reason }, problem.message);
  } else if (problem.status >= 500) {
    request.log.error({ request_id, err: problem.cause ?? problem }, problem.message);
  }
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .header('cache-control', 'no-store')
    .header('content-type', PROBLEM_TYPE)
    .send(Buffer.from(JSON.stringify(problem.body(request_id))));
}

function pathOf(request: FastifyRequest): string {
  const { url } = request;
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

/**
 * One bucket per token, told as draft-ietf-httpapi-ratelimit-headers does: `RateLimit-Policy` and `RateLimit`. What it
 * returns throws `rate-limited`.
 */
function rateLimiter({ rate_limit, others }: Door): ListDoor['limit'] {
  if (rate_limit === 0) return () => {};
  const counts = new RequestCounts(rate_limit, others);
  const policy = `"default";q=${rate_limit};w=${WINDOW_SECONDS}`;
  return (request, reply) => {
    const { count, left_ms } = counts.count(request.caller.token_id);
    const seconds = Math.ceil(left_ms / 1_000);
    const remaining = `"default";r=${Math.max(0, rate_limit - count)};t=${seconds}`;
    reply.header('ratelimit-policy', policy).header('ratelimit', remaining);
    if (count <= rate_limit) return;
    throw new Problem(
      'rate-limited',
      `This token may ask ${rate_limit} times a minute. Try again in ${seconds} seconds.`,
      { headers: { 'retry-after': String(seconds) } },
    );
  };
}

/** Refuses what no route would take, before anything of a body is read. */
function refuseEarly(request: FastifyRequest, methods: ReadonlyMap<string, readonly string[]>): void {
  const fault = wireFault(request.raw);
  if (fault !== undefined) throw fault;
  if (request.is404) {
    const allowed = methods.get(pathOf(request));
    if (allowed === undefined) throw notFound();
    const allow = allowed.join(', ');
    throw new Problem('method-not-allowed', `${request.method} is not allowed here. Allowed: ${allow}.`, {
      headers: { allow },
    });
  }
  if (request.method === 'QUERY') return;
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding !== undefined || (length !== undefined && length !== '0')) {
    throw new Problem('content-too-large', `${request.method} takes no body here.`);
  }
}

function notFound(): Problem {
  return new Problem('not-found', 'There is no such path. The reference is at /docs.');
}

function frameworkOptions({ logger }: Door): FastifyHttpOptions<Server> {
  return {
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
    routerOptions: { querystringParser: () => ({}) },
    clientErrorHandler(error: Refused, socket) {
      if (error.code === 'ECONNRESET' || refused.has(socket)) return void socket.destroy();
      const problem = parserProblem(error);
      const request_id = requestId(undefined);
      logger.warn(
        { request_id, status: problem.status, code: error.code },
        'refused before it was a request',
      );
      rawAnswer(socket, problem, request_id);
    },
    frameworkErrors(_error, request, reply) {
      reply.header('x-request-id', request.id);
      sendProblem(request, reply, notFound());
    },
  };
}

/** What happens to every request, whatever its route. */
function addHooks(app: FastifyInstance, isClosing: () => boolean): void {
  const methods = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    methods.set(url, [...new Set([...(methods.get(url) ?? []), ...[method].flat()])]);
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    // An open connection would keep a server that is closing waiting for its next request.
    if (isClosing()) reply.header('connection', 'close');
    refuseEarly(request, methods);
    done();
  });
  // A logger for each request costs more than its lines, which name the request themselves.
  app.setChildLoggerFactory((logger) => logger);
  app.addHook('onResponse', (request, reply, done) => {
    if (QUIET_LEVELS.includes(request.log.level)) return done();
    const answered = {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime * 1_000) / 1_000,
      account_id: request.caller?.account_id,
    };
    request.log.info(answered, 'answered');
    done();
  });
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, error));
  app.setNotFoundHandler((request, reply) => sendProblem(request, reply, notFound()));
}

/** What stands beside the lists. */
function addOperations(app: FastifyInstance, door: Door, isClosing: () => boolean): void {
  const document = openapi({ version: VERSION, max_page_size: door.max_page_size });
  const document_text = JSON.stringify(document);
  const page = reference(document);
  app.get('/healthz', async () => ({ status: 'alive' }));
  app.get('/readyz', async () => {
    if (isClosing()) throw new StoreUnavailable('The service is stopping.');
    await door.ready();
    return { status: 'ready' };
  });
  app.get('/openapi.json', (_request, reply) => reply.type(JSON_TYPE).send(document_text));
  app.get('/docs', (_request, reply) => reply.headers(page.headers).send(page.body));
  app.get('/', (_request, reply) => reply.redirect('/docs'));
}

/** The service, ready to listen. */
export async function openDoor(door: Door): Promise<FastifyInstance> {
  let closing = false;
  const isClosing = () => closing;
  const app = Fastify(frameworkOptions(door));
  // No expectation is met, and none is needed: the answer comes all the same.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.decorateRequest('caller');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
  const limit = rateLimiter(door);
  addHooks(app, isClosing);
  for (const table of Object.values(tables)) addListRoutes(app, { ...door, limit }, table);
  addOperations(app, door, isClosing);
  return app;
}
