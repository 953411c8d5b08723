// The door: routes, request ids, errors -> problem bodies, headers. It turns a request into list + account + query and a
// page into an answer, and holds no rule about either.

import type { IncomingMessage } from 'node:http';
import rateLimit from '@fastify/rate-limit';
import { type List, Problem, type QueryParser, queryParser } from '@linecard/client';
import { openapi } from '@linecard/client/openapi';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { accepts } from './accept.ts';
import type { Authenticator } from './auth.ts';
import type { Lists, Page } from './list.ts';
import { parserProblem, type Refused, rawAnswer, rawHeaderFault, requestId } from './raw.ts';
import { reference } from './reference.ts';
import { StoreUnavailable } from './store.ts';
import { type Table, tables } from './tables.ts';
import { VERSION } from './version.ts';

/** Longest URL, in bytes; a thousand 16-digit ids fit. */
const MAX_URL_BYTES = 65_536;
/** Request line and headers together. */
const MAX_HEADER_BYTES = 81_920;
const REQUEST_MILLISECONDS = 10_000;
const IDLE_MILLISECONDS = 10_000;
const STALLED_MILLISECONDS = 20_000;
const CHECK_MILLISECONDS = 1_000;
const RETRY_AFTER_SECONDS = '1';
const RATE_WINDOW_SECONDS = 60;
const MAX_COUNTED_TOKENS = 100_000;

const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE = 'application/problem+json';
const VARY = 'Authorization, Accept';

export interface Door {
  readonly lists: Lists;
  readonly authenticator: Authenticator;
  readonly logger: FastifyBaseLogger;
  readonly max_page_size: number;
  /** Requests per minute per token; 0 for no limit. */
  readonly rate_limit: number;
  /** Resolves when the service can answer. */
  ready(): Promise<void>;
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreUnavailable) {
    return new Problem('unavailable', 'The database cannot be reached just now. Try again in a moment.', {
      headers: { 'retry-after': RETRY_AFTER_SECONDS },
      cause: error,
    });
  }
  return new Problem('internal', 'Something went wrong on our side. Quote the request_id to the operator.', {
    cause: error,
  });
}

function sendProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const problem = problemOf(error);
  if (problem.status >= 500) {
    request.log.error({ err: problem.cause ?? problem }, problem.message);
  }
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .header('cache-control', 'no-store')
    .header('content-type', PROBLEM_TYPE)
    .send(Buffer.from(JSON.stringify(problem.body(request.id))));
}

/** The part of the URL behind the first `?`. */
function queryString(request: FastifyRequest): string {
  const { url } = request;
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

function pathOf(request: FastifyRequest): string {
  const { url } = request;
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

const etagOf = (revision: string) => `"${VERSION}-${revision}"`;

/** Whether `If-None-Match` names the entity tag (RFC 9110, section 13.1.2: weak comparison, `*` for any). */
function noneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag) return true;
  return header.split(',').some((one) => {
    const tag = one.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}

/** `Link` (RFC 8288): absolute paths with the same filters; `next` carries the cursor. */
function linksOf(list: List, page: Page): string {
  const base = `<${list.path}?${page.selection === '' ? '' : `${page.selection}&`}`;
  const size = `page_size=${page.page_size}`;
  const to = (number: number, rel: string) => `${base}page=${number}&${size}>; rel="${rel}"`;
  const links = [to(1, 'first')];
  if (page.page > 1) links.push(to(Math.max(1, Math.min(page.page - 1, page.total_pages)), 'prev'));
  if (page.next !== undefined) links.push(`${base}cursor=${page.next}&${size}>; rel="next"`);
  if (page.total_pages > 0) links.push(to(page.total_pages, 'last'));
  return links.join(', ');
}

/** One list: authenticate, ask, read, answer. */
function listHandler(door: Door, table: Table, limit: RateLimit) {
  const parse: QueryParser = queryParser(table.list, door.max_page_size);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const caller = await door.authenticator.caller(request.headers.authorization);
    request.account_id = caller.account_id;
    await limit(request, reply, caller.token_id);
    if (!accepts(request.headers.accept, 'application', 'json')) {
      throw new Problem(
        'not-acceptable',
        'This list can be had as application/json; the Accept header allows none of it.',
      );
    }
    const query = parse(queryString(request));
    reply.header('vary', VARY).header('cache-control', 'private, no-cache');
    if (noneMatch(request.headers['if-none-match'], etagOf(caller.revision))) {
      return reply.code(304).header('etag', etagOf(caller.revision)).send();
    }
    const page = await door.lists.page(table, caller.account_id, query);
    return reply
      .header('etag', etagOf(page.revision))
      .header('link', linksOf(table.list, page))
      .type(JSON_TYPE)
      .send(page.body);
  };
}

type RateLimit = (request: FastifyRequest, reply: FastifyReply, token_id: string) => Promise<void>;

/**
 * One bucket per token, told as draft-ietf-httpapi-ratelimit-headers does: `RateLimit-Policy` and `RateLimit`.
 * @throws {Problem} `rate-limited`
 */
async function rateLimiter(app: FastifyInstance, rate_limit: number): Promise<RateLimit> {
  if (rate_limit === 0) return async () => {};
  await app.register(rateLimit, { global: false, cache: MAX_COUNTED_TOKENS });
  const count = app.createRateLimit({
    max: rate_limit,
    timeWindow: RATE_WINDOW_SECONDS * 1_000,
    keyGenerator: (request) => request.token_id,
  });
  const policy = `"default";q=${rate_limit};w=${RATE_WINDOW_SECONDS}`;
  return async (request, reply, token_id) => {
    request.token_id = token_id;
    const state = await count(request);
    if (state.isAllowed) return;
    const remaining = `"default";r=${Math.max(0, state.remaining)};t=${state.ttlInSeconds}`;
    reply.header('ratelimit-policy', policy).header('ratelimit', remaining);
    if (!state.isExceeded) return;
    throw new Problem(
      'rate-limited',
      `This token may ask ${rate_limit} times a minute. Try again in ${state.ttlInSeconds} seconds.`,
      { headers: { 'retry-after': String(state.ttlInSeconds) } },
    );
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    account_id: string;
    token_id: string;
  }
}

/** Refuses what no route would take, before anything of a body is read. */
function refuseEarly(request: FastifyRequest, methods: ReadonlyMap<string, readonly string[]>): void {
  const fault = rawHeaderFault(request.raw.rawHeaders);
  if (fault !== undefined) {
    throw new Problem('bad-request', fault, { headers: { connection: 'close' } });
  }
  if (request.url.length > MAX_URL_BYTES) {
    throw new Problem('uri-too-long', `The URL must not be longer than ${MAX_URL_BYTES} bytes.`);
  }
  if (request.is404) {
    const allowed = methods.get(pathOf(request));
    if (allowed === undefined)
      throw new Problem('not-found', 'There is no such path. The reference is at /docs.');
    const allow = allowed.join(', ');
    throw new Problem('method-not-allowed', `${request.method} is not allowed here. Allowed: ${allow}.`, {
      headers: { allow },
    });
  }
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding !== undefined || (length !== undefined && length !== '0')) {
    throw new Problem('content-too-large', `${request.method} takes no body here.`, {
      headers: { connection: 'close' },
    });
  }
}

