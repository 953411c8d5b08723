// What both lists cost and when it is due, as one: the figures of each, added up.

import { type ListFacets, type ListFacts, priceField } from '../contract.ts';
import {
  addUp,
  listPriceOf,
  monthsFrom,
  othersPrice,
  overdueAt,
  type Payments,
  paymentsIn,
  sumOf,
  type Time,
} from '../figures.ts';
import { texts } from '../texts.ts';
import { type CalendarDay, comingUtcDays, shownDay } from '../times.ts';

/** Twelve weeks. */
const TIMELINE_DAYS = 84;

export interface Counted {
  readonly list: ListFacts;
  readonly facets: ListFacets;
}

export interface Part extends Payments {
  readonly list: ListFacts;
}

/** What is paid in a time, of each list that has any. */
export interface Paid extends Payments {
  readonly parts: readonly Part[];
}

export interface Day extends Paid {
  /** In UTC. */
  readonly day: CalendarDay;
}

export function paidIn(all: readonly Counted[], time: Time): Paid {
  const parts = all
    .map(({ list, facets }) => ({ list, ...paymentsIn(facets, time) }))
    .filter(({ count }) => count > 0);
  return { parts, ...sumOf(parts) };
}

/** Each of the coming days, also those on which nothing is due. */
export function daysOf(all: readonly Counted[], at: number): Day[] {
  return comingUtcDays(TIMELINE_DAYS, at).map((day) => ({
    day,
    ...paidIn(all, { kind: 'days', first: day, last: day }),
  }));
}

/** The day on which more is due, or credited, than on any other. */
export function peakOf(days: readonly Day[], size: (day: Day) => number): Day | undefined {
  const sign = addUp(days, size) < 0 ? -1 : 1;
  const [first, second] = days
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => sign * (size(other) - size(one)));
  return first !== undefined && second !== undefined && size(first) === size(second) ? undefined : first;
}

/** The months, as rows of the table. */
export function monthRows(at: number): readonly { readonly label: string; readonly time: Time }[] {
  const months = monthsFrom(at).map((time, i) => {
    const { onlyMonth } = shownDay(time.first);
    return { label: i === 0 ? texts.overview.restOf(onlyMonth) : onlyMonth, time };
  });
  return [{ label: texts.filters.presets.overdue, time: overdueAt(at) }, ...months];
}

export interface Rank {
  /** Distinguishes the ranks. */
  readonly key: string;
  readonly list: ListFacts;
  readonly value: string;
  readonly count: number;
  /** The list price of all. */
  readonly price: number;
}

type Size = Pick<Rank, 'count' | 'price'>;

export interface Ranking {
  readonly ranks: readonly Rank[];
  /** What has a value that facets do not list. */
  readonly rest: Size;
  /** The lists that have no such filter. */
  readonly others: readonly (Size & { readonly list: ListFacts })[];
}

/** The values of a filter by what they cost. */
export function rankingOf(all: readonly Counted[], filter: string, seesCharges: boolean): Ranking {
  const having = all.filter(({ facets }) => facets.facets[filter] !== undefined);
  const ranks = having.flatMap(({ list, facets }): Rank[] =>
    (facets.facets[filter]?.values ?? []).map((one) => ({
      key: `${list.name} ${String(one.value)}`,
      list,
      value: String(one.value),
      count: one.count,
      price: one[priceField] ?? 0,
    })),
  );
  const size = (rank: Rank) => (seesCharges ? rank.price : rank.count);
  const rest = addUp(having, ({ facets }) => facets.facets[filter]?.others ?? 0);
  return {
    ranks: ranks.filter(({ count }) => count > 0).sort((a, b) => size(b) - size(a)),
    rest: { count: rest, price: addUp(having, ({ facets }) => othersPrice(facets, filter) ?? 0) },
    others: all
      .filter((one) => !having.includes(one) && one.facets.total > 0)
      .map((one) => ({ list: one.list, count: one.facets.total, price: listPriceOf(one.facets) })),
  };
}
