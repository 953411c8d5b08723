// How the console asks: pages and facets through the client that customers' programs use; the account, files
// and waiting by itself.

import { Cache, Client, type Fault, Problem, type ProblemCode } from '@linecard/client';
import { filterParams, type ListFacts, lists, pageParams, type Row, type View } from './contract.ts';
import { texts } from './texts.ts';

const here = import.meta.url;
/**
 * Where the console is, with the path that a proxy put it under; in a build its files are one folder
 * deeper.
 */
export const BASE = new URL(import.meta.env.PROD ? '..' : '.', here).href.replace(/\/$/, '');
export const BASE_PATH = new URL(`${BASE}/`).pathname;

const TIMEOUT_MS = 30_000;
/** How long a request for news may wait; every balancer on the way allows it. */
const WAIT_SECONDS = 25;
/** How much later than that an answer to it may come. */
const SLACK_MS = 10_000;
const ACCOUNT_PATH = '/api/v1/account';
const PROBLEM_TYPE = 'urn:linecard:problem:';
const [OK, NOT_MODIFIED, UNAUTHENTICATED, NOT_FOUND, INTERNAL] = [200, 304, 401, 404, 500];

export interface PageOfRows {
  readonly data: readonly Row[];
  readonly page: number;
  readonly page_size: number;
  readonly total: number;
  readonly total_pages: number;
}

export interface FacetValue {
  readonly value: string | boolean;
  readonly count: number;
}

/** Facets of either list; `currency` where the deployment has one. */
export interface ListFacets {
  readonly total: number;
  readonly currency?: string | null;
  readonly sums: Readonly<Record<string, number>>;
  readonly due: Readonly<Record<string, { readonly count: number; readonly monthly: number }>>;
  readonly facets: Readonly<
    Record<string, { readonly values: readonly FacetValue[]; readonly others: number }>
  >;
}

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly currency: string | null;
  readonly token: { readonly name: string; readonly expires_at: string | null };
}

interface ListClient {
  list(params: object, options: { signal?: AbortSignal }): Promise<PageOfRows>;
  facets(params: object, options: { signal?: AbortSignal }): Promise<ListFacets>;
}

let asking: { readonly token: string; readonly client: Client; readonly cache: Cache } | undefined;
/** The state of the account that the newest page of a list is of. */
let newestTag: string | undefined;

/** Facets have tags of their own: to wait with one of those would be answered at once, as if it were news. */
async function noting(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const { pathname } = new URL(url);
  if (lists.some(({ path }) => pathname.endsWith(path)))
    newestTag = response.headers.get('etag') ?? newestTag;
  return response;
}

function clientOf(token: string, { member }: ListFacts): ListClient {
  if (asking?.token !== token) {
    const cache = new Cache();
    const options = { url: BASE, token, cache, retries: 0, timeout_ms: TIMEOUT_MS, fetch: noting };
    asking = { token, cache, client: new Client(options) };
  }
  return (asking.client as unknown as Record<string, ListClient>)[member] as ListClient;
}

/** Forgets every answer: what one account received is not for the next one to see. */
export function forget(): void {
  asking?.cache.clear();
  asking = undefined;
  newestTag = undefined;
}

export async function readPage(
  token: string,
  list: ListFacts,
  view: View,
  signal: AbortSignal,
): Promise<PageOfRows> {
  const { data, page, page_size, total, total_pages } = await clientOf(token, list).list(pageParams(view), {
    signal,
  });
  return { data, page, page_size, total, total_pages };
}

export function noSuchItem({ one }: ListFacts, id: string): Problem {
  return new Problem('not-found', texts.trouble.noItem(one, id));
}

export async function readItem(token: string, list: ListFacts, id: number, signal: AbortSignal) {
  const { data } = await clientOf(token, list).list({ ids: [id] }, { signal });
  if (data[0] !== undefined) return data[0];
  throw noSuchItem(list, String(id));
}

export function readFacets(
  token: string,
  list: ListFacts,
  view: View,
  signal: AbortSignal,
): Promise<ListFacets> {
  return clientOf(token, list).facets(filterParams(view), { signal });
}

/** How many match, and as many of them as fit one page. */
export function readSome(
  token: string,
  list: ListFacts,
  params: object,
  signal: AbortSignal,
): Promise<PageOfRows> {
  return clientOf(token, list).list(params, { signal });
}

