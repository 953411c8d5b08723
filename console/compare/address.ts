// The addresses of comparisons: `/virtual-numbers/compare-country_codes`.

import type { FilterFacts, ListFacts } from '../contract.ts';

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
