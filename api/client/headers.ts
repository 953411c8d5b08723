// What the headers of an answer say: the id of its request, the rate limit, the ETag, links and how long to
// wait. The first three are stored for each value that a call returns, so that data stays data.

import { Problem } from '../contract/problems.ts';
import { httpTime, retryAfterSeconds } from '../contract/retry-after.ts';

/** What is left of the requests of the token, as `RateLimit` and `RateLimit-Policy` say it. */
export interface RateLimit {
  /** How many requests the token may make in a window; `undefined` where the answer does not say. */
  readonly limit: number | undefined;
  /** How many of them are left. */
  readonly remaining: number;
  /** In how many seconds all of them are available again. */
  readonly reset_seconds: number;
}

/** What an answer says in addition to its body; `undefined` for what it does not say, or a browser hides. */
export interface AnswerHead {
  /** The operator finds the request in the log by this id. */
  readonly request_id: string | undefined;
  /** Changes whenever anything changes on the account. */
  readonly etag: string | undefined;
  /** `undefined` where the deployment has no limit. */
  readonly rate_limit: RateLimit | undefined;
}

const LIMIT = /;\s*q=(\d{1,15})/;
const REMAINING = /;\s*r=(\d{1,15})/;
const RESET = /;\s*t=(\d{1,15})/;
const LINK = /<([^<>]*)>((?:\s*;\s*[\w*]+\s*=\s*(?:"[^"]*"|[^\s;,"]+))*)/g;
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/i;

const heads = new WeakMap<object, AnswerHead>();

function numberIn(pattern: RegExp, text: string | null): number | undefined {
  const [, digits] = pattern.exec(text ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Reads the headers of an answer; a cached one has the ETag that it arrived with. */
export function headOf(headers: Headers, etag: string | null = headers.get('etag')): AnswerHead {
  const remaining = numberIn(REMAINING, headers.get('ratelimit'));
  const reset_seconds = numberIn(RESET, headers.get('ratelimit'));
  const limit = numberIn(LIMIT, headers.get('ratelimit-policy'));
  return {
    request_id: headers.get('x-request-id') ?? undefined,
    etag: etag ?? undefined,
    rate_limit:
      remaining === undefined || reset_seconds === undefined
        ? undefined
        : { limit, remaining, reset_seconds },
  };
}

/** What an ETag says of the account, whether this answer came compressed or not. */
export function stateOf(etag: string | null | undefined): string | undefined {
  return etag?.replace(/^W\//, '').replace(/-gzip"$/, '"');
}

/** For the client: stores the head of the answer that a value was made from. */
export function withHead<T extends object>(value: T, head: AnswerHead): T {
  heads.set(value, head);
  return value;
}

/**
 * What the answer said in addition to what a call returned: a page, an item of `get`, facets, the account, an
 * export.
 *
 * ```ts
 * import { answerOf } from '@linecard/client';
 *
 * const page = await client.virtualNumbers.list();
 * const { request_id, etag, rate_limit } = answerOf(page);
 * console.log(request_id, etag, `${rate_limit?.remaining ?? 'any number of'} requests left`);
 * ```
 * @throws {Problem} `invalid-option` for any other value
 */
export function answerOf(value: object): AnswerHead {
  const head = heads.get(value);
  if (head !== undefined) return head;
  throw new Problem(
    'invalid-option',
    '`answerOf` takes what a call of the client returned: a page, an item of `get`, facets, the account or an export.',
  );
}

/** The query of the first `Link` (RFC 8288) with this relation; `undefined` where there is none. */
export function linkedQuery(link: string | null, relation: string): URLSearchParams | undefined {
  for (const [, target = '', attributes = ''] of (link ?? '').matchAll(LINK)) {
    const [, quoted, bare = ''] = REL.exec(attributes) ?? [];
    if (!(quoted ?? bare).split(' ').includes(relation)) continue;
    return new URLSearchParams(target.slice(target.indexOf('?') + 1));
  }
  return undefined;
}

/** `Retry-After` in seconds from now; by the server's clock where the answer shows it. */
export function retryAfterOf(headers: Headers): number | undefined {
  const now = httpTime(headers.get('date') ?? '') ?? Date.now();
  return retryAfterSeconds(headers.get('retry-after'), now);
}
