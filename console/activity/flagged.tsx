// How many numbers were flagged as spam since the page of activity was shown last, as this browser remembers.

import { useQuery } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { useLists } from '../address.tsx';
import { activityList, spamEvent } from '../contract.ts';
import { plural, shownCount } from '../format.ts';
import type { AccountFacts } from '../linecard.ts';
import { observable } from '../observable.ts';
import { flaggedQuery } from '../queries.ts';
import { useAddress } from '../router.tsx';
import { store, stored } from '../storage.ts';
import { texts } from '../texts.ts';

const KEY = 'linecard-seen';
/** Accounts that are remembered, the ones that were seen last. */
const MOST = 50;

/** By account, the time of the service up to which everything was seen. */
const seen = observable(stored(KEY));

function see({ id, updated_at }: AccountFacts): void {
  const { [id]: before, ...others } = seen.get();
  if (before === updated_at) return;
  const all = Object.entries({ ...others, [id]: updated_at }).slice(-MOST);
  seen.set(Object.fromEntries(all));
  store(KEY, seen.get());
}

/** While it is shown, everything is seen. */
export function useSeen(account: AccountFacts | undefined): void {
  useEffect(() => {
    if (account !== undefined) see(account);
  }, [account]);
}

/** @returns 0 on the first visit: what was before it is no news */
function useFlagged(account: AccountFacts | undefined): number {
  const all = useSyncExternalStore(seen.observe, seen.get);
  const until = account && all[account.id];
  const canBe = useLists().some(({ events }) => events.includes(spamEvent));
  useEffect(() => {
    if (account !== undefined && typeof until !== 'string') see(account);
  }, [account, until]);
  const after = typeof until === 'string' ? until : '';
  // Nothing has changed since: there is nothing to ask for.
  // There, everything is seen.
  const isThere = useAddress().path[0] === activityList.word;
  const isNews = !isThere && canBe && account !== undefined && after !== '' && account.updated_at > after;
  const { data } = useQuery({ ...flaggedQuery(after), enabled: isNews });
  if (!isNews || data === undefined) return 0;
  return data.entries.filter(({ at }) => at > after).reduce((sum, { count }) => sum + count, 0);
}

/** The count at the tab, which is announced when it comes; nothing for 0. */
export function FlaggedCount({ account }: { readonly account: AccountFacts | undefined }) {
  const flagged = useFlagged(account);
  if (flagged === 0) return <span role="status" className="hidden" />;
  const said = plural(texts.activity.flagged, flagged);
  return (
    <span role="status" className="tab-count" data-tone="bad" title={said}>
      <span aria-hidden="true">{shownCount(flagged)}</span>
      <span className="hidden">{said}</span>
    </span>
  );
}
