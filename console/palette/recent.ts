// The views that were looked at last, newest first: filtered or searched ones, forgotten with the session.

import { filterParams, type ListFacts, type View, writeQuery } from '../contract.ts';
import { onSession } from '../session.ts';
import { isFiltered } from '../view.ts';

const MOST = 8;

export interface RecentView {
  readonly list: ListFacts;
  readonly view: View;
}

let recent: readonly RecentView[] = [];

onSession(() => {
  recent = [];
});

/** In another order it is the same view, by the same name. */
const keyOf = ({ list, view }: RecentView) => `${list.name}?${writeQuery(filterParams(view))}`;

/** Whether one is the other while its search is typed. */
function isTyped(before: RecentView, now: RecentView): boolean {
  const [{ q: shorter }, { q: longer }] = [before.view, now.view];
  if (shorter === undefined || longer === undefined) return false;
  const without = (one: RecentView) => keyOf({ ...one, view: { ...one.view, q: undefined } });
  return (longer.startsWith(shorter) || shorter.startsWith(longer)) && without(before) === without(now);
}

export function remember(now: RecentView): void {
  if (!isFiltered(now.view)) return;
  const others = recent.filter((one) => keyOf(one) !== keyOf(now));
  const [last] = others;
  const isSame = last !== undefined && recent[0] === last && isTyped(last, now);
  const view = { ...now.view, page: 1 };
  recent = [{ list: now.list, view }, ...others.slice(isSame ? 1 : 0)].slice(0, MOST);
}

export function recentViews(): readonly RecentView[] {
  return recent;
}
