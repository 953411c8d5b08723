// What the palette finds of the account: items of its lists, and accounts below it. While the next answer is
// awaited, what was found stays where it is, as far as it matches what is typed by now: neither Enter nor a
// click chooses anything else.

import { useDebouncedValue } from '@mantine/hooks';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useList } from '../address.tsx';
import { EMPTY_VIEW, type ListFacts, type Row } from '../contract.ts';
import { hasText, isRowFound } from '../filters/found.ts';
import { BASE_PATH } from '../linecard.ts';
import { addressSearch } from '../page.ts';
import { accountQuery, accountsQuery, pageQuery } from '../queries.ts';
import { mustChoose } from '../session.ts';
import { texts } from '../texts.ts';
import { withSearch } from '../view.ts';
import { action, type Entry, type Found } from './entries.ts';

/** The pause in typing after which a search is sent. */
const REST_MS = 220;
const SHORTEST_SEARCH = 2;
/** Of each list. */
const MOST_FOUND = 4;

/** What is typed, and whether that, or what was typed before, is searched. */
function useTyped(text: string) {
  const typed = text.trim();
  const [q] = useDebouncedValue(typed, REST_MS);
  return {
    typed,
    q,
    isOld: q !== typed,
    isSearched: [q, typed].every((one) => one.length >= SHORTEST_SEARCH),
  };
}

/** The accounts whose name or id has what is typed, where the token reaches any, once they are known. */
export function useAccounts(text: string): Entry[] | undefined {
  const { typed, q, isOld, isSearched } = useTyped(text);
  const list = useList();
  const { data: account } = useQuery(accountQuery());
  const reach = mustChoose() ? 'operator' : (account?.token.reach ?? 'account');
  const enabled = isSearched && reach !== 'account';
  const { data, isPlaceholderData } = useQuery({ ...accountsQuery(undefined, q), enabled });
  if (!enabled || data === undefined) return undefined;
  const isBefore = isOld || isPlaceholderData;
  const found = isBefore
    ? data.data.filter(({ id, name }) => [id, name].some((one) => hasText(one, typed)))
    : data.data;
  if (isBefore && found.length === 0) return undefined;
  return found.slice(0, MOST_FOUND).map(({ id, name }) => {
    const label = texts.labelled(texts.accounts.title, name || id);
    return action(label, 'person', () =>
      location.assign(BASE_PATH + (list?.word ?? '') + addressSearch('', id)),
    );
  });
}

/** The first items of each list that match what is typed. */
export function useFound(text: string, lists: readonly ListFacts[]): Found[] {
  const { typed, q, isOld, isSearched } = useTyped(text);
  const view = withSearch({ ...EMPTY_VIEW, pageSize: MOST_FOUND }, q);
  const answers = useQueries({
    queries: lists.map((list) => ({ ...pageQuery(list, view), enabled: isSearched })),
  });
  // `useQueries` hands on no placeholder from one search to the next.
  const before = useRef(new Map<string, readonly Row[]>());
  if (!isSearched) return [];
  return lists.map((list, i) => {
    const { data, isPlaceholderData = false } = answers[i] ?? {};
    if (data !== undefined) before.current.set(list.name, data.data);
    const rows = before.current.get(list.name) ?? [];
    const isCurrent = data !== undefined && !isPlaceholderData && !isOld;
    return { list, rows: isCurrent ? rows : rows.filter((row) => isRowFound(list, row, typed)) };
  });
}
