// The hook in front of the lists: who the caller is, and whether the caller's token is within its rate limit.
// It runs before anything of a body is read.

import { Problem } from '@linecard/client/contract/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { timed } from '../answers/client.ts';
import type { Caller } from '../store/tokens.ts';
import { addVary, VARY } from './answer-headers.ts';
import type { Authenticator } from './authentication.ts';
import type { Failures } from './failures.ts';
import { peerOf } from './peer.ts';
import { type Peers, RequestCounts, WINDOW_SECONDS } from './rate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose request it is, once it is known. */
    caller: Caller;
  }
}

/** Fastify's hook `onRequest`. */
export type AdmissionHook = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
) => Promise<void> | undefined;

/**
 * Counts a request of a token, and refuses it where there were too many: as
 * draft-ietf-httpapi-ratelimit-headers has it, with `RateLimit-Policy` and `RateLimit`.
 */
export function rateLimiter(limit: number, peers?: Peers): (token_id: string, reply: FastifyReply) => void {
  if (limit === 0) return () => {};
  const counts = new RequestCounts(limit, peers);
  const policy = `"default";q=${limit};w=${WINDOW_SECONDS}`;
  return (token_id, reply) => {
    const { count, leftMs } = counts.count(token_id);
    const seconds = Math.ceil(leftMs / 1_000);
    const remaining = `"default";r=${Math.max(0, limit - count)};t=${seconds}`;
    reply.header('ratelimit-policy', policy).header('ratelimit', remaining);
    if (count <= limit) return;
    throw new Problem(
      'rate-limited',
      `This token may ask ${limit} times a minute. Try again in ${seconds} seconds.`,
      { headers: { 'retry-after': String(seconds) } },
    );
  };
}

/**
 * The hook; `limit` is that of requests per minute per token, 0 for none. It ends at once where nothing must
 * be read.
 */
export function admission(
  authenticator: Authenticator,
  failures: Failures,
  limit: number,
  peers: Peers | undefined,
): AdmissionHook {
  const countRequest = rateLimiter(limit, peers);
  function admit(request: FastifyRequest, reply: FastifyReply, caller: Caller): void {
    request.caller = caller;
    if (caller.isUnused) authenticator.noteFirstUse(caller.token_id, peerOf(request));
    countRequest(caller.token_id, reply);
  }
  function refuse(request: FastifyRequest, error: unknown): never {
    throw failures.answerTo(error, peerOf(request));
  }
  return (request, reply, done) => {
    addVary(reply, VARY);
    try {
      const caller = authenticator.caller(request.headers.authorization);
      if (caller instanceof Promise) {
        return timed(request, () => caller)
          .catch((error: unknown) => refuse(request, error))
          .then((found) => admit(request, reply, found));
      }
      admit(request, reply, caller);
    } catch (error) {
      refuse(request, error);
    }
    done();
    return undefined;
  };
}
