// Converts errors to problems (RFC 9457).

import { ACCOUNT_HEADER, problemPlace } from '@linecard/client/contract/addresses';
import { Problem } from '@linecard/client/contract/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StoreRefused, StoreUnavailable } from '../store/store-errors.ts';
import { announcesBody } from './raw.ts';
import { AccountRefused } from './reached-account.ts';

const PROBLEM_TYPE = 'application/problem+json';
const RETRY_AFTER_SECONDS = '1';
const CHALLENGE = 'www-authenticate';

/** After these, the next request on the connection cannot be found reliably. */
const UNREADABLE: readonly string[] = [
  'bad-request',
  'content-too-large',
  'uri-too-long',
  'headers-too-large',
];

/** Headers of an answer that may have failed after they were set. */
const ENTITY_HEADERS = [
  'content-disposition',
  'content-encoding',
  'etag',
  'link',
  'next-cursor',
  'x-total-count',
] as const;

/** Errors of Fastify that the client caused. */
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

/**
 * Sockets that have been sent their last answer; nothing more is sent if the parser reports another error.
 */
const refused = new WeakSet<object>();

export const isRefused = (socket: object): boolean => refused.has(socket);

/** `address` is that of the service, or its path. */
export function notFound(address: string): Problem {
  return new Problem('not-found', `There is no such path. The reference is at ${address}/docs.`);
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const known = FRAMEWORK_PROBLEMS[(error as { code?: string }).code ?? ''];
  if (known !== undefined) return known;
  // Errors such as missing privileges are not the client's fault, and may be fixed.
  if (error instanceof StoreUnavailable || error instanceof StoreRefused) {
    return new Problem(
      'unavailable',
      'The database is unreachable or overloaded at the moment. Try again later.',
      { headers: { 'retry-after': RETRY_AFTER_SECONDS }, cause: error },
    );
  }
  return new Problem('internal', 'An internal error occurred. Give the request_id to the operator.', {
    cause: error,
  });
}

function logProblem({ id: request_id, log, socket }: FastifyRequest, problem: Problem): void {
  if (problem.code === 'unavailable') {
    // There may be thousands with one cause. Clients that have disconnected do not even receive theirs.
    const reason = (problem.cause as Error | undefined)?.message;
    if (!socket.destroyed) log.warn({ request_id, reason }, problem.message);
  } else if (problem.status >= 500) {
    log.error({ request_id, err: problem.cause ?? problem }, problem.message);
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What it was answered with, for the log. */
    problem: Problem | undefined;
  }
  interface FastifyInstance {
    /** What the address of the reference begins with, if there is one. */
    referenceAddress?: string;
  }
}

/** Where the problem is described, after links of its own. */
function linksOf({ server }: FastifyRequest, { code, headers: { link } }: Problem) {
  if (server.referenceAddress === undefined) return {};
  const help = `<${server.referenceAddress}/docs#${problemPlace(code)}>; rel="help"`;
  return { link: link === undefined ? help : `${link}, ${help}` };
}

/** Every 401 must name an authentication scheme (RFC 9110, section 11.6.1). */
function challengeOf({ server, routeOptions }: FastifyRequest, { code, headers }: Problem) {
  const challenge = headers[CHALLENGE] ?? (code === 'unauthenticated' ? 'Bearer' : undefined);
  if (challenge === undefined) return {};
  return { [CHALLENGE]: server.challengeOf?.(challenge, routeOptions.url) ?? challenge };
}

export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const problem = problemOf(error);
  request.problem = problem;
  const isOfAccount = problem instanceof AccountRefused;
  // Alike whether the account exists or not: while one that is not cached is looked up, the body may arrive;
  // and an account may be found first and refused later.
  const isRead = isOfAccount ? request.body !== undefined : request.raw.complete;
  if (isOfAccount) reply.removeHeader(ACCOUNT_HEADER);
  const hasUnreadBody = announcesBody(request.raw) && !isRead;
  if (hasUnreadBody || UNREADABLE.includes(problem.code)) {
    // The unread part of the body could be taken for the next request, and may be large.
    reply.header('connection', 'close');
    refused.add(request.socket);
  }
  logProblem(request, problem);
  for (const name of ENTITY_HEADERS) reply.removeHeader(name);
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .headers(challengeOf(request, problem))
    .headers(linksOf(request, problem))
    .header('cache-control', 'no-store')
    .header('content-type', PROBLEM_TYPE)
    .send(Buffer.from(JSON.stringify(problem.body(request.id))));
}
