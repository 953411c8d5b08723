// Facets (contract, section 6): how many items each filter value would give, what they cost, what falls due.

import type { Field, Item, List } from './contract.ts';

export const MAX_FACET_VALUES = 100;
/** Days ahead that `due` looks, overdue included. */
export const DUE_DAYS = [7, 30] as const;

/** The names under which a list has facets: filters of text, and flags. */
type FacetName<L extends List> = {
  [N in keyof L['filters']]: L['filters'][N]['test'] extends 'is'
    ? N
    : L['filters'][N]['test'] extends 'any'
      ? L['fields'][L['filters'][N]['field']]['kind'] extends 'text'
        ? N
        : never
      : never;
}[keyof L['filters']];

type ChargeName<L extends List> = {
  [N in keyof L['fields']]: L['fields'][N]['kind'] extends 'charge' ? N : never;
}[keyof L['fields']];

export interface Facet<V = string | boolean> {
  /** Most frequent first, then by value. */
  readonly values: readonly { readonly value: V; readonly count: number }[];
  /** Items of the values beyond the first hundred. */
  readonly others: number;
}

/** What the matches of a query are like, all together. */
export interface Facets<L extends List> {
  readonly total: number;
  /** What all matches cost together. */
  readonly sums: { readonly [N in ChargeName<L>]: number };
  /** What falls due within so many days, overdue included. */
  readonly due: {
    readonly [D in (typeof DUE_DAYS)[number]]: { readonly count: number; readonly monthly: number };
  };
  /** Each counted without its own filter and with all others. */
  readonly facets: { readonly [N in FacetName<L>]: Facet<Item<L>[L['filters'][N]['field']]> };
}

/** The filters whose values are counted: those of an open set, and flags. */
export function facetFilters(list: List): string[] {
  return Object.entries(list.filters)
    .filter(([, { field, test }]) => test === 'is' || (test === 'any' && list.fields[field]?.kind === 'text'))
    .map(([name]) => name);
}

/** The charges that are summed. */
export function summedFields(list: List): string[] {
  return Object.entries<Field>(list.fields)
    .filter(([, { kind }]) => kind === 'charge')
    .map(([name]) => name);
}

/** Where the facets of a list are. */
export function facetsPath(list: List): string {
  return `${list.path}/facets`;
}
