// Cross-origin requests (CORS, in the Fetch standard).

import type { FastifyReply, FastifyRequest } from 'fastify';
import { addVary } from './answer-headers.ts';

/** Safe because every request needs a token, and cookies are not used. */
export const ANY_ORIGIN = '*';
const METHODS = 'GET, HEAD, QUERY, POST';
/** `*` does not cover `Authorization`, and older browsers do not support it at all. */
const REQUEST_HEADERS =
  'Authorization, Linecard-Account, Accept, Content-Type, If-None-Match, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Prefer, X-Request-Id, *';
/** The longest time for which any browser caches a preflight. */
const PREFLIGHT_SECONDS = '7200';

export type CrossOrigin = (request: FastifyRequest, reply: FastifyReply) => boolean;

/**
 * `exposed` are the response headers that pages may read. Other origins are answered without CORS headers.
 */
export function crossOrigin(origins: readonly string[], exposed: readonly string[]): CrossOrigin {
  if (origins.length === 0) return () => false;
  const allowed = new Set(origins);
  const exposedHeaders = exposed.join(', ');
  return (request, reply) => {
    const { origin, 'access-control-request-method': wanted } = request.headers;
    if (!allowed.has(ANY_ORIGIN)) {
      // A cache must not serve the answer for one origin to another.
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
