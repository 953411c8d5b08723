// The hook before all routes of an account: authenticates the caller and applies the rate limits of its token
// or, if the token is not valid, of its address. It runs before the body is read.

import { Problem } from '@linecard/client/contract/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { timed } from '../answers/client.ts';
import { type Limit, limits } from '../limits/limits.ts';
import { refusal } from '../limits/refusal.ts';
import { type Peers, secondsOf, WINDOW_SECONDS, WindowCounts } from '../limits/window.ts';
import type { Caller } from '../store/callers.ts';
import { addVary, VARY } from './answer-headers.ts';
import type { Authenticator } from './authentication.ts';
import { networkOf, peerOf } from './peer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
}

export type AdmissionHook = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
) => Promise<void> | undefined;

/**
 * Counts requests without a valid token per address. A valid token is never refused because of failures of
 * others at the same address.
 */
export class Failures {
  readonly #limit: Limit & { readonly each: number };
  readonly #counts: WindowCounts;

  constructor(limit: number = limits.failures.each) {
    this.#limit = { ...limits.failures, each: limit };
    this.#counts = new WindowCounts(limit);
  }

  /**
   * Counts an error and returns it, or the refusal if its address has had too many. With `isUnknown` the
   * caller could not be identified, so every error of the client counts.
   */
  limited(error: unknown, address: string, isUnknown = false): unknown {
    const counts =
      error instanceof Problem && (error.code === 'unauthenticated' || (isUnknown && error.status < 500));
    if (!counts) return error;
    const { count, leftMs } = this.#counts.count(networkOf(address));
    return count <= this.#limit.each ? error : refusal(this.#limit, 'each', secondsOf(leftMs));
  }
}

/**
 * Counts a request and refuses it above the limit, with the headers `RateLimit-Policy` and `RateLimit` of
 * draft-ietf-httpapi-ratelimit-headers.
 */
export function rateLimiter(limit: number, peers?: Peers): (token_id: string, reply: FastifyReply) => void {
  if (limit === 0) return () => {};
  const counts = new WindowCounts(limit, peers);
  const policy = `"default";q=${limit};w=${WINDOW_SECONDS}`;
  return (token_id, reply) => {
    const { count, leftMs } = counts.count(token_id);
    const seconds = secondsOf(leftMs);
    const remaining = `"default";r=${Math.max(0, limit - count)};t=${seconds}`;
    reply.header('ratelimit-policy', policy).header('ratelimit', remaining);
    if (count > limit) throw refusal({ ...limits.requests, each: limit }, 'each', seconds);
  };
}

/** `limit` is in requests per minute and token; 0 disables it. Synchronous if nothing has to be read. */
export function admission(
  authenticator: Authenticator,
  failures: Failures,
  limit: number,
  peers: Peers | undefined,
): AdmissionHook {
  const countRequest = rateLimiter(limit, peers);
  function admit(request: FastifyRequest, reply: FastifyReply, caller: Caller): void {
    request.caller = caller;
    if (caller.isUnused) authenticator.recordFirstUse(caller.token_id, peerOf(request));
    countRequest(caller.token_id, reply);
  }
  function refuse(request: FastifyRequest, error: unknown): never {
    throw failures.limited(error, peerOf(request));
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
