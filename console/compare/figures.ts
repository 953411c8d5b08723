// What is compared of the values of a filter.

import {
  dueField,
  type FilterFacts,
  type ListFacets,
  type ListFacts,
  priceField,
  type View,
} from '../contract.ts';
import {
  addUp,
  countOf,
  flaggedIn,
  listPriceOf,
  nextDays,
  type Payments,
  PRESET_DAYS,
  paymentsIn,
  timeLabel,
  viewIn,
} from '../figures.ts';
import { texts } from '../texts.ts';
import { canFilter, isLeftOut, valuesOf, withFilter } from '../view.ts';
import { flagLabel } from '../words.ts';

const words = texts.compare;

/** As many as an answer lists. */
const MOST_COMPARED = 100;
/** The payments of a value take a request of its own. */
export const MOST_WITH_PAYMENTS = 10;
const DUE_DAYS = PRESET_DAYS[1];

export interface Figure {
  readonly name: 'count' | 'price' | 'due' | 'flagged';
  /** As every page calls it. */
  readonly label: string;
  /** Absent until it is known. */
  readonly size: number | undefined;
  readonly isMoney: boolean;
  /** Of all items, whatever their value. */
  readonly share?: number | undefined;
  /** Of the payments of a sum. */
  readonly count?: number | undefined;
  /** Those of them that are in no amount, as their billing period is unknown. */
  readonly unknown?: number | undefined;
  /** The items that it counts. */
  readonly view: View;
  /** What the list is sorted by where this is; the most frequent values come first by default. */
  readonly sortKey: string | undefined;
}

/** How many items have any value of a filter, how many none, and how many values are counted. */
export function allOf(filter: FilterFacts, facets: ListFacets | undefined) {
  const { values, others } = facets?.facets[filter.name] ?? { values: [], others: 0 };
  return {
    items: addUp(values, countOf) + others,
    empty: addUp(values, ({ value, count }) => (canFilter(value) ? 0 : count)),
    values: values.filter(({ value }) => canFilter(value)).length,
    hasMore: others > 0,
  };
}

/** Those that the address names, else all that are counted and not excluded: those that the total is of. */
export function comparedValues(
  list: ListFacts,
  view: View,
  filter: FilterFacts,
  facets: ListFacets | undefined,
): string[] {
  const chosen = valuesOf(view, filter.name).map(String);
  if (chosen.length > 0) return chosen.slice(0, MOST_COMPARED);
  const counted = facets?.facets[filter.name]?.values.map(({ value }) => String(value)) ?? [];
  return counted.filter((value) => canFilter(value) && !isLeftOut(list, view, filter, value));
}

/** A flag that stands out, and the view of the items that have it. */
export const flaggedViews = (list: ListFacts, view: View) =>
  flaggedIn(list, undefined).map(({ filter }) => withFilter(list, view, filter.name, true));

/** Whether what is due of each value is compared, too. */
export const hasPayments = (values: readonly string[]) => values.length <= MOST_WITH_PAYMENTS;

/** What is known of some items. */
export interface Known {
  readonly count?: number | undefined;
  /** What they cost a month. */
  readonly price?: number | undefined;
  readonly due?: Payments | undefined;
  /** Of each flag. */
  readonly flagged?: readonly (number | undefined)[];
}

/** Of the items that an answer is about. */
export function knownOf(list: ListFacts, facets: ListFacets | undefined, at: number): Known {
  if (facets === undefined) return {};
  return {
    count: facets.total,
    price: listPriceOf(facets),
    due: paymentsIn(facets, nextDays(DUE_DAYS, at)),
    flagged: flaggedIn(list, facets).map(({ count }) => count),
  };
}

/** Of the items of one value; nothing of one that an answer about all of them does not list. */
function sizeIn(filter: FilterFacts, value: string, facets: ListFacets | undefined) {
  const facet = facets?.facets[filter.name];
  const found = facet?.values.find((one) => String(one.value) === value);
  return found ?? (facet?.others === 0 ? { count: 0, [priceField]: 0 } : undefined);
}

/**
 * Of the items of one value, from answers about all of them.
 * @param flagged those about the items that have each flag
 */
export function knownOfValue(
  filter: FilterFacts,
  value: string,
  whole: ListFacets | undefined,
  flagged: readonly (ListFacets | undefined)[],
): Known {
  const size = sizeIn(filter, value, whole);
  return {
    count: size?.count,
    price: size?.[priceField],
    flagged: flagged.map((one) => sizeIn(filter, value, one)?.count),
  };
}

export const isKnown = ({ count, flagged = [] }: Known) =>
  [count, ...flagged].every((one) => one !== undefined);

interface Compared {
  /** When the answer came, in milliseconds. */
  readonly at: number;
  /** How many items there are of all values. */
  readonly all: number;
  readonly hasPayments: boolean;
}

/** @param view that of the items */
export function figuresOf(list: ListFacts, view: View, known: Known, compared: Compared): readonly Figure[] {
  const isMoney = list.sums.includes(priceField);
  const { count, price, due, flagged = [] } = known;
  const keyOf = (name: string) => list.fields.find((field) => field.name === name)?.sortKey;
  const share = count !== undefined && compared.all > 0 ? count / compared.all : undefined;
  const time = nextDays(DUE_DAYS, compared.at);
  return [
    { name: 'count', label: words.count, size: count, share, isMoney: false, view, sortKey: undefined },
    ...(isMoney
      ? [
          {
            name: 'price' as const,
            label: words.monthly,
            size: price,
            isMoney,
            view: { ...view, sortBy: priceField, isDescending: true },
            sortKey: keyOf(priceField),
          },
        ]
      : []),
    ...(compared.hasPayments
      ? [
          {
            name: 'due' as const,
            label: timeLabel(time, compared.at),
            size: isMoney ? due?.amount : due?.count,
            ...(isMoney && { count: due?.count, unknown: due?.unknown }),
            isMoney,
            view: viewIn(list, view, time),
            sortKey: keyOf(dueField),
          },
        ]
      : []),
    ...flaggedIn(list, undefined).map(({ filter }, i) => ({
      name: 'flagged' as const,
      label: flagLabel(filter.field, true),
      size: flagged[i],
      isMoney: false,
      view: withFilter(list, view, filter.name, true),
      sortKey: filter.field.sortKey,
    })),
  ];
}
