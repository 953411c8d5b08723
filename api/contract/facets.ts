// Facets (docs/generated/api.md, "Facets"): how many items each filter value would give, what they cost, what
// falls due.

import { type Field, type Filter, fieldOf, type List, TESTS } from './list.ts';

export const MAX_FACET_VALUES = 100;
/** The time by which an item falls due. */
export const DUE_FIELD = 'next_payment_at';
/** Days ahead that `due` looks, overdue included. */
export const DUE_DAYS = [7, 30] as const;

/** The values of one filter, counted without that filter and with all others. */
export interface Facet<Value = string | boolean> {
  /** Most frequent first, then by value. */
  readonly values: readonly {
    /** A value of the filter. */
    readonly value: Value;
    /** How many items it would give. */
    readonly count: number;
  }[];
  /** How many items have a value that is not among these. */
  readonly others: number;
}

/** What falls due within some days from now, overdue included. */
export interface Due {
  /** How many items fall due. */
  readonly count: number;
  /** Their monthly charges together. */
  readonly monthly: number;
}

/** The filters whose values are counted: not those of ids and numbers, which differ from item to item. */
export function facetFilters(list: List): string[] {
  const differs = (field: string) => field === list.searchDigits || fieldOf(list, field).kind === 'integer';
  return Object.entries<Filter>(list.filters)
    .filter(([, { field, test }]) => TESTS[test].counted && !differs(field))
    .map(([name]) => name);
}

/** The charges that are summed: not those that are rates. */
export function summedFields(list: List): string[] {
  return Object.entries<Field>(list.fields)
    .filter(([, { kind, rate }]) => kind === 'charge' && rate !== true)
    .map(([name]) => name);
}

/** Where the facets of a list are. */
export function facetsPath(list: List): string {
  return `${list.path}/facets`;
}
