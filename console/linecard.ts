// All requests of the console, through the client that customers' programs use.

import type { VirtualNumbersFilters } from '@linecard/client';
import {
  type Account,
  type ActivityEntry,
  type ActivityQuery,
  answerOf,
  Cache,
  Client,
  type Export,
  type ExportFormat,
  type Fault,
  type PageOf,
  Problem,
} from '@linecard/client';
import { type ListParams, listOf } from '@linecard/client/client/any-list';
import { rangesCsv } from '@linecard/client/contract/ranges';
import { LISTED_ATTEMPTS } from '@linecard/client/contract/webhooks';
import { fileTypes, type ListFacts, lists, type Row, selectionParams, type View } from './contract.ts';
import { ACCOUNT } from './page.ts';
import { language, texts } from './texts.ts';

const here = import.meta.url;
/** The URL of the console, including a proxy's prefix. A build has its files one folder deeper. */
export const BASE = new URL(import.meta.env.PROD ? '..' : '.', here).href.replace(/\/$/, '');
export const BASE_PATH = new URL(`${BASE}/`).pathname;

const TIMEOUT_MS = 30_000;
const SIGN_IN_TIMEOUT_MS = 15_000;
/** How long a request for news may wait; every common load balancer allows it. */
const WAIT_SECONDS = 25;
/** How much later than that its answer may arrive. */
const SLACK_MS = 10_000;
/** An answer that arrives sooner did not wait. */
const LEAST_WAIT_MS = 1_000;
const UNAUTHENTICATED = 401;
const RANGES_AT_ONCE = 1_000;

export type AccountFacts = Account;
export type Happened = ActivityEntry;
/** A list may leave out the attempts before these. */
export const listedAttempts: number = LISTED_ATTEMPTS;
export type Webhook = Awaited<ReturnType<Client['webhooks']>>[number];
export type WhatHappened = ActivityQuery;
export type PageOfRows = PageOf<Row>;
export type RangesPage = Awaited<ReturnType<typeof readRanges>>;
export type NumberRange = RangesPage['data'][number];

export interface Connection {
  readonly token: string;
  readonly client: Client;
  /** The same, for requests that wait for a change. */
  readonly waiting: Client;
  /** The state of the account in the newest answer. */
  newestTag?: string | undefined;
  /** The state in the newest answer to a request for news. */
  newsTag?: string;
  /** The list of the newest page: a token may not see all. */
  list?: ListFacts | undefined;
}

let connection: Connection | undefined;

/** The client does not retry: queries.ts does, and shows it. */
export const clientFor = (token: string, options: Partial<ConstructorParameters<typeof Client>[0]> = {}) =>
  new Client({ url: BASE, token, retries: 0, timeout_ms: TIMEOUT_MS, ...options });

export function connectionOf(token: string): Connection {
  if (connection?.token === token) return connection;
  const cache = new Cache();
  const headers = { prefer: `wait=${WAIT_SECONDS}` };
  const timeout_ms = 1_000 * WAIT_SECONDS + SLACK_MS;
  const waiting = clientFor(token, { account: ACCOUNT, cache, headers, timeout_ms });
  connection = { token, client: clientFor(token, { account: ACCOUNT, cache }), waiting };
  return connection;
}

/** Forgets all answers, so that the next account does not see them. */
export function forget(): void {
  connection = undefined;
}

