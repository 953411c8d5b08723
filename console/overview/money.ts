// What both lists cost and when it is due, as one: sums of the facets of each.

import type { ListFacts } from '../contract.ts';
import type { ListFacets } from '../linecard.ts';
import { type CalendarDay, comingUtcDays } from '../times.ts';
import { flagTones } from '../words.ts';

/** Twelve weeks. */
export const OVERVIEW_DAYS = 84;

export interface Counted {
  readonly list: ListFacts;
  readonly facets: ListFacets;
}

export interface Part {
  readonly list: ListFacts;
  readonly count: number;
  /** 0 where the token sees no charges. */
  readonly amount: number;
}

export interface Day {
  /** In UTC. */
  readonly day: CalendarDay;
  readonly parts: readonly Part[];
  readonly count: number;
  readonly amount: number;
}

export function addUp<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

export const countOf = (one: { readonly count: number }) => one.count;
export const amountOf = (one: { readonly amount: number }) => one.amount;

/** Each of the coming days, also those on which nothing is due. */
export function daysOf(all: readonly Counted[], at: number): Day[] {
  return comingUtcDays(OVERVIEW_DAYS, at).map((day) => {
    const parts = all.flatMap(({ list, facets }): Part[] => {
      const due = facets.due_by_day?.find((one) => one.day === day);
      return due === undefined ? [] : [{ list, count: due.count, amount: due.amount ?? 0 }];
    });
    return { day, parts, count: addUp(parts, countOf), amount: addUp(parts, amountOf) };
  });
}

/** How many items have each flag that stands out; no number until it is known. */
export function flaggedIn(list: ListFacts, facets: ListFacets | undefined) {
  const flags = list.filters.filter(({ field, test }) => test === 'is' && flagTones[field.name] === 'bad');
  return flags.map((filter) => {
    const values = facets?.facets[filter.name]?.values ?? [];
    return { filter, count: facets && (values.find(({ value }) => value === true)?.count ?? 0) };
  });
}

export interface Rank {
  /** Distinguishes the ranks. */
  readonly key: string;
  readonly list: ListFacts;
  /** Absent for a whole list, which has no such filter. */
  readonly value?: string;
  readonly count: number;
  readonly monthly: number;
}

export interface Ranking {
  readonly ranks: readonly Rank[];
  /** What has a value that facets do not list. */
  readonly rest: Pick<Rank, 'count' | 'monthly'>;
}

/** The values of a filter by what they cost, with each list that has no such filter as one. */
export function rankingOf(all: readonly Counted[], filter: string, seesCharges: boolean): Ranking {
  const ranks = all.flatMap(({ list, facets }): Rank[] => {
    const values = facets.facets[filter]?.values;
    const { total: count, sums } = facets;
    if (values === undefined) return [{ key: list.name, list, count, monthly: sums['monthly'] ?? 0 }];
    return values.map((one) => ({
      key: `${list.name} ${String(one.value)}`,
      list,
      value: String(one.value),
      count: one.count,
      monthly: one.monthly ?? 0,
    }));
  });
  const size = (rank: Rank) => (seesCharges ? rank.monthly : rank.count);
  const total = addUp(all, ({ facets }) => facets.sums['monthly'] ?? 0);
  const others = addUp(all, ({ facets }) => facets.facets[filter]?.others ?? 0);
  return {
    ranks: ranks.filter(({ count }) => count > 0).sort((a, b) => size(b) - size(a)),
    rest: { count: others, monthly: others === 0 ? 0 : total - addUp(ranks, ({ monthly }) => monthly) },
  };
}
