// Additional services as types. Made from the contract by `npm run docs`: change that instead.

import type { additional_services } from '../contract/additional-services.ts';
import type { Facet } from '../contract/facets.ts';
import type { OwnFilter, OwnGiven, OwnName, OwnValue } from '../contract/own-fields.ts';
import type { ListFacets } from './answers.ts';

/**
 * One additional service. Every field is always present, unless `fields` chooses some or the token may not
 * see charges. Charges have at most six fractional digits; timestamps are texts such as
 * 2026-11-20T09:30:00.000000Z, always in UTC.
 */
export interface AdditionalService {
  /** Unique in the deployment, 1 to 2^53 - 1. */
  id: number;
  /** What the service is called. */
  title: string;
  /** A note; empty when there is none. */
  comment: string;
  /** How often it is billed. An open set. */
  frequency: 'monthly' | 'quarterly' | 'yearly' | 'one_time' | (string & {});
  /** One-time charge. */
  activation: number;
  /** Monthly charge. */
  monthly: number;
  /** When it was activated; null while it is not. */
  activated_at: string | null;
  /** When the next payment is due; null when nothing is. */
  next_payment_at: string | null;
  /** Where the subscription stands. An open set. */
  subscription_status: 'active' | 'disabled' | 'suspended' | 'cancelled' | (string & {});
  /** What the operator declared: `fields()` has the names and kinds. */
  [own: OwnName]: OwnValue;
}

/** What additional services can be sorted by: a field, or another name for one. */
export type AdditionalServicesSortKey = keyof typeof additional_services.sorts | OwnName;

/**
 * Which additional services: what their facets take. Filters combine with AND, the values inside one with OR;
 * one that is `undefined`, or an empty list, is off. Timestamps are RFC 3339 texts, see `timestampOf`.
 */
export interface AdditionalServicesFilters {
  /** Only additional services whose `id` is one of these. */
  readonly ids?: readonly number[] | undefined;
  /** Only those whose `id` is none of these. */
  readonly ids_exclude?: readonly number[] | undefined;
  /**
   * Only additional services whose `frequency` is one of these. Known so far: `monthly`, `quarterly`,
   * `yearly` and `one_time`. A value that nothing has matches nothing.
   */
  readonly frequencies?: readonly AdditionalService['frequency'][] | undefined;
  /** Only those whose `frequency` is none of these. */
  readonly frequencies_exclude?: readonly AdditionalService['frequency'][] | undefined;
  /**
   * Only additional services whose `subscription_status` is one of these. Known so far: `active`, `disabled`,
   * `suspended` and `cancelled`. A value that nothing has matches nothing.
   */
  readonly subscription_statuses?: readonly AdditionalService['subscription_status'][] | undefined;
  /** Only those whose `subscription_status` is none of these. */
  readonly subscription_statuses_exclude?: readonly AdditionalService['subscription_status'][] | undefined;
  /** Only those whose `activation` is this charge or more. A token without charges is refused. */
  readonly activation_min?: number | undefined;
  /** Only those whose `activation` is this charge or less. A token without charges is refused. */
  readonly activation_max?: number | undefined;
  /** Only those whose `monthly` is this charge or more. A token without charges is refused. */
  readonly monthly_min?: number | undefined;
  /** Only those whose `monthly` is this charge or less. A token without charges is refused. */
  readonly monthly_max?: number | undefined;
  /** `true`: only those that have `activated_at`. `false`: only those where it is `null`. */
  readonly has_activation?: boolean | undefined;
  /** Only those whose `activated_at` is later than this time, or than the end of this day. */
  readonly activated_after?: string | undefined;
  /** Only those whose `activated_at` is earlier than this time, or than the beginning of this day. */
  readonly activated_before?: string | undefined;
  /** Only those whose `activated_at` is this time or later, or on this day or later. */
  readonly activated_from?: string | undefined;
  /** Only those whose `activated_at` is this time or earlier, or on this day or earlier. */
  readonly activated_to?: string | undefined;
  /** `true`: only those that have `next_payment_at`. `false`: only those where it is `null`. */
  readonly has_next_payment?: boolean | undefined;
  /** Only those whose `next_payment_at` is later than this time, or than the end of this day. */
  readonly next_payment_after?: string | undefined;
  /** Only those whose `next_payment_at` is earlier than this time, or than the beginning of this day. */
  readonly next_payment_before?: string | undefined;
  /** Only those whose `next_payment_at` is this time or later, or on this day or later. */
  readonly next_payment_from?: string | undefined;
  /** Only those whose `next_payment_at` is this time or earlier, or on this day or earlier. */
  readonly next_payment_to?: string | undefined;
  /**
   * Only additional services that have this text anywhere in `title` or `comment`, whatever the case. `%`,
   * `_`, `*` and `\` are ordinary characters. An empty `q` switches the search off.
   */
  readonly q?: string | undefined;
  /** Filters of what the operator declared: `x_site`, `x_cost_min`, `has_x_last_call`. */
  readonly [own: OwnFilter]: OwnGiven;
}

/** Which additional services, in which order: what an export of them takes. */
export interface AdditionalServicesSelection extends AdditionalServicesFilters {
  /**
   * What to sort by: a field, or another name for one (`_default` is `id`, `billing_period` is `frequency`,
   * `amount_one_time` is `activation`, `amount_subscription` is `monthly`, `status` is
   * `subscription_status`). `service_name` is stored but not shown. The service's catalogue name; the title
   * where none was given. Text sorts without regard to case, `null` comes last in both directions, and ties
   * are broken by `id`. By default `_default`.
   */
  readonly sort_by?: AdditionalServicesSortKey | undefined;
  /** Ascending or descending. By default `asc`. */
  readonly sort_order?: 'asc' | 'desc' | undefined;
}

/** Which additional services, in which order, and in pages of which size: what a walk over them takes. */
export interface AdditionalServicesWalk extends AdditionalServicesSelection {
  /** How many items to a page, at most 1,000 unless the operator of the deployment chose another limit. */
  readonly page_size?: number | undefined;
}

/** Which additional services, in which order, and which page of them: what a page takes. */
export interface AdditionalServicesQuery extends AdditionalServicesWalk {
  /** Which page, from 1. One past the last is empty, not an error. By default `1`. */
  readonly page?: number | undefined;
  /**
   * Where to go on, taken from a `Link` header together with the rest of that address; never made by hand.
   * Not together with `page`.
   */
  readonly cursor?: string | undefined;
}

/** What there is to choose from among additional services. */
export interface AdditionalServicesFacets extends ListFacets {
  /** Charges added up over all matches, exactly; empty where the token may not see charges. */
  readonly sums: {
    /** One-time charge. */
    readonly activation: number;
    /** Monthly charge. */
    readonly monthly: number;
    /** What the operator declared: `fields()` has the names and kinds. */
    readonly [own: OwnName]: number;
  };
  /** The values of each filter that one can choose from, by the name of the filter. */
  readonly facets: {
    /** Which values `frequency` has: the values to give to `frequencies`. */
    readonly frequencies: Facet<AdditionalService['frequency']>;
    /** Which values `subscription_status` has: the values to give to `subscription_statuses`. */
    readonly subscription_statuses: Facet<AdditionalService['subscription_status']>;
    /** What the operator declared: `fields()` has the names and kinds. */
    readonly [own: OwnName]: Facet<string> | Facet<boolean>;
  };
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
