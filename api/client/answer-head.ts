// What an answer says beside its body: the id of its request, what is left of the rate limit, its ETag. Noted
// down for each value that a call gives, so that data stays data.

import { Problem } from '../contract/problems.ts';

/** What is left of the requests of the token, as `RateLimit` and `RateLimit-Policy` say it. */
export interface RateLimit {
  /** How many requests the token may make in a window; `undefined` where the answer does not say. */
  readonly limit: number | undefined;
  /** How many of them are left. */
  readonly remaining: number;
  /** In how many seconds all of them are there again. */
  readonly reset_seconds: number;
}

/** What an answer says beside its body; `undefined` for what it does not say, or what a browser hides. */
export interface AnswerHead {
  /** Under which the operator finds the request in the log. */
  readonly request_id: string | undefined;
  /** Changes whenever anything changes on the account. */
  readonly etag: string | undefined;
  /** `undefined` where the deployment has no limit. */
  readonly rate_limit: RateLimit | undefined;
}

const LIMIT = /;\s*q=(\d{1,15})/;
const REMAINING = /;\s*r=(\d{1,15})/;
const RESET = /;\s*t=(\d{1,15})/;

const heads = new WeakMap<object, AnswerHead>();

function numberIn(pattern: RegExp, text: string | null): number | undefined {
  const [, digits] = pattern.exec(text ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Reads the headers of an answer; a cached one has its ETag from when it came. */
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

/** For the client: notes down the head of the answer that a value comes from. */
export function withHead<T extends object>(value: T, head: AnswerHead): T {
  heads.set(value, head);
  return value;
}

/**
 * What the answer said beside what a call gave: a page, an item of `get`, facets, the account, an export.
 *
 * ```ts
 * import { answerOf } from '@linecard/client';
 *
 * const page = await client.virtualNumbers.list();
 * const { request_id, etag, rate_limit } = answerOf(page);
 * console.log(request_id, etag, `${rate_limit?.remaining ?? 'any number of'} requests left`);
 * ```
 * @throws {Problem} `invalid-option` for anything that no call gave
 */
export function answerOf(value: object): AnswerHead {
  const head = heads.get(value);
  if (head !== undefined) return head;
  throw new Problem(
    'invalid-option',
    '`answerOf` takes what a call of the client gave: a page, an item of `get`, facets, the account or an export.',
  );
}
