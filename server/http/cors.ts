// Requests of pages of other origins (the Fetch standard, CORS): which pages may read answers, and what of
// them.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { addVary } from './answer-headers.ts';

/**
 * Pages of every origin. That is no way in: a page needs a token like any other caller, and no cookie is one.
 */
const ANY_ORIGIN = '*';
const METHODS = 'GET, HEAD, QUERY';
/**
 * By name what the `*` does not cover (`Authorization`), or what a browser that does not know the `*` needs.
 */
const REQUEST_HEADERS = 'Authorization, Accept, Content-Type, If-None-Match, Prefer, X-Request-Id, *';
/** As long as any browser caches a preflight. */
const PREFLIGHT_SECONDS = '7200';

/** Adds the headers for a page of another origin; says whether that was the whole answer, to a preflight. */
export type CrossOrigin = (request: FastifyRequest, reply: FastifyReply) => boolean;

/**
 * For the origins allowed, of which there may be none; `exposed` names what else than the body a page may
 * read. An origin that is not allowed is answered as it would be without any.
 */
export function crossOrigin(origins: readonly string[], exposed: readonly string[]): CrossOrigin {
  if (origins.length === 0) return () => false;
  const allowed = new Set(origins);
  const exposedHeaders = exposed.join(', ');
  return (request, reply) => {
    const { origin, 'access-control-request-method': wanted } = request.headers;
    if (!allowed.has(ANY_ORIGIN)) {
      // A cache must not give the answer for one origin, or for none, to another.
      addVary(reply, 'Origin');
      if (origin === undefined || !allowed.has(origin)) return false;
      reply.header('access-control-allow-origin', origin);
    } else {
      reply.header('access-control-allow-origin', ANY_ORIGIN);
    }
    if (request.method === 'OPTIONS' && wanted !== undefined) {
      reply
        .code(204)
        .header('access-control-allow-methods', METHODS)
        .header('access-control-allow-headers', REQUEST_HEADERS)
        .header('access-control-max-age', PREFLIGHT_SECONDS)
        .send();
      return true;
    }
    reply.header('access-control-expose-headers', exposedHeaders);
    return false;
  };
}