/** The problem in an answer which did not come through the client. */
export async function problemOf(response: Response): Promise<Problem> {
  const { status, headers } = response;
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const { type, detail, request_id } = body;
  // Where it is not the service's own, such as a proxy's, its status is all that there is.
  const foreign = status >= INTERNAL ? 'unavailable' : 'unexpected-answer';
  const code = typeof type === 'string' ? type.replace(PROBLEM_TYPE, '') : foreign;
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new Problem(code as ProblemCode, typeof detail === 'string' ? detail : `HTTP ${status}`, {
    status,
    request_id: typeof request_id === 'string' ? request_id : (headers.get('x-request-id') ?? undefined),
    ...(Number.isFinite(retryAfter) && { retry_after: retryAfter }),
  });
}

function unanswered(cause: unknown, code: 'aborted' | 'timeout' | 'network'): Problem {
  return new Problem(code, `There was no answer: ${code}.`, { cause });
}

/** What is sent with a request, and how long its answer may be awaited. */
interface Outgoing {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly patience_ms?: number | undefined;
}

/** @throws {Problem} `timeout`, `network`, or `aborted` where nobody waits for it any more */
export async function ask(token: string, url: string, { headers, signal, patience_ms }: Outgoing) {
  const ending = new AbortController();
  const onAbort = () => ending.abort();
  // Also once there is an answer: the rest of a file is not wanted either.
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted === true) onAbort();
  let isLate = false;
  const onLate = () => {
    isLate = true;
    ending.abort();
  };
  const timer = patience_ms === undefined ? undefined : setTimeout(onLate, patience_ms);
  try {
    return await fetch(BASE + url, {
      headers: { ...headers, authorization: `Bearer ${token}` },
      cache: 'no-store',
      signal: ending.signal,
    });
  } catch (error) {
    throw unanswered(error, signal?.aborted === true ? 'aborted' : isLate ? 'timeout' : 'network');
  } finally {
    clearTimeout(timer);
  }
}

/** Whose token it is; `null` where the service does not say. */
export async function readAccount(token: string, signal: AbortSignal): Promise<Account | null> {
  const response = await ask(token, ACCOUNT_PATH, { signal, patience_ms: TIMEOUT_MS });
  if (response.status === NOT_FOUND) return null;
  if (response.status !== OK) throw await problemOf(response);
  return (await response.json()) as Account;
}

/**
 * Waits for the account to change.
 * @returns whether it did, and whether the service waited: one that does not must be polled.
 */
export async function waitForNews(token: string, list: ListFacts, signal: AbortSignal) {
  const before = newestTag;
  const began = performance.now();
  const headers = {
    prefer: `wait=${WAIT_SECONDS}`,
    ...(before !== undefined && { 'if-none-match': before }),
  };
  const outgoing = { headers, signal, patience_ms: 1_000 * WAIT_SECONDS + SLACK_MS };
  const response = await ask(token, `${list.path}?page_size=1`, outgoing);
  if (response.status !== OK && response.status !== NOT_MODIFIED) throw await problemOf(response);
  const tag = response.headers.get('etag') ?? undefined;
  const hasChanged = response.status === OK && before !== undefined && tag !== before;
  newestTag = tag ?? newestTag;
  // The first has nothing to compare with, and the next one waits.
  const isFirst = before === undefined && tag !== undefined;
  return { hasChanged, waited: isFirst || performance.now() - began > 1_000 };
}

/** Whether a problem says that the token is no longer good. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof Problem && error.status === UNAUTHENTICATED;
}

/** What a page shows of an error; `fault` is the code of one that is the page's own. */
export interface Trouble {
  readonly code: string;
  readonly detail: string;
  /** What is wrong with a query, one by one. */
  readonly faults: readonly Fault[];
  /** Under which the operator finds the request, where it may have arrived. */
  readonly requestId?: string | undefined;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

export function troubleOf(error: unknown): Trouble {
  if (!(error instanceof Problem)) {
    return { code: 'fault', detail: error instanceof Error ? error.message : String(error), faults: [] };
  }
  const { code, message: detail, faults = [], retry_after: retryAfter } = error;
  const requestId = code === 'network' ? undefined : error.request_id;
  return { code, detail, faults, requestId, retryAfter };
}
