// The options of a client with their defaults, and what the calls for a list take, whichever list it is.

import { ACCOUNT_HEADER } from '../contract/addresses.ts';
import type { Language } from '../contract/labels.ts';
import { Problem } from '../contract/problems.ts';
import type { Cache } from './cache.ts';
import type { Patience, Retry } from './retry.ts';

const TIMEOUT_MS = 30_000;
const RETRIES = 3;
const MAX_WAIT_MS = 60_000;

const VISIBLE_ASCII = /^[!-~]+$/;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t -~\x80-\xff]*$/;
/** What the client itself sends. */
const OWN_HEADERS = ['authorization', 'accept', 'content-type', 'if-none-match', ACCOUNT_HEADER];

export interface ClientOptions {
  /**
   * Where the deployment is, with the path that a proxy put it under, if any. In a browser it may be
   * relative.
   */
  readonly url: string | URL;
  /**
   * An API token, `lc_…`, or an access token. A function is called before each attempt: it returns one that
   * has not expired.
   */
  readonly token: string | (() => string | Promise<string>);
  /**
   * The id of the account to read: one below that of the token, whose reach must be `tree`. By default the
   * token's own.
   */
  readonly account?: string | undefined;
  /**
   * How long to wait for an answer, or in an export for the next chunk of it, at each attempt. Default
   * 30,000.
   */
  readonly timeout_ms?: number | undefined;
  /** How many times to retry when that may help: no answer, or 408, 425, 429, 5xx. Default 3. */
  readonly retries?: number | undefined;
  /** The longest `Retry-After` to wait for; a longer one is an error immediately. Default 60,000. */
  readonly max_wait_ms?: number | undefined;
  /** Called before each retry, so that a program can say why it waits. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Used instead of the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /**
   * Caches answers, so that a list that did not change is not sent again. Off by default; `true` for a cache
   * of its own.
   */
  readonly cache?: boolean | Cache | undefined;
  /** Further headers to send, for example for a proxy. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

function invalid(detail: string): Problem {
  return new Problem('invalid-option', detail);
}

/**
 * Where requests go: `https://host/prefix`, without a slash at the end. The option is not repeated: it may
 * hold a password.
 */
export function baseOf(url: string | URL): string {
  const { location } = globalThis as { location?: { readonly href: string } };
  const relativeTo = location?.href;
  if (!URL.canParse(url, relativeTo)) {
    throw invalid('`url` must be an address such as https://linecard.example.com.');
  }
  const { protocol, username, password, search, hash, origin, pathname } = new URL(url, relativeTo);
  if (protocol !== 'https:' && protocol !== 'http:')
    throw invalid('`url` must begin with https:// or http://.');
  if (username !== '' || password !== '') throw invalid('`url` must not hold a user name or password.');
  if (search !== '' || hash !== '') throw invalid('`url` must not have a query or fragment.');
  let { length } = pathname;
  while (pathname.endsWith('/', length)) length -= 1;
  return origin + pathname.slice(0, length);
}

/** The token as it was given. */
export function tokenOf(token: string): string {
  if (typeof token === 'string' && VISIBLE_ASCII.test(token)) return token;
  throw invalid('`token` must be an API token such as lc_…: without `Bearer`, white space or a line end.');
}

/** The header that names the account, if one was given. */
export function accountHeader(account: string | undefined): Readonly<Record<string, string>> {
  if (account === undefined) return {};
  if (typeof account !== 'string' || account === '' || !account.isWellFormed())
    throw invalid('`account` must be the id of an account; leave it out for that of the token.');
  return { [ACCOUNT_HEADER]: encodeURIComponent(account) };
}

/** Extra headers by lower-case name. */
export function headersOf(given: Readonly<Record<string, string>> = {}): Record<string, string> {
  for (const [name, value] of Object.entries(given)) {
    if (HEADER_NAME.test(name) && HEADER_VALUE.test(value)) continue;
    throw invalid('`headers` has a name or a value that HTTP does not allow.');
  }
  const headers = new Headers(given);
  const own = OWN_HEADERS.find((name) => headers.has(name));
  if (own !== undefined) throw invalid(`\`headers\` must not hold ${own}: the client sends its own.`);
  return Object.fromEntries(headers);
}

export function timeoutOf(timeout_ms: number = TIMEOUT_MS): number {
  if (timeout_ms > 0) return timeout_ms;
  throw invalid('`timeout_ms` must be more than 0.');
}

export function patienceOf({
  retries = RETRIES,
  max_wait_ms = MAX_WAIT_MS,
}: Pick<ClientOptions, 'retries' | 'max_wait_ms'>): Patience {
  if (!Number.isInteger(retries) || retries < 0) throw invalid('`retries` must be an integer from 0.');
  if (!(max_wait_ms >= 0)) throw invalid('`max_wait_ms` must be 0 or more.');
  return { retries, max_wait_ms };
}

/** What every call takes in addition to its parameters. */
export interface CallOptions extends Pick<ClientOptions, 'headers' | 'timeout_ms' | 'retries'> {
  /** Ends the call at any point, with the problem `aborted`. */
  readonly signal?: AbortSignal | undefined;
}

/** `ndjson`, one item to a line, `csv`, or `xlsx` for a spreadsheet. */
export type ExportFormat = 'ndjson' | 'csv' | 'xlsx';

export interface ExportOptions extends CallOptions {
  /** Default `ndjson`, which can be read row by row. */
  readonly format?: ExportFormat | undefined;
  /**
   * For `xlsx`: headings in this language, charges in the currency of the account, and their sums below the
   * last row. Without it, columns have the names of the fields.
   */
  readonly headings?: Language | undefined;
}

/** The fields that items have; without it they have all. */
export interface Chosen<F> {
  readonly fields: readonly F[];
}

/** What the calls for a list take and return, such as `VirtualNumbers`. */
export interface ListTypes {
  readonly item: object;
  readonly filters: object;
  readonly selection: object;
  readonly walk: { readonly page_size?: number | undefined };
  readonly query: object;
  readonly facets: object;
}

/** A list whose items also have these fields: those that a program knows its deployment to have. */
export type WithOwn<Types extends ListTypes, Own> = Omit<Types, 'item'> & {
  readonly item: Types['item'] & Own;
};

/** The token to continue from, and the size of a page; the filters are parameters next to them. */
export interface ChangesQuery {
  /** The token of the answer before; `now` for a token alone. Without it the complete list comes first. */
  readonly since?: string | undefined;
  /** How many changes to a page; by default as many as the deployment allows. */
  readonly page_size?: number | undefined;
}

/** What changes are requested with. */
export type ChangesOf<Types extends ListTypes> = Types['filters'] & ChangesQuery;
