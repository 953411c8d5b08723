// Facets (docs/generated/api.md, "Facets"): how many items each value of a filter has, what they cost, what
// falls due.

import { type Field, type Filter, fieldOf, type List, TESTS } from './list.ts';

export const MAX_FACET_VALUES = 100;
/** The time by which an item falls due. */
export const DUE_FIELD = 'next_payment_at';
/** The charge that is the price of an item: what it costs a month. */
export const PRICE_FIELD = 'monthly';
/** `due` includes what is overdue. */
export const DUE_DAYS = [7, 30] as const;

export const MAX_DUE_DAYS = 366;
/** How many months a payment covers, by frequency, unless the operator has another table. */
export const BILLING_MONTHS: ReadonlyMap<string, number> = new Map([
  ['monthly', 1],
  ['quarterly', 3],
  ['semiannually', 6],
  ['half_yearly', 6],
  ['yearly', 12],
  ['annually', 12],
  ['annual', 12],
]);

/** The parameters that facets have in addition to filters. */
export interface FacetsOptions {
  /** The number of days from today on, in UTC: every payment of each day, and what is overdue. */
  readonly due_days?: number | undefined;
  /** Whether each value of a filter also has the sum of its monthly charges. */
  readonly charges?: boolean | undefined;
}

/** The values of one filter, counted without that filter and with all others. */
export interface Facet<Value = string | boolean> {
  /** Most frequent first, then by value. */
  readonly values: readonly {
    readonly value: Value;
    /** How many items have it. */
    readonly count: number;
    /** The sum of their monthly charges; with `charges` alone. */
    readonly monthly?: number;
  }[];
  /** How many items have a value that is not listed here. */
  readonly others: number;
}

/** What falls due within a number of days from now, including what is overdue. */
export interface Due {
  readonly count: number;
  /** The sum of their monthly charges; absent where the token may not see charges. */
  readonly monthly: number;
}

/** Payments: of a day, or overdue. */
export interface Payments {
  readonly count: number;
  /** Their sum: of each, `monthly` times the months that the frequency of its item covers. */
  readonly amount: number;
  /** How many are of a frequency whose months are not known: they are in no amount, and not repeated. */
  readonly unknown: number;
}

/** The payments of a day in UTC, written `YYYY-MM-DD`. */
export interface DayPayments extends Payments {
  readonly day: string;
}

/** The filters with counted values: not ids and numbers, which differ from item to item. */
export function facetFilters(list: List): string[] {
  const differs = (field: string) => field === list.searchDigits || fieldOf(list, field).kind === 'integer';
  return Object.entries<Filter>(list.filters)
    .filter(([, { field, test }]) => TESTS[test].counted && !differs(field))
    .map(([name]) => name);
}

/** Rates are not summed. */
export function summedFields(list: List): string[] {
  return Object.entries<Field>(list.fields)
    .filter(([, { kind, rate }]) => kind === 'charge' && rate !== true)
    .map(([name]) => name);
}

export function facetsPath(list: List): string {
  return `${list.path}/facets`;
}
