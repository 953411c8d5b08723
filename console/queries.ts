// What is requested, under which key it is cached, and when it is fetched again.

import {
  infiniteQueryOptions,
  keepPreviousData,
  QueryCache,
  QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import {
  dueField,
  EMPTY_VIEW,
  filterParams,
  type ListFacts,
  PAGE_SIZE,
  pageParams,
  type Row,
  spamEvent,
  type View,
  writeQuery,
} from './contract.ts';
import { LIST_WINDOW, OVERVIEW_WINDOW, windowOf } from './figures.ts';
import { withoutBounds } from './glance/due.ts';
import {
  type Connection,
  checkToken,
  clientFor,
  connectionOf,
  isSignedOut,
  readAccount,
  readActivity,
  readFacets,
  readItem,
  readRanges,
  readRows,
  troubleOf,
  type WhatHappened,
} from './linecard.ts';
import { type Ranges, rangesId, rangesParams } from './ranges/address.ts';
import { currentSession, expire, mustChoose } from './session.ts';

const MOST_TRIES = 2;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
const LONGEST_RETRY_MS = 10_000;
/** The longest `Retry-After` that is obeyed: a timer for more than 24 days ends immediately. */
const LONGEST_WAIT_MS = 86_400_000;
/** How often a failed request that the page needs is sent again. */
const AGAIN_MS = 3_000;
/** How often the state of webhooks is polled. */
const WEBHOOKS_MS = 10_000;
/** Problems that may pass immediately. */
const PASSING = ['network', 'broken-off', 'unavailable'];

export function isRetried(code: string): boolean {
  return PASSING.includes(code) || code === 'timeout' || code === 'rate-limited';
}

/** The wait after the nth failure: what the answer says, else doubled each time. */
export function pauseAfter(failures: number, error: unknown): number {
  const { retryAfter } = troubleOf(error);
  const backoff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
  return Math.min(LONGEST_WAIT_MS, Math.max(backoff, 1_000 * (retryAfter ?? 0)));
}

function retryInterval({ state }: { readonly state: { status: string; error: unknown } }): number | false {
  if (state.status !== 'error') return false;
  const { code, retryAfter } = troubleOf(state.error);
  if (code === 'rate-limited') return Math.min(LONGEST_WAIT_MS, 1_000 * Math.max(1, retryAfter ?? 1));
  return isRetried(code) && AGAIN_MS;
}

export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      const [token] = query.queryKey;
      if (isSignedOut(error) && typeof token === 'string') expire(token);
    },
  }),
  defaultOptions: {
    queries: {
      // live.ts marks everything stale when anything changes.
      staleTime: Number.POSITIVE_INFINITY,
      networkMode: 'always',
      refetchOnWindowFocus: false,
      refetchInterval: retryInterval,
      // A timeout is shown before the next attempt.
      retry: (failures, error) => failures < MOST_TRIES && PASSING.includes(troubleOf(error).code),
      retryDelay: (failures, error) => Math.min(LONGEST_RETRY_MS, pauseAfter(failures + 1, error)),
    },
  },
});

/** A change of the account does not fetch it again. */
export const NOT_LIVE = { isLive: false };

type Read<T> = (from: Connection, signal: AbortSignal) => Promise<T>;

/** What is requested with the token of the session, which the key begins with. */
export function requestOf<T>(key: readonly unknown[], read: Read<T>) {
  const { token = '' } = currentSession();
  return queryOptions({
    queryKey: [token, ...key],
    queryFn: ({ signal }) => read(connectionOf(token), signal),
  });
}

interface Keyed {
  readonly queryKey: readonly unknown[];
}

/** Keeps what is shown while the next answer is requested, if these parts of the key are the same. */
export const placeholderWithin =
  (at: number, ...parts: readonly string[]) =>
  <T>(before: T | undefined, query: Keyed | undefined): T | undefined =>
    parts.every((part, i) => query?.queryKey[at + i] === part) ? before : undefined;

export function pageQuery(list: ListFacts, view: View) {
  const params = pageParams(view);
  const key = [list.name, 'page', writeQuery(params)];
  return {
    ...requestOf(key, (from, signal) => readRows(from, list, params, signal)),
    placeholderData: placeholderWithin(1, list.name),
  };
}

export function rangesQuery(list: ListFacts, view: View, ranges: Ranges) {
  const params = rangesParams(view, ranges);
  const split = rangesId(ranges);
  return {
    ...requestOf([list.name, split, writeQuery(params)], (from, signal) =>
      readRanges(from, list, params, signal),
    ),
    placeholderData: placeholderWithin(1, list.name, split),
  };
}

