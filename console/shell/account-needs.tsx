// What of each account needs somebody: overdue payments and flagged numbers, from the facets of its lists, as
// links to the items. Accounts that have most come first, in an order that stays.

import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import {
  EMPTY_VIEW,
  type ListFacets,
  type ListFacts,
  lists,
  priceField,
  type View,
  writeView,
} from '../contract.ts';
import { flaggedIn, isPriced, overdueAt, paymentsIn, viewIn } from '../figures.ts';
import { plural, shownItems, shownSum } from '../format.ts';
import { Icon } from '../icons.tsx';
import { BASE_PATH, clientFor, readFacets } from '../linecard.ts';
import { addressSearch } from '../page.ts';
import { placeholderWithin, requestOf } from '../queries.ts';
import { locale, texts } from '../texts.ts';
import { withToggled } from '../view.ts';

/** How many accounts are looked at, page by page, for those that have most items. */
const MOST_READ = 1_000;
const READ_AT_ONCE = 100;
const MOST_SHOWN = 50;
/** Requests at a time: what else the page requests does not wait for them. */
const MOST_REQUESTS = 4;
/** A parent's page does not hear of changes of the accounts below. */
const FRESH_MS = 60_000;

export interface AccountBelow {
  readonly id: string;
  readonly name: string;
  readonly currency: string | null;
  readonly accounts: number;
}

