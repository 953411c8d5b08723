// The addresses of comparisons: `/virtual-numbers/compare-country_codes`.

import type { FilterFacts, ListFacts, View } from '../contract.ts';
import { valuesOf, withFilter } from '../view.ts';

const PREFIX = 'compare-';

/** The filters whose values can be compared: those that may have several. */
export function comparable(list: ListFacts): readonly FilterFacts[] {
  return list.filters.filter(({ isFacet, test }) => isFacet && test === 'any');
}

/** In the place of the id of an item. */
export const compareId = ({ name }: FilterFacts) => PREFIX + name;

/** A view to compare the values of a filter in: one alone is no comparison, so all are compared then. */
export const comparedView = (list: ListFacts, view: View, { name }: FilterFacts): View =>
  valuesOf(view, name).length === 1 ? withFilter(list, view, name, undefined) : view;

export function comparedBy(list: ListFacts, id: string | undefined): FilterFacts | undefined {
  return comparable(list).find((filter) => compareId(filter) === id);
}
