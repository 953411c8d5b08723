// The addresses of ranges, `/virtual-numbers/ranges` and `/virtual-numbers/ranges-provider`, and the part of
// the list that a range is.

import { type FieldFacts, faultOf, filterParams, type ListFacts, type View } from '../contract.ts';
import type { NumberRange } from '../linecard.ts';
import { canFilter, withFilter } from '../view.ts';

const PREFIX = 'ranges';

/** What is shown instead of a list. */
export interface Ranges {
  /** A new range also begins where this changes. */
  readonly split: FieldFacts | undefined;
}

/** In the place of the id of an item. */
export const rangesId = ({ split }: Ranges): string =>
  split === undefined ? PREFIX : `${PREFIX}-${split.name}`;

export function rangesBy(list: ListFacts, id: string | undefined): Ranges | undefined {
  if (id === undefined || list.splits.length === 0) return undefined;
  const all: Ranges[] = [{ split: undefined }, ...list.splits.map((split) => ({ split }))];
  return all.find((one) => rangesId(one) === id);
}

/** What is requested of a view. */
export const rangesParams = (view: View, { split }: Ranges) => ({
  ...filterParams(view),
  ...(split !== undefined && { split_by: [split.name] }),
  page: view.page,
  page_size: view.pageSize,
});

/** The numbers of a range in the list; `undefined` for one that no filter names, such as a text. */
export function viewOfRange(
  list: ListFacts,
  view: View,
  { from, to, ...members }: NumberRange,
  { split }: Ranges,
): View | undefined {
  const named = (test: string) => list.filters.find((filter) => filter.test === test)?.name ?? '';
  const ends = { [named('first')]: from, [named('last')]: to };
  if (faultOf(list, ends) !== undefined) return undefined;
  const within = Object.entries(ends).reduce((all, [name, end]) => withFilter(list, all, name, end), view);
  const value = split && members[split.name as keyof typeof members];
  const filter = list.filters.find(({ field, test }) => field.name === split?.name && test === 'any');
  if (filter === undefined || typeof value !== 'string' || !canFilter(value)) return within;
  return withFilter(list, within, filter.name, [value]);
}