/** A link to what needs somebody in an account. */
export interface Need {
  readonly icon: 'flag' | 'warning';
  readonly count: number;
  readonly text: string;
  readonly href: string;
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (running >= MOST_REQUESTS) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    signal.throwIfAborted();
    return await request();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

type Counts = Readonly<Record<string, unknown>>;
const itemsOf = (account: Counts) => lists.reduce((sum, { name }) => sum + Number(account[name] ?? 0), 0);

type Named = Pick<AccountBelow, 'id' | 'name'>;

const { compare } = new Intl.Collator(locale, { numeric: true });
/** `Customer 9` before `Customer 10`. */
const byName = (one: Named, other: Named) => compare(one.name || one.id, other.name || other.id);
/** Those that have most items first. */
const byItems = (one: Named, other: Named) =>
  itemsOf({ ...other }) - itemsOf({ ...one }) || byName(one, other);

/** The service has them in the order of their ids, so as many as there may be are read before the first. */
const firstOf = (account: string | undefined, q: string, order: typeof byName, key: string) =>
  requestOf(['accounts', account ?? '', key], async ({ token }, signal) => {
    const query = { page_size: READ_AT_ONCE, ...(q !== '' && { q }) };
    const first = await clientFor(token, { account }).accounts(query, { signal });
    const all: (typeof first.data)[number][] = [];
    for await (const one of first) if (all.push(one) >= MOST_READ) break;
    return { data: all.sort(order).slice(0, MOST_SHOWN), total: first.total };
  });

/** Of the accounts directly below one, or below that of the token, those that have most items. */
export const largestQuery = (account: string | undefined) => ({
  ...firstOf(account, '', byItems, 'largest'),
  staleTime: FRESH_MS,
  refetchOnWindowFocus: true,
});

/** By their names, those whose name or id has a text. */
export const namedQuery = (account: string | undefined, q: string) => ({
  ...firstOf(account, q, byName, `named ${q}`),
  placeholderData: placeholderWithin(2, account ?? ''),
});

const needsQuery = ({ id }: AccountBelow, list: ListFacts) => ({
  ...requestOf(['needs', id, list.name], (from, signal) => {
    const client = clientFor(from.token, { account: id });
    return inTurn(() => readFacets({ ...from, client }, list, { due_days: 1 }, signal), signal);
  }),
  staleTime: FRESH_MS,
  refetchOnWindowFocus: true,
});

/** Among accounts of several currencies, one without says so. */
const withCurrency = (amount: number, currency: string | null) =>
  currency === null
    ? texts.accounts.withoutCurrency(shownSum(amount, undefined))
    : shownSum(amount, currency);

function needsOf(account: AccountBelow, list: ListFacts, facets: ListFacets): Need[] {
  const href = (view: View) => `${BASE_PATH}${list.word}${addressSearch(writeView(view), account.id)}`;
  const time = overdueAt(Date.now());
  const paid = paymentsIn(facets, time);
  const { count, amount } = paid;
  const said = texts.overview.overdueOf(shownItems(list, count));
  // Without charges there is no sum, nor an amount.
  const text =
    priceField in facets.sums && isPriced(paid)
      ? texts.labelled(said, withCurrency(amount, account.currency))
      : said;
  return [
    { icon: 'warning' as const, count, text, href: href(viewIn(list, EMPTY_VIEW, time)) },
    ...flaggedIn(list, facets).map(({ filter, count: flagged = 0 }) => ({
      icon: 'flag' as const,
      count: flagged,
      text: plural(texts.glance.flagged, flagged),
      href: href(withToggled(list, EMPTY_VIEW, filter, true)),
    })),
  ].filter((need) => need.count > 0);
}

export interface Needing<Account> {
  readonly account: Account;
  readonly needs: readonly Need[];
  /** Whether some of them are not known yet, or cannot be. */
  readonly state: 'known' | 'waiting' | 'failed';
}

/** How many of the accounts are known, while their order is not. */
export interface Progress {
  readonly done: number;
  readonly of: number;
}

const needsWith = ({ needs }: Needing<unknown>, icon: Need['icon']) =>
  needs.reduce((sum, need) => sum + (need.icon === icon ? need.count : 0), 0);
/** Amounts of several currencies cannot be compared: payments are counted. */
const byNeed = (one: Needing<Named>, other: Needing<Named>) =>
  needsWith(other, 'warning') - needsWith(one, 'warning') ||
  needsWith(other, 'flag') - needsWith(one, 'flag') ||
  byName(one.account, other.account);

/**
 * @param isOrdered whether those that need most come first
 * @returns how far it is until all have answered or failed; then the order stays
 */
export function useNeeds<Account extends AccountBelow & Counts>(
  accounts: readonly Account[],
  isOrdered: boolean,
): readonly Needing<Account>[] | Progress {
  const [order, setOrder] = useState<readonly string[]>();
  const parts = accounts.flatMap((account) =>
    lists.filter(({ name }) => Number(account[name]) > 0).map((list) => ({ account, list })),
  );
  const answers = useQueries({ queries: parts.map(({ account, list }) => needsQuery(account, list)) });
  const all = accounts.map((account): Needing<Account> => {
    const own = parts
      .map((part, i) => ({ ...part, answer: answers[i] }))
      .filter((one) => one.account === account);
    // As on the overview: what is overdue in each list, then what is flagged.
    const needs = own
      .flatMap(({ list, answer }) => (answer?.data === undefined ? [] : needsOf(account, list, answer.data)))
      .sort((one, other) => Number(one.icon === 'flag') - Number(other.icon === 'flag'));
    const missing = own.flatMap(({ answer }) => (answer?.data === undefined ? [answer] : []));
    // One that has failed is pending again while it is retried.
    const isFailed = missing.every((answer) => (answer?.errorUpdateCount ?? 0) > 0);
    return { account, needs, state: missing.length === 0 ? 'known' : isFailed ? 'failed' : 'waiting' };
  });
  if (!isOrdered) return all;
  if (order !== undefined) {
    const rank = ({ account: { id } }: Needing<Account>) =>
      order.includes(id) ? order.indexOf(id) : order.length;
    return all.sort((one, other) => rank(one) - rank(other));
  }
  const done = all.filter(({ state }) => state !== 'waiting').length;
  if (done < all.length || all.length === 0) return { done, of: all.length };
  all.sort(byNeed);
  setOrder(all.map(({ account }) => account.id));
  return all;
}

export function Needs({ needs, state }: Omit<Needing<unknown>, 'account'>) {
  if (state === 'waiting') return <span className="bone chooser-needs" />;
  return (
    <span className="flow chooser-needs">
      {needs.map(({ icon, text, href }) => (
        <a key={href} href={href} className="row flagged">
          <Icon name={icon} size={15} />
          {text}
        </a>
      ))}
      {state === 'failed' && <span className="dim">{texts.glance.failed}</span>}
    </span>
  );
}
