// What the calls for additional services give, as types.
// Made from the contract by `npm run docs`: change that instead.

import type { DayPayments, Due, Facet, Payments } from '../contract/facets.ts';
import type {
  AdditionalService,
  AdditionalServicesFilters,
  AdditionalServicesQuery,
  AdditionalServicesSelection,
  AdditionalServicesWalk,
} from './additional-services.ts';

/** What there is to choose from among additional services. */
export interface AdditionalServicesFacets {
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
    readonly frequencies: Facet<AdditionalService['frequency']>;
    /** Which values `subscription_status` has: the values to give to `subscription_statuses`. */
    readonly subscription_statuses: Facet<AdditionalService['subscription_status']>;
  };
  /** What fell due before today, in UTC; with `due_days`. */
  readonly overdue?: Payments;
  /** What falls due from today on, by day in UTC; with `due_days`. Days with nothing are left out. */
  readonly due_by_day?: readonly DayPayments[];
}

/** What the calls for additional services take and give. */
export interface AdditionalServices {
  /** One additional service. */
  item: AdditionalService;
  /** What facets take. */
  filters: AdditionalServicesFilters;
  /** What an export takes. */
  selection: AdditionalServicesSelection;
  /** What a walk takes. */
  walk: AdditionalServicesWalk;
  /** What a page takes. */
  query: AdditionalServicesQuery;
  /** What facets give. */
  facets: AdditionalServicesFacets;
}
