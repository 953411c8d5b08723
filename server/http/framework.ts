// How the HTTP framework is set up, for every server of Linecard: time-outs, request ids, and what its parser
// refuses.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from '@linecard/client/contract/problems';
import { type FastifyBaseLogger, type FastifyHttpOptions, LogController } from 'fastify';
import { limits } from '../limits/limits.ts';
import type { CrossOrigin } from './cors.ts';
import { isRefused, sendProblem } from './problems.ts';
import { MAX_PARSED_BYTES, parserProblem, type Refused, rawAnswer, requestId } from './raw.ts';
import type { Certificate } from './tls.ts';
import { trusted } from './trust.ts';

const IDLE_MILLISECONDS = 1_000 * limits.arrival.each;
const KEEP_ALIVE_MILLISECONDS = 1_000 * limits.idle.each;
/**
 * Shares of the time that a connection may be silent. Requests are looked at once a tenth of it or second, so
 * that a slow one is answered and closed in time; a connection that takes nothing is closed after twice its
 * share.
 */
const [REQUEST_SHARE, STALLED_SHARE, CHECK_SHARE] = [0.8, 0.9, 0.1];
const LONGEST_CHECK_MILLISECONDS = 1_000;

/** What the framework is set up with. */
export interface FrameworkSettings {
  readonly logger: FastifyBaseLogger;
  /** The path that everything stands behind, such as `/numbers`; none where it is left out. */
  readonly basePath?: string;
  /** Addresses and networks of proxies, whose `X-Forwarded-For` is believed. */
  readonly trustProxy?: readonly string[] | undefined;
  /** Whether it listens on a Unix socket, which only a proxy on this machine uses. */
  readonly isLocal?: boolean | undefined;
  /**
   * How long a connection may be silent before its first request or amid one; amid an answer, twice as long.
   */
  readonly idleMs?: number | undefined;
  /** How long a connection may be idle between two requests. */
  readonly keepAliveMs?: number | undefined;
  /** Speaks TLS with a certificate and its key, as PEM. */
  readonly tls?: Certificate | undefined;
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

/** How connections are limited, whether they are encrypted or not. */
function connectionOptions({ idleMs = IDLE_MILLISECONDS, tls, hasLongBodies = false }: FrameworkSettings) {
  const headersTimeout = idleMs * REQUEST_SHARE;
  const http = {
    maxHeaderSize: MAX_PARSED_BYTES,
    requireHostHeader: false,
    headersTimeout,
    connectionsCheckingInterval: Math.min(LONGEST_CHECK_MILLISECONDS, idleMs * CHECK_SHARE),
  };
  return {
    connectionTimeout: idleMs * STALLED_SHARE,
    requestTimeout: hasLongBodies ? 0 : headersTimeout,
    ...(tls === undefined ? { http } : { https: { ...http, ...tls, handshakeTimeout: headersTimeout } }),
  };
}

export function frameworkOptions(settings: FrameworkSettings): FastifyHttpOptions<Server> {
  const { logger, basePath = '', keepAliveMs = KEEP_ALIVE_MILLISECONDS, allowOrigin, absent } = settings;
  return {
    trustProxy: trusted(settings),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestId(request.headers['x-request-id']),
    ...connectionOptions(settings),
    keepAliveTimeout: keepAliveMs,
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
