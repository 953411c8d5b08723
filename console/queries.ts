// What is requested, under which key it is cached, and when it is fetched again.

import {
  infiniteQueryOptions,
  keepPreviousData,
  QueryCache,
  QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import { COMPARED_DAYS } from './compare/figures.ts';
import {
  EMPTY_VIEW,
  filterParams,
  type ListFacts,
  PAGE_SIZE,
  pageParams,
  type Row,
  type View,
  writeQuery,
} from './contract.ts';
import {
  isSignedOut,
  readAccount,
  readAccounts,
  readActivity,
  readFacets,
  readItem,
  readRows,
  readWebhooks,
  troubleOf,
  type WhatHappened,
} from './linecard.ts';
import { OVERVIEW_DAYS } from './overview/money.ts';
import { currentSession, expire } from './session.ts';

const MOST_TRIES = 2;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
const LONGEST_RETRY_MS = 10_000;
/** Two weeks, which fit on a phone. */
export const DUE_CHART_DAYS = 14;
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
  return Math.max(backoff, 1_000 * (retryAfter ?? 0));
}

function retryInterval({ state }: { readonly state: { status: string; error: unknown } }): number | false {
  if (state.status !== 'error') return false;
  const { code, retryAfter } = troubleOf(state.error);
  if (code === 'rate-limited') return 1_000 * (retryAfter ?? 1);
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

function tokenNow(): string {
  return currentSession().token ?? '';
}

export function pageQuery(list: ListFacts, view: View) {
  const token = tokenNow();
  const params = pageParams(view);
  return queryOptions({
    queryKey: [token, list.name, 'page', writeQuery(params)],
    queryFn: ({ signal }) => readRows(token, list, params, signal),
    placeholderData: (before, query) => (query?.queryKey[1] === list.name ? before : undefined),
  });
}

export function facetsQuery(list: ListFacts, view: View) {
  const token = tokenNow();
  return queryOptions({
    queryKey: [token, list.name, 'facets', writeQuery(filterParams(view))],
    queryFn: ({ signal }) => readFacets(token, list, view, signal, { due_days: DUE_CHART_DAYS }),
    placeholderData: (before, query) => (query?.queryKey[1] === list.name ? before : undefined),
  });
}

/** What a list costs and when it is due, for the overview. */
export function overviewQuery(list: ListFacts) {
  const token = tokenNow();
  const charges = list.sums.length > 0;
  const more = { due_days: OVERVIEW_DAYS, ...(charges && { charges }) };
  return queryOptions({
    queryKey: [token, list.name, 'overview', charges],
    queryFn: ({ signal }) => readFacets(token, list, EMPTY_VIEW, signal, more),
  });
}

/** One value of a comparison. */
export function compareQuery(list: ListFacts, view: View) {
  const token = tokenNow();
  return queryOptions({
    queryKey: [token, list.name, 'compare', writeQuery(filterParams(view))],
    queryFn: ({ signal }) => readFacets(token, list, view, signal, { due_days: COMPARED_DAYS }),
  });
}

export function itemQuery(list: ListFacts, id: number, shown: Row | undefined) {
  const token = tokenNow();
  return queryOptions({
    queryKey: [token, list.name, 'item', id],
    queryFn: ({ signal }) => readItem(token, list, id, signal),
    ...(shown !== undefined && { initialData: shown }),
  });
}

/** The texts by which people know items, as rows; those that are not on the account are missing. */
export function namesQuery(list: ListFacts, ids: readonly number[]) {
  const token = tokenNow();
  const params = { ids, fields: ['id', list.search[0]], page_size: ids.length };
  return queryOptions({
    queryKey: [token, list.name, 'names', ids.join()],
    queryFn: ({ signal }) => readRows(token, list, params, signal),
  });
}

/** What happened to one item: the newest page of it. */
export function historyQuery(list: ListFacts, id: number) {
  const token = tokenNow();
  const query = { lists: [list.name], ids: [id], page_size: PAGE_SIZE } as WhatHappened;
  return queryOptions({
    queryKey: [token, list.name, 'history', id],
    queryFn: ({ signal }) => readActivity(token, query, signal),
  });
}

export function activityQuery(view: View) {
  const token = tokenNow();
  const params = { ...filterParams(view), page_size: view.pageSize };
  return infiniteQueryOptions({
    queryKey: [token, 'activity', writeQuery(params)],
    queryFn: ({ signal, pageParam: cursor }) => readActivity(token, { ...params, cursor }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    meta: NOT_LIVE,
    gcTime: 0,
  });
}

/** The newest of what happened, to notice more of it. */
export function newestQuery(view: View) {
  const token = tokenNow();
  const query = { ...filterParams(view), page_size: 1 };
  return queryOptions({
    queryKey: [token, 'newest', writeQuery(query)],
    queryFn: ({ signal }) => readActivity(token, query, signal),
    gcTime: 0,
  });
}

/** Attempts change nothing of the account, so they are polled. */
export function webhooksQuery() {
  const token = tokenNow();
  return queryOptions({
    queryKey: [token, 'webhooks'],
    queryFn: ({ signal }) => readWebhooks(token, signal),
    refetchInterval: (query) => retryInterval(query) || WEBHOOKS_MS,
  });
}

export function accountQuery() {
  const token = tokenNow();
  return queryOptions({
    queryKey: [token, 'account'],
    queryFn: ({ signal }) => readAccount(token, signal),
    placeholderData: keepPreviousData,
  });
}

/** How many accounts are shown to choose from. */
const MOST_ACCOUNTS = 50;

/** The accounts directly below one, or below that of the token. */
export function accountsQuery(account: string | undefined, q: string) {
  const token = tokenNow();
  const query = { account, page_size: MOST_ACCOUNTS, ...(q !== '' && { q }) };
  return queryOptions({
    queryKey: [token, 'accounts', account ?? '', q],
    queryFn: ({ signal }) => readAccounts(token, query, signal),
    placeholderData: (before, last) => (last?.queryKey[2] === (account ?? '') ? before : undefined),
  });
}
