// What the calls for virtual numbers give, as types.
// Made from the contract by `npm run docs`: change that instead.

import type { DayPayments, Due, Facet, Payments } from '../contract/facets.ts';
import type {
  VirtualNumber,
  VirtualNumbersFilters,
  VirtualNumbersQuery,
  VirtualNumbersSelection,
  VirtualNumbersWalk,
} from './virtual-numbers.ts';

/** What there is to choose from among virtual numbers. */
export interface VirtualNumbersFacets {
  /** How many items match. */
  readonly total: number;
  /**
   * The currency of all charges, as ISO 4217 has it; null where the operator has set none or the token may
   * not see charges.
   */
  readonly currency: string | null;
  /** Charges added up over all matches, exactly; empty where the token may not see charges. */
  readonly sums: {
    /** One-time charge. */
    readonly activation: number;
    /** Monthly charge. */
    readonly monthly: number;
  };
  /** What falls due within this number of days from now, overdue included. */
  readonly due: {
    /** What falls due within 7 days from now. */
    readonly 7: Due;
    /** What falls due within 30 days from now. */
    readonly 30: Due;
  };
  /** The values of each filter that one can choose from, by the name of the filter. */
  readonly facets: {
    /** Which values `frequency` has: the values to give to `frequencies`. */
    readonly frequencies: Facet<VirtualNumber['frequency']>;
    /** Which values `subscription_status` has: the values to give to `subscription_statuses`. */
    readonly subscription_statuses: Facet<VirtualNumber['subscription_status']>;
    /** Which values `status` has: the values to give to `statuses`. */
    readonly statuses: Facet<VirtualNumber['status']>;
    /** Which values `country_code` has: the values to give to `country_codes`. */
    readonly country_codes: Facet<VirtualNumber['country_code']>;
    /** Which values `provider` has: the values to give to `providers`. */
    readonly providers: Facet<VirtualNumber['provider']>;
    /** Which values `is_spammed` has: the values to give to `is_spammed`. */
    readonly is_spammed: Facet<VirtualNumber['is_spammed']>;
    /** Which values `is_active_spam_check` has: the values to give to `is_active_spam_check`. */
    readonly is_active_spam_check: Facet<VirtualNumber['is_active_spam_check']>;
  };
  /** What fell due before today, in UTC; with `due_days`. */
  readonly overdue?: Payments;
  /** What falls due from today on, by day in UTC; with `due_days`. Days with nothing are left out. */
  readonly due_by_day?: readonly DayPayments[];
}

/** What the calls for virtual numbers take and give. */
export interface VirtualNumbers {
  /** One virtual number. */
  item: VirtualNumber;
  /** What facets take. */
  filters: VirtualNumbersFilters;
  /** What an export takes. */
  selection: VirtualNumbersSelection;
  /** What a walk takes. */
  walk: VirtualNumbersWalk;
  /** What a page takes. */
  query: VirtualNumbersQuery;
  /** What facets give. */
  facets: VirtualNumbersFacets;
}
