// Options of Fastify for all servers: timeouts, request ids, and answers to requests that its parser rejects.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from '@linecard/client/contract/problems';
import { type FastifyBaseLogger, type FastifyHttpOptions, LogController } from 'fastify';
import type { CertificatePair } from '../certificates.ts';
import { limits } from '../limits/limits.ts';
import { addCommonHeaders } from './answer-headers.ts';
import type { CrossOrigin } from './cors.ts';
import { proxies, type TrustSettings } from './peer.ts';
import { isRefused, sendProblem } from './problems.ts';
import { MAX_PARSED_BYTES, parserProblem, type Refused, rawAnswer, requestId } from './raw.ts';

const IDLE_MILLISECONDS = 1_000 * limits.arrival.each;
const KEEP_ALIVE_MILLISECONDS = 1_000 * limits.idle.each;
/**
 * Fractions of the idle time. Timeouts are checked every tenth of it, or every second, so that slow requests
 * are answered and closed in time. A connection that reads nothing is closed after twice its fraction.
 */
const [REQUEST_PART, STALLED_PART, CHECK_PART] = [0.8, 0.9, 0.1];
const MAX_CHECK_MILLISECONDS = 1_000;

export interface FrameworkSettings extends TrustSettings {
  readonly logger: FastifyBaseLogger;
  readonly basePath?: string;
  /** Timeout of a silent connection before and during a request; during an answer, twice as long. */
  readonly idleMs?: number | undefined;
  /** Timeout of an idle connection between requests. */
  readonly keepAliveMs?: number | undefined;
  readonly tls?: CertificatePair | undefined;
  /** Whether bodies may take longer, because their routes have timeouts of their own. */
  readonly hasLongBodies?: boolean;
  readonly allowOrigin: CrossOrigin;
  readonly absent: () => Problem;
}

function refuse(error: Refused, socket: Socket, logger: FastifyBaseLogger): void {
  if (error.code === 'ECONNRESET' || isRefused(socket)) return void socket.destroy();
  const problem = parserProblem(error);
  const request_id = requestId(undefined);
  logger.warn({ request_id, status: problem.status, code: error.code }, 'rejected by the HTTP parser');
  rawAnswer(socket, problem, request_id);
}

/** Removes the path prefix from a URL, unless the proxy already has. */
function withoutBase(basePath: string, url: string): string {
  if (!url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
}

function connectionOptions({ idleMs = IDLE_MILLISECONDS, tls, hasLongBodies = false }: FrameworkSettings) {
  const headersTimeout = idleMs * REQUEST_PART;
  const http = {
    maxHeaderSize: MAX_PARSED_BYTES,
    requireHostHeader: false,
    // No events of an empty stream for each GET; `holdBody` replaces the stream where one is read.
    optimizeEmptyRequests: !hasLongBodies,
    headersTimeout,
    connectionsCheckingInterval: Math.min(MAX_CHECK_MILLISECONDS, idleMs * CHECK_PART),
  };
  return {
    connectionTimeout: idleMs * STALLED_PART,
    requestTimeout: hasLongBodies ? 0 : headersTimeout,
    ...(tls === undefined ? { http } : { https: { ...http, ...tls, handshakeTimeout: headersTimeout } }),
  };
}

/** A child for each request would cost more than its lines, which contain the request id anyway. */
function withoutChildren(logger: FastifyBaseLogger): FastifyBaseLogger {
  const own = Object.create(logger, { child: { value: () => own } }) as FastifyBaseLogger;
  return own;
}

/** No route has a schema: what compiles schemas would take 2 MB. */
function noSchemas(): never {
  throw new Error('A route has a schema.');
}

export function frameworkOptions(settings: FrameworkSettings): FastifyHttpOptions<Server> {
  const { logger, basePath = '', keepAliveMs = KEEP_ALIVE_MILLISECONDS, allowOrigin, absent } = settings;
  const hasProxy = settings.isLocal === true || (settings.trustProxy ?? []).length > 0;
  return {
    trustProxy: hasProxy && proxies(settings),
    loggerInstance: withoutChildren(logger),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestId(request.headers['x-request-id']),
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    ...connectionOptions(settings),
    keepAliveTimeout: keepAliveMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    ...(basePath === '' ? {} : { rewriteUrl: ({ url = '/' }) => withoutBase(basePath, url) }),
    routerOptions: { querystringParser: () => ({}), maxParamLength: MAX_PARSED_BYTES },
    clientErrorHandler: (error, socket) => refuse(error, socket, logger),
    frameworkErrors(_error, request, reply) {
      addCommonHeaders(request, reply);
      if (!allowOrigin(request, reply)) sendProblem(request, reply, absent());
    },
  };
}
