// How the HTTP framework is set up, for every server of Linecard: time-outs, request ids, and what its parser
// refuses. It must not know of routes.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from '@linecard/client/contract/problems';
import { type FastifyBaseLogger, type FastifyHttpOptions, LogController } from 'fastify';
import type { CrossOrigin } from './cors.ts';
import { isRefused, sendProblem } from './problems.ts';
import { MAX_PARSED_BYTES, parserProblem, type Refused, rawAnswer, requestId } from './raw.ts';

/** Looked at once a second, so a slow request is answered and closed within ten. */
const REQUEST_MILLISECONDS = 8_000;
const IDLE_MILLISECONDS = 10_000;
/** Node closes a connection that takes nothing after twice this time. */
const STALLED_MILLISECONDS = 9_000;
const CHECK_MILLISECONDS = 1_000;

/** What the framework is told. */
export interface FrameworkSettings {
  readonly logger: FastifyBaseLogger;
  /** The path that everything stands behind, such as `/numbers`; none where it is left out. */
  readonly basePath?: string;
  /** Addresses and networks of proxies, whose `X-Forwarded-For` is believed. */
  readonly trustProxy?: readonly string[] | undefined;
  /** Whether a body may take its time, because its route has a look at that. */
  readonly hasLongBodies?: boolean;
  readonly allowOrigin: CrossOrigin;
  /** What is said of a path that is none. */
  readonly absent: () => Problem;
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

export function frameworkOptions({
  logger,
  basePath = '',
  trustProxy = [],
  hasLongBodies = false,
  allowOrigin,
  absent,
}: FrameworkSettings): FastifyHttpOptions<Server> {
  return {
    trustProxy: trustProxy.length === 0 ? false : [...trustProxy],
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestId(request.headers['x-request-id']),
    connectionTimeout: STALLED_MILLISECONDS,
    keepAliveTimeout: IDLE_MILLISECONDS,
    requestTimeout: hasLongBodies ? 0 : REQUEST_MILLISECONDS,
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
      if (!allowOrigin(request, reply)) sendProblem(request, reply, absent());
    },
  };
}
