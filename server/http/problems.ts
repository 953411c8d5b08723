// Errors -> problems (RFC 9457), for every route.

import { Problem } from '@linecard/client/contract/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StoreRefused, StoreUnavailable } from '../store/store-errors.ts';
import { announcesBody } from './raw.ts';

const PROBLEM_TYPE = 'application/problem+json';
const RETRY_AFTER_SECONDS = '1';

/** After these the rest of the connection cannot be trusted to begin with a request. */
const UNREADABLE: readonly string[] = [
  'bad-request',
  'content-too-large',
  'uri-too-long',
  'headers-too-large',
];

/** What an answer says of itself, which may have failed after that. */
const ENTITY_HEADERS = ['content-disposition', 'content-encoding', 'etag', 'link', 'x-total-count'] as const;

/** Errors of the HTTP framework that are the caller's. */
const FRAMEWORK_PROBLEMS: Readonly<Record<string, Problem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new Problem('content-too-large', 'The body must not be larger than 1 MiB.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new Problem('unsupported-media-type', 'The body must be application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new Problem(
    'bad-request',
    'The body is not as long as Content-Length says.',
  ),
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: new Problem(
    'unsupported-media-type',
    'The request must have the header Content-Type: application/json.',
  ),
};

/** Sockets that had their last answer: whatever else the parser reports of them, nothing more is sent. */
const refused = new WeakSet<object>();

export const isRefused = (socket: object): boolean => refused.has(socket);

/** @param basePath the path of the deployment. */
export function notFound(basePath: string): Problem {
  return new Problem('not-found', `There is no such path. The reference is at ${basePath}/docs.`);
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const known = FRAMEWORK_PROBLEMS[(error as { code?: string }).code ?? ''];
  if (known !== undefined) return known;
  // What the database refuses the service is no fault of a request, and may be mended.
  if (error instanceof StoreUnavailable || error instanceof StoreRefused) {
    return new Problem(
      'unavailable',
      'The database cannot be reached just now, or has too much to do. Try again in a moment.',
      { headers: { 'retry-after': RETRY_AFTER_SECONDS }, cause: error },
    );
  }
  return new Problem('internal', 'Something went wrong on our side. Quote the request_id to the operator.', {
    cause: error,
  });
}

/** Logs a problem that is not the caller's. */
function logProblem({ id: request_id, log, socket }: FastifyRequest, problem: Problem): void {
  if (problem.code === 'unavailable') {
    // There may be thousands of them, all for one reason; clients that have left do not even receive theirs.
    const reason = (problem.cause as Error | undefined)?.message;
    if (!socket.destroyed) log.warn({ request_id, reason }, problem.message);
  } else if (problem.status >= 500) {
    log.error({ request_id, err: problem.cause ?? problem }, problem.message);
  }
}

export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const problem = problemOf(error);
  const hasUnreadBody = announcesBody(request.raw) && !request.raw.complete;
  if (hasUnreadBody || UNREADABLE.includes(problem.code)) {
    // What follows on the connection may be anything, and as much.
    reply.header('connection', 'close');
    refused.add(request.socket);
  }
  logProblem(request, problem);
  // RFC 9110, section 11.6.1: every 401 says how to authenticate.
  if (problem.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
  // Those of an answer that could not be read are not those of the problem.
  for (const name of ENTITY_HEADERS) reply.removeHeader(name);
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .header('cache-control', 'no-store')
    .header('content-type', PROBLEM_TYPE)
    .send(Buffer.from(JSON.stringify(problem.body(request.id))));
}
