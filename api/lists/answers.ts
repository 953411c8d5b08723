// The answers of any list as types. Made from the contract by `npm run docs`: change that instead.

import type { DayPayments, Due, Payments } from '../contract/facets.ts';

/** A page as an answer carries it: exactly these fields, in this order. */
export interface PageOf<Item> {
  /** The items of this page. */
  data: Item[];
  /** The page number that was requested. */
  page: number;
  /** The page size used. */
  page_size: number;
  /** How many items match, over all pages. */
  total: number;
  /** ceil(total / page_size); 0 when nothing matches. */
  total_pages: number;
}

/** What the facets of any list have. */
export interface ListFacets {
  /** How many items match. */
  readonly total: number;
  /**
   * The currency of all charges, as ISO 4217 has it; null where the operator has set none or the token may
   * not see charges.
   */
  readonly currency: string | null;
  /** What falls due within this number of days from now, overdue included. */
  readonly due: {
    /** What falls due within 7 days from now. */
    readonly 7: Due;
    /** What falls due within 30 days from now. */
    readonly 30: Due;
  };
  /** What fell due before today, in UTC, each item once; with `due_days`. */
  readonly overdue?: Payments;
  /**
   * Every payment from today on, by day in UTC: the next of each item, and its repetitions each time the
   * months of its `frequency` have passed; with `due_days`. Days with none are left out.
   */
  readonly due_by_day?: readonly DayPayments[];
}
