// The hook before all routes of an account: authenticates the caller, applies the limits of its token, and
// the rate limits of the token or, if it is refused, of the address; then finds the account that is read. It
// runs before the body is read.

import { ACCOUNT_HEADER, ACCOUNTS_PATH, MCP_PATH } from '@linecard/client/contract/addresses';
import { Problem } from '@linecard/client/contract/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { timed } from '../answers/client.ts';
import { type Limit, limits } from '../limits/limits.ts';
import { refusal } from '../limits/refusal.ts';
import { type Peers, secondsOf, WINDOW_SECONDS, WindowCounts } from '../limits/window.ts';
import { type Caller, mustNameAccount, scopeHeaders } from '../store/access/callers.ts';
import { Refusal } from '../store/access/refusals.ts';
import { type ListName, tables } from '../store/tables.ts';
import { addVary, VARY } from './answer-headers.ts';
import { agentRequests } from './answered.ts';
import type { Authenticator } from './authentication.ts';
import { mustBeFrom, networkOf, peerOf } from './peer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Its account is the one that the request reads. */
    caller: Caller;
  }
}

export type AdmissionHook = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
) => Promise<void> | undefined;

/**
 * Counts an error and returns it, or the refusal if its address has had too many. With `isUnknown` the caller
 * could not be identified, so every error of the client counts.
 */
export type LimitFailure = (error: unknown, address: string, isUnknown?: boolean) => unknown;

/**
 * Counts requests without a valid token per address. A valid token is never refused because of failures of
 * others at the same address.
 */
export function failureLimiter(each: number = limits.failures.each): LimitFailure {
  const limit: Limit = { ...limits.failures, each };
  const counts = new WindowCounts(each);
  return (error, address, isUnknown = false) => {
    const isCounted =
      error instanceof Problem && (error.code === 'unauthenticated' || (isUnknown && error.status < 500));
    if (!isCounted) return error;
    const { count, leftMs } = counts.count(networkOf(address));
    return count <= each ? error : refusal(limit, 'each', secondsOf(leftMs));
  };
}

/**
 * Counts a request and refuses it above the limit, with the headers `RateLimit-Policy` and `RateLimit` of
 * draft-ietf-httpapi-ratelimit-headers.
 */
export type CountRequest = (token_id: string, own: number | null, reply: FastifyReply) => void;

/** Of the requests of a token that was created with a limit of its own. */
const OWN_REASON = 'limit_token_requests';
const ownRequests: Limit = {
  ...limits.requests,
  sentence: (maximum) => `This token has a limit of its own: ${maximum} requests per minute.`,
};

/** `limit` is in requests per minute and token that has no limit of its own; 0 disables it. */
export function rateLimiter(limit: number, peers?: Peers): CountRequest {
  const counts = new WindowCounts(limit, peers);
  return (token_id, own, reply) => {
    const each = own ?? limit;
    if (each === 0) return;
    const { count, leftMs } = counts.count(token_id, each);
    const seconds = secondsOf(leftMs);
    const policy = own === null ? '"default"' : '"token"';
    reply.header('ratelimit-policy', `${policy};q=${each};w=${WINDOW_SECONDS}`);
    reply.header('ratelimit', `${policy};r=${Math.max(0, each - count)};t=${seconds}`);
    if (count <= each) return;
    throw own === null
      ? refusal({ ...limits.requests, each }, 'each', seconds)
      : refusal({ ...ownRequests, each }, 'each', seconds, OWN_REASON);
  };
}

function unseen(caller: Caller, list: ListName): Problem {
  const title = tables[list].list.title.toLowerCase();
  const headers = scopeHeaders(caller, list);
  return new Refusal('forbidden', `This token may not see ${title}.`, 'list', { headers });
}

/** What a caller of several accounts may request without saying which of them it reads. */
const WITHOUT_ACCOUNT: readonly (string | undefined)[] = [ACCOUNTS_PATH, MCP_PATH];

/** Makes the caller the reader of the account that the header names, if it names one. */
function readerOf(
  authenticator: Authenticator,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> | undefined {
  const account = request.headers[ACCOUNT_HEADER];
  if (account === undefined) {
    const { url } = request.routeOptions;
    if (url === ACCOUNTS_PATH)
      authenticator.recordReading(request.caller, agentRequests.getStore() ?? request);
    if (mustNameAccount(request.caller) && !WITHOUT_ACCOUNT.includes(url))
      throw new Refusal(
        'forbidden',
        'This token is for several accounts: say which with the header Linecard-Account. GET /api/v1/accounts lists them.',
        'account_header',
      );
    return undefined;
  }
  // Not before the account is found: a refusal would tell whether it was cached, so whether it exists.
  const read = (found: Caller) => {
    request.caller = found;
    authenticator.recordReading(found, agentRequests.getStore() ?? request);
    reply.header(ACCOUNT_HEADER, account);
  };
  const reader = authenticator.readerOf(request.caller, account);
  if (reader instanceof Promise) return timed(request, () => reader).then(read);
  read(reader);
  return undefined;
}

/** The hook of routes of a list, or of the account. */
export type Admission = (list: ListName | undefined) => AdmissionHook;

/** Synchronous if nothing has to be read. */
export function admission(
  authenticator: Authenticator,
  limitFailure: LimitFailure,
  countRequest: CountRequest,
): Admission {
  function refuse(request: FastifyRequest, error: unknown): never {
    throw agentRequests.getStore() === undefined ? limitFailure(error, peerOf(request), true) : error;
  }
  function admit(
    request: FastifyRequest,
    reply: FastifyReply,
    list: ListName | undefined,
  ): Promise<void> | undefined {
    const { caller } = request;
    const { addresses, lists, rate_limit } = caller.limits;
    if (agentRequests.getStore() === undefined) {
      // Before the request counts: a stolen token must not use up its rate limit from elsewhere.
      try {
        mustBeFrom(addresses, peerOf(request));
      } catch (error) {
        refuse(request, error);
      }
      authenticator.recordUse(caller, request);
      countRequest(caller.token_id, rate_limit, reply);
    }
    if (lists !== null && list !== undefined && !lists.includes(list)) throw unseen(caller, list);
    return readerOf(authenticator, request, reply);
  }
  return (list) => (request, reply, done) => {
    addVary(reply, VARY);
    try {
      const caller = authenticator.caller(request.headers.authorization);
      if (caller instanceof Promise) {
        return timed(request, () => caller)
          .catch((error: unknown) => refuse(request, error))
          .then((found) => {
            request.caller = found;
            return admit(request, reply, list);
          });
      }
      request.caller = caller;
    } catch (error) {
      refuse(request, error);
    }
    const pending = admit(request, reply, list);
    if (pending === undefined) done();
    return pending;
  };
}
