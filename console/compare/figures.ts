// What is compared of a value, and the addresses of comparisons: `/virtual-numbers/compare-country_codes`.

import type { FilterFacts, ListFacets, ListFacts, View } from '../contract.ts';
import { addUp, countOf, flaggedIn, nextDays, paymentsIn, viewIn } from '../figures.ts';
import { canFilter, withToggled } from '../view.ts';

/** Each takes a request. */
export const MOST_COMPARED = 10;
const DUE_DAYS = 30;
const PREFIX = 'compare-';

/** The filters whose values can be compared: those that may have several. */
export function comparable(list: ListFacts): readonly FilterFacts[] {
  return list.filters.filter(({ isFacet, test }) => isFacet && test === 'any');
}

/** In the place of the id of an item. */
export const compareId = ({ name }: FilterFacts) => PREFIX + name;

export function comparedBy(list: ListFacts, id: string | undefined): FilterFacts | undefined {
  return comparable(list).find((filter) => compareId(filter) === id);
}

export interface Figure {
  readonly name: 'count' | 'monthly' | 'due' | 'flagged';
  /** Absent until it is known. */
  readonly size: number | undefined;
  readonly isMoney: boolean;
  /** Of all items, whatever their value. */
  readonly share?: number | undefined;
  /** Of the payments of a sum. */
  readonly count?: number | undefined;
  /** The items that it counts. */
  readonly view: View;
}

/** How many items have any value of a filter, and how many values there are, as far as these are counted. */
export function allOf(filter: FilterFacts, facets: ListFacets | undefined) {
  const { values, others } = facets?.facets[filter.name] ?? { values: [], others: 0 };
  return {
    items: addUp(values, countOf) + others,
    values: values.filter(({ value }) => canFilter(value)).length,
    hasMore: others > 0,
  };
}

/**
 * @param view that of the value
 * @param all how many items there are of all values
 */
export function figuresOf(
  list: ListFacts,
  view: View,
  facets: ListFacets | undefined,
  at: number,
  all: number,
): readonly Figure[] {
  const isMoney = list.sums.includes('monthly');
  const time = nextDays(DUE_DAYS, at);
  const due = facets && paymentsIn(facets, time);
  return [
    {
      name: 'count',
      size: facets?.total,
      share: facets && all > 0 ? facets.total / all : undefined,
      isMoney: false,
      view,
    },
    ...(isMoney
      ? [
          {
            name: 'monthly' as const,
            size: facets && (facets.sums['monthly'] ?? 0),
            isMoney,
            view: { ...view, sortBy: 'monthly', isDescending: true },
          },
        ]
      : []),
    {
      name: 'due',
      size: isMoney ? due?.amount : due?.count,
      count: isMoney ? due?.count : undefined,
      isMoney,
      view: viewIn(list, view, time),
    },
    ...flaggedIn(list, facets).map(({ filter, count }) => ({
      name: 'flagged' as const,
      size: count,
      isMoney: false,
      view: withToggled(list, view, filter, true),
    })),
  ];
}