/** With the prices of the values, where the token sees them; every page has the same answer of a view. */
function countsQuery(list: ListFacts, view: View, due_days: number) {
  const prices = list.sums.length > 0 ? { charges: true } : {};
  const params = { ...filterParams(view), due_days, ...prices };
  const key = [list.name, 'facets', writeQuery(params)];
  return requestOf(key, (from, signal) => readFacets(from, list, params, signal));
}

/** Also of a comparison: all values, or one. */
export const figuresQuery = (list: ListFacts, view: View) => countsQuery(list, view, LIST_WINDOW);

export const facetsQuery = (list: ListFacts, view: View) => ({
  ...figuresQuery(list, view),
  placeholderData: placeholderWithin(1, list.name),
});

/** What falls due, and when: of what a view has without its filters on that. */
export const dueQuery = (list: ListFacts, view: View) => ({
  ...countsQuery(list, withoutBounds(list, view, dueField), windowOf(list, view, Date.now())),
  placeholderData: placeholderWithin(1, list.name),
});

/** What a list costs and when it is due, for the overview. */
export const overviewQuery = (list: ListFacts) => countsQuery(list, EMPTY_VIEW, OVERVIEW_WINDOW);

export function itemQuery(list: ListFacts, id: number, shown: Row | undefined) {
  return {
    ...requestOf([list.name, 'item', id], (from, signal) => readItem(from, list, id, signal)),
    ...(shown !== undefined && { initialData: shown }),
  };
}

/** What happened to one item: the newest page of it. */
export function historyQuery(list: ListFacts, id: number) {
  const query = { lists: [list.name], ids: [id], page_size: PAGE_SIZE } as WhatHappened;
  return requestOf([list.name, 'history', id], (from, signal) => readActivity(from, query, signal));
}

export function activityQuery(view: View) {
  const { token = '' } = currentSession();
  const params = { ...filterParams(view), page_size: view.pageSize };
  return infiniteQueryOptions({
    queryKey: [token, 'activity', writeQuery(params)],
    queryFn: ({ signal, pageParam: cursor }) =>
      readActivity(connectionOf(token), { ...params, cursor }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    meta: NOT_LIVE,
    gcTime: 0,
  });
}

/** The newest of what happened, to notice more of it. */
export function newestQuery(view: View) {
  const query = { ...filterParams(view), page_size: 1 };
  const key = ['newest', writeQuery(query)];
  return { ...requestOf(key, (from, signal) => readActivity(from, query, signal)), gcTime: 0 };
}

/** Imports that flagged numbers as spam at this time or later, the newest ones. */
export function flaggedQuery(from: string) {
  const query: WhatHappened = { events: [spamEvent], from, page_size: PAGE_SIZE };
  return requestOf(['flagged', from], (connection, signal) => readActivity(connection, query, signal));
}

/** Attempts change nothing of the account, so they are polled. */
export const webhooksQuery = () => ({
  ...requestOf(['webhooks'], ({ client }, signal) => client.webhooks({ signal })),
  refetchInterval: (query: Parameters<typeof retryInterval>[0]) => retryInterval(query) || WEBHOOKS_MS,
});

/** One endpoint, with all attempts that are retained. */
export const webhookQuery = (id: string) => ({
  ...requestOf(['webhook', id], ({ client }, signal) => client.webhook(id, { signal })),
  refetchInterval: (query: Parameters<typeof retryInterval>[0]) => retryInterval(query) || WEBHOOKS_MS,
});

export const accountQuery = () => ({
  ...requestOf(['account'], readAccount),
  placeholderData: keepPreviousData,
  enabled: !mustChoose(),
});

/** The account of a token, whatever account the address names. */
export const ownAccountQuery = (token: string) =>
  queryOptions({
    queryKey: [token, 'own-account'],
    queryFn: () => checkToken(token),
    // Tokens end.
    staleTime: 0,
    gcTime: 0,
  });

/** How many accounts are shown to choose from. */
const MOST_ACCOUNTS = 50;

/** The accounts directly below one, or below that of the token. */
export function accountsQuery(account: string | undefined, q: string) {
  const above = account ?? '';
  const query = { page_size: MOST_ACCOUNTS, ...(q !== '' && { q }) };
  return {
    ...requestOf(['accounts', above, q], ({ token }, signal) =>
      clientFor(token, { account }).accounts(query, { signal }),
    ),
    placeholderData: placeholderWithin(2, above),
  };
}
