// How the console requests everything: through the client that customers' programs use.

import {
  answerOf,
  Cache,
  Client,
  type Export,
  type ExportFormat,
  type Fault,
  type PageOf,
  Problem,
} from '@linecard/client';
import { type AnyFacets, type ListParams, listOf } from '@linecard/client/client/any-list';
import {
  filterParams,
  type ListFacts,
  lists,
  pageParams,
  type Row,
  selectionParams,
  type View,
} from './contract.ts';
import { texts } from './texts.ts';

const here = import.meta.url;
/** Where the console is, with the path that a proxy put it under; a build has its files one folder deeper. */
export const BASE = new URL(import.meta.env.PROD ? '..' : '.', here).href.replace(/\/$/, '');
export const BASE_PATH = new URL(`${BASE}/`).pathname;

const TIMEOUT_MS = 30_000;
const SIGN_IN_TIMEOUT_MS = 15_000;
/** How long a request for news may wait; every balancer on the way allows it. */
const WAIT_SECONDS = 25;
/** How much later than that an answer to it may come. */
const SLACK_MS = 10_000;
/** An answer in less time did not wait. */
const LEAST_WAIT_MS = 1_000;
const UNAUTHENTICATED = 401;

export type PageOfRows = PageOf<Row>;
export type ListFacets = AnyFacets;
export type FacetValue = ListFacets['facets'][string]['values'][number];

interface Connection {
  readonly token: string;
  readonly client: Client;
  /** The same, for requests that wait for a change. */
  readonly waiting: Client;
  /** The state of the account that the newest answer is of. */
  newestTag?: string | undefined;
  /** The one that the newest answer to a request for news is of. */
  newsTag?: string;
}

let connection: Connection | undefined;

/** Requests are repeated by queries.ts, which says so meanwhile, and not by the client. */
const clientFor = (token: string, options: Partial<ConstructorParameters<typeof Client>[0]> = {}) =>
  new Client({ url: BASE, token, retries: 0, timeout_ms: TIMEOUT_MS, ...options });

function connectionOf(token: string): Connection {
  if (connection?.token === token) return connection;
  const cache = new Cache();
  const headers = { prefer: `wait=${WAIT_SECONDS}` };
  const timeout_ms = 1_000 * WAIT_SECONDS + SLACK_MS;
  const waiting = clientFor(token, { cache, headers, timeout_ms });
  connection = { token, client: clientFor(token, { cache }), waiting };
  return connection;
}

/** Forgets every answer: what one account received is not for the next one to see. */
export function forget(): void {
  connection = undefined;
}

/** The state of the account in an ETag, which proxies that compress an answer change. */
function tagOf(answer: object): string | undefined {
  return answerOf(answer)
    .etag?.replace(/^W\//, '')
    .replace(/-gzip"$/, '"');
}

/** One page of a list. */
export async function readRows(
  token: string,
  list: ListFacts,
  params: object,
  signal: AbortSignal,
): Promise<PageOfRows> {
  const from = connectionOf(token);
  const page = await listOf(from.client, list).list(params as ListParams, { signal });
  from.newestTag = tagOf(page) ?? from.newestTag;
  const { data, page: number, page_size, total, total_pages } = page;
  return { data: data as Row[], page: number, page_size, total, total_pages };
}

export function readPage(token: string, list: ListFacts, view: View, signal: AbortSignal) {
  return readRows(token, list, pageParams(view), signal);
}

export const noSuchPage = new Problem('not-found', texts.trouble.invalid);

export function noSuchItem({ one }: ListFacts, id: string): Problem {
  return new Problem('not-found', texts.trouble.noItem(one, id));
}

export async function readItem(token: string, list: ListFacts, id: number, signal: AbortSignal) {
  const { data } = await readRows(token, list, { ids: [id] }, signal);
  if (data[0] !== undefined) return data[0];
  throw noSuchItem(list, String(id));
}

export function readFacets(token: string, list: ListFacts, view: View, signal: AbortSignal) {
  return listOf(connectionOf(token).client, list).facets(filterParams(view) as ListParams, { signal });
}

/** Whose token it is. */
export function readAccount(token: string, signal: AbortSignal) {
  return connectionOf(token).client.account({ signal });
}

/** Every match of a view as a file. */
export function openFile(
  token: string,
  { list, view, format }: { readonly list: ListFacts; readonly view: View; readonly format: ExportFormat },
  signal: AbortSignal,
): Promise<Export<object>> {
  const params = selectionParams(view) as ListParams;
  return listOf(connectionOf(token).client, list).export(params, { format, signal });
}

/** @throws {Problem} where a token is not valid, or nobody can say so */
export async function checkToken(token: string): Promise<void> {
  const client = clientFor(token, { timeout_ms: SIGN_IN_TIMEOUT_MS });
  for (const list of lists.slice(0, 1)) await listOf(client, list).list({ page_size: 1 });
}

/**
 * Waits for the account to change.
 * @param mayWait not after a failure: a service that is back should be seen immediately
 * @returns whether it did, and whether the service waited: one that does not must be polled
 */
export async function waitForNews(token: string, mayWait: boolean, signal: AbortSignal) {
  const from = connectionOf(token);
  const { newestTag: before, newsTag } = from;
  // Where a page is of another state than the last news, the service would wait with what is new already.
  const waits = mayWait && newsTag !== undefined && newsTag === before;
  const began = performance.now();
  // Every change of an account changes the tag of each of its lists.
  const [list] = lists as [ListFacts];
  const page = await listOf(waits ? from.waiting : from.client, list).list({ page_size: 1 }, { signal });
  const tag = tagOf(page);
  if (tag === undefined) return { hasChanged: false, waited: false };
  from.newsTag = tag;
  from.newestTag = tag;
  const waited = !waits || performance.now() - began > LEAST_WAIT_MS;
  return { hasChanged: before !== undefined && tag !== before, waited };
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
