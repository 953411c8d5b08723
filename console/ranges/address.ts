// The addresses of ranges, `/virtual-numbers/ranges` and `/virtual-numbers/ranges-provider`.

import { type FieldFacts, filterParams, type ListFacts, type View } from '../contract.ts';

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

/** Leads to the items of a view as ranges; only a list that can be split has any. */
export const rangesLink = (list: ListFacts, view: View, split?: FieldFacts) => ({
  list,
  view: { ...view, page: 1 },
  id: rangesId({ split }),
});

/** What is requested of a view. */
export const rangesParams = (view: View, { split }: Ranges) => ({
  ...filterParams(view),
  ...(split !== undefined && { split_by: [split.name] }),
  page: view.page,
  page_size: view.pageSize,
});