/** The service, ready to listen. */
export async function openDoor(door: Door): Promise<FastifyInstance> {
  const methods = new Map<string, string[]>();
  let closing = false;
  const app = Fastify({
    loggerInstance: door.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: (request: IncomingMessage) => requestId(request.headers['x-request-id']),
    connectionTimeout: STALLED_MILLISECONDS,
    keepAliveTimeout: IDLE_MILLISECONDS,
    requestTimeout: REQUEST_MILLISECONDS,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: REQUEST_MILLISECONDS,
      connectionsCheckingInterval: CHECK_MILLISECONDS,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { querystringParser: () => ({}) },
    clientErrorHandler(error: Refused, socket) {
      if (error.code === 'ECONNRESET') return void socket.destroy();
      const problem = parserProblem(error);
      const request_id = requestId(undefined);
      door.logger.warn(
        { request_id, status: problem.status, code: error.code },
        'refused before it was a request',
      );
      rawAnswer(socket, problem, request_id);
    },
    frameworkErrors(_error, request, reply) {
      reply.header('x-request-id', request.id);
      sendProblem(
        request,
        reply,
        new Problem('not-found', 'There is no such path. The reference is at /docs.'),
      );
    },
  });
  app.decorateRequest('account_id', '');
  app.decorateRequest('token_id', '');
  const limit = await rateLimiter(app, door.rate_limit);

  app.addHook('onRoute', ({ url, method }) => {
    methods.set(url, [...new Set([...(methods.get(url) ?? []), ...[method].flat()])]);
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    if (closing) reply.header('connection', 'close');
    refuseEarly(request, methods);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 1_000) / 1_000,
        ...(request.account_id === '' ? {} : { account_id: request.account_id }),
      },
      'answered',
    );
    done();
  });
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, error));
  app.setNotFoundHandler((request, reply) =>
    sendProblem(
      request,
      reply,
      new Problem('not-found', 'There is no such path. The reference is at /docs.'),
    ),
  );

  for (const table of Object.values(tables)) app.get(table.list.path, listHandler(door, table, limit));
  app.get('/healthz', async () => ({ status: 'alive' }));
  app.get('/readyz', async () => {
    if (closing) throw new StoreUnavailable('shutting down');
    await door.ready();
    return { status: 'ready' };
  });
  const document = openapi({ version: VERSION, max_page_size: door.max_page_size });
  const document_text = JSON.stringify(document);
  app.get('/openapi.json', (_request, reply) => reply.type(JSON_TYPE).send(document_text));
  const page = reference(document);
  app.get('/docs', (_request, reply) => reply.headers(page.headers).send(page.body));
  app.get('/', (_request, reply) => reply.redirect('/docs'));
  return app;
}
