// The hook in front of the lists: who the caller is, and whether its token is within its rate limit, or its
// address where the token is not valid. It runs before anything of a body is read.

import { Problem } from '@linecard/client/contract/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { timed } from '../answers/client.ts';
import { type Limit, limits } from '../limits/limits.ts';
import { refusal } from '../limits/refusal.ts';
import { type Peers, WINDOW_SECONDS, WindowCounts } from '../limits/window.ts';
import type { Caller } from '../store/tokens.ts';
import { addVary, VARY } from './answer-headers.ts';
import type { Authenticator } from './authentication.ts';
import { partyOf, peerOf } from './peer.ts';

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

const secondsOf = (leftMs: number) => Math.ceil(leftMs / 1_000);

/**
 * Requests without a valid token, counted by the address that they come from. A valid token is never refused
 * for what others behind the same address do.
 */
export class Failures {
  readonly #limit: Limit & { readonly each: number };
  readonly #counts: WindowCounts;

  /** `limit`: how many a minute an address may have. */
  constructor(limit: number = limits.failures.each) {
    this.#limit = { ...limits.failures, each: limit };
    this.#counts = new WindowCounts(limit);
  }

  /**
   * What an address is answered instead of an error: the same, unless too many of its tokens were wrong.
   * `isUnknown`: it is not known whose request it was, so that whatever was wrong with it counts.
   */
  answerTo(error: unknown, address: string, isUnknown = false): unknown {
    const counts =
      error instanceof Problem && (error.code === 'unauthenticated' || (isUnknown && error.status < 500));
    if (!counts) return error;
    const { count, leftMs } = this.#counts.count(partyOf(address));
    return count <= this.#limit.each ? error : refusal(this.#limit, 'each', secondsOf(leftMs));
  }
}

/**
 * Counts a request of a token, and refuses it where there were too many: as
 * draft-ietf-httpapi-ratelimit-headers has it, with `RateLimit-Policy` and `RateLimit`.
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