/** The state of the account in an ETag. Proxies that compress an answer change the ETag. */
function tagOf(answer: object): string | undefined {
  return answerOf(answer)
    .etag?.replace(/^W\//, '')
    .replace(/-gzip"$/, '"');
}

export async function readRows(
  from: Connection,
  list: ListFacts,
  params: object,
  signal: AbortSignal,
): Promise<PageOfRows> {
  const page = await listOf(from.client, list).list(params as ListParams, { signal });
  from.newestTag = tagOf(page) ?? from.newestTag;
  from.list = list;
  const { data, page: number, page_size, total, total_pages } = page;
  return { data: data as Row[], page: number, page_size, total, total_pages };
}

export async function readRanges(from: Connection, list: ListFacts, params: object, signal: AbortSignal) {
  const answer = await from.client.virtualNumbers.ranges(params as VirtualNumbersFilters, { signal });
  from.newestTag = tagOf(answer) ?? from.newestTag;
  from.list = list;
  const { data, page, page_size, total, total_pages } = answer;
  return { data, page, page_size, total, total_pages };
}

/** All ranges as CSV. */
export async function rangesFile(token: string, params: object, splits: readonly string[]): Promise<Blob> {
  const all = { ...params, page: 1, page_size: RANGES_AT_ONCE };
  const ranges = await connectionOf(token).client.virtualNumbers.ranges(all).toArray();
  return new Blob([...rangesCsv(ranges, splits)], { type: fileTypes.csv });
}

export const noSuchPage = new Problem('not-found', texts.trouble.invalid);

export const outOfReach = new Problem('not-found', texts.accounts.outOfReach(ACCOUNT ?? ''));

export const noSuchItem = ({ one }: ListFacts, id: string) =>
  new Problem('not-found', texts.trouble.noItem(one, id));

export async function readItem(from: Connection, list: ListFacts, id: number, signal: AbortSignal) {
  const { data } = await readRows(from, list, { ids: [id] }, signal);
  if (data[0] !== undefined) return data[0];
  throw noSuchItem(list, String(id));
}

/** All items that match, page by page. */
export async function readAll({ client }: Connection, list: ListFacts, params: object, signal: AbortSignal) {
  const rows: Row[] = [];
  for await (const row of listOf(client, list).iterate(params as ListParams, { signal }))
    rows.push(row as Row);
  return rows;
}

export function readFacets(from: Connection, list: ListFacts, params: object, signal: AbortSignal) {
  from.list = list;
  return listOf(from.client, list).facets(params as ListParams, { signal });
}

export async function readAccount(from: Connection, signal: AbortSignal) {
  const account = await from.client.account({ signal });
  // What is waited on must be a list that the token sees, also where no list is shown.
  from.list ??= lists.find(({ name }) => account.token.lists?.some((one) => one === name));
  return account;
}

/** A page of what happened, newest first. */
export async function readActivity({ client }: Connection, query: ActivityQuery, signal: AbortSignal) {
  const { data, since, next } = await client.activity(query, { signal });
  return { entries: data, since, next };
}

interface FileRequest {
  readonly list: ListFacts;
  readonly view: View;
  readonly format: ExportFormat;
  readonly columns?: readonly string[] | undefined;
}

/** A workbook is for people; other files are for programs. */
export function openFile(
  token: string,
  { list, view, format, columns }: FileRequest,
  signal: AbortSignal,
): Promise<Export<object>> {
  const params = { ...(selectionParams(view) as ListParams), ...(columns && { fields: columns }) };
  const headings = format === 'xlsx' ? language : undefined;
  return listOf(connectionOf(token).client, list).export(params, { format, headings, signal });
}

/**
 * The account of a token.
 * @throws {Problem} where the token is invalid or cannot be checked
 */
export function checkToken(token: string): Promise<Account> {
  return clientFor(token, { timeout_ms: SIGN_IN_TIMEOUT_MS }).account();
}

/**
 * Waits for the account to change.
 * @param mayWait false after a failure, so that a service that is back is seen immediately
 * @returns whether it changed, and whether the service waited; one that does not must be polled
 */
export async function waitForNews(token: string, mayWait: boolean, signal: AbortSignal) {
  const from = connectionOf(token);
  const { newestTag: before, newsTag } = from;
  // If a page is newer than the last news, the service would not wait.
  const waits = mayWait && newsTag !== undefined && newsTag === before;
  const began = performance.now();
  // Each change of an account changes the ETag of both lists.
  const [first] = lists as readonly [ListFacts, ...ListFacts[]];
  const page = await listOf(waits ? from.waiting : from.client, from.list ?? first).list(
    { page_size: 1 },
    { signal },
  );
  const tag = tagOf(page);
  if (tag === undefined) return { hasChanged: false, waited: false };
  from.newsTag = tag;
  from.newestTag = tag;
  const waited = !waits || performance.now() - began > LEAST_WAIT_MS;
  // A page that is newer than the last news is alone in that: sums and other pages are older.
  const hasChanged = [before, newsTag].some((known) => known !== undefined && known !== tag);
  return { hasChanged, waited };
}

/** Whether the token may not read the account that the address names. */
export function isOutOfReach(error: unknown): boolean {
  const codes = ['forbidden', 'invalid-parameter', 'invalid-option'];
  return ACCOUNT !== undefined && error instanceof Problem && codes.includes(error.code);
}

/** A problem that another thread had. */
export function problemOf({
  code,
  detail,
  status,
}: Pick<Problem, 'code' | 'status'> & { readonly detail: string }) {
  return new Problem(code as ConstructorParameters<typeof Problem>[0], detail, { status });
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof Problem && error.status === UNAUTHENTICATED;
}

/** What a page shows of an error. The code is `fault` for an error of the page itself. */
export interface Trouble {
  readonly code: string;
  readonly detail: string;
  /** Each fault of a query. */
  readonly faults: readonly Fault[];
  /** The operator finds the request by it, unless it never arrived. */
  readonly requestId?: string | undefined;
  readonly retryAfter?: number | undefined;
}

export function troubleOf(error: unknown): Trouble {
  if (!(error instanceof Problem)) {
    return { code: 'fault', detail: error instanceof Error ? error.message : String(error), faults: [] };
  }
  const { message: detail, faults = [], retry_after: retryAfter } = error;
  // For a reader, both come from somewhere else.
  const code = error.code === 'redirected' ? 'unexpected-answer' : error.code;
  const requestId = code === 'network' ? undefined : error.request_id;
  return { code, detail, faults, requestId, retryAfter };
}
