// Virtual numbers as types. Made from the contract by `npm run docs`: change that instead.

import type { Facet } from '../contract/facets.ts';
import type { OwnFilter, OwnGiven, OwnName, OwnValue } from '../contract/own-fields.ts';
import type { virtual_numbers } from '../contract/virtual-numbers.ts';
import type { ListFacets } from './answers.ts';

/**
 * One virtual number. Every field is always present, unless `fields` chooses some or the token may not see
 * charges. Charges have at most six fractional digits; timestamps are texts such as
 * 2026-11-20T09:30:00.000000Z, always in UTC.
 */
export interface VirtualNumber {
  /** Unique in the deployment, 1 to 2^53 - 1. */
  id: number;
  /** The number itself, as the platform knows it. */
  did: string;
  /** A note; empty when there is none. */
  comment: string;
  /** Country name. */
  country: string;
  /** ISO 3166-1 alpha-2, upper case. */
  country_code: string;
  /** Who provides the number. */
  provider: string;
  /** Where the number stands. An open set. */
  status: 'active' | 'configuration_awaiting' | 'blocked' | 'released' | (string & {});
  /** Where the subscription stands. An open set. */
  subscription_status: 'active' | 'disabled' | 'suspended' | 'cancelled' | (string & {});
  /** How often it is billed. An open set. */
  frequency: 'monthly' | 'quarterly' | 'yearly' | 'one_time' | (string & {});
  /** One-time charge. */
  activation: number;
  /** Monthly charge. */
  monthly: number;
  /** Charge for incoming traffic. */
  incoming: number;
  /** When the number came onto the account. */
  created_at: string;
  /** When it was activated; null while it is not. */
  activated_at: string | null;
  /** When the next payment is due; null when nothing is. */
  next_payment_at: string | null;
  /** Whether the number is being checked for spam flags. */
  is_active_spam_check: boolean;
  /** Whether the number is flagged as spam. */
  is_spammed: boolean;
  /** When it was last checked for spam flags; null when it never was. */
  spam_checked_at: string | null;
  /** What the operator declared: `fields()` has the names and kinds. */
  [own: OwnName]: OwnValue;
}

/** What virtual numbers can be sorted by: a field, or another name for one. */
export type VirtualNumbersSortKey = keyof typeof virtual_numbers.sorts | OwnName;

/**
 * Which virtual numbers: what their facets take. Filters combine with AND, the values inside one with OR; one
 * that is `undefined`, or an empty list, is off. Timestamps are RFC 3339 texts, see `timestampOf`.
 */
export interface VirtualNumbersFilters {
  /** Only virtual numbers whose `id` is one of these. */
  readonly ids?: readonly number[] | undefined;
  /** Only those whose `id` is none of these. */
  readonly ids_exclude?: readonly number[] | undefined;
  /**
   * Only virtual numbers whose `frequency` is one of these. Known so far: `monthly`, `quarterly`, `yearly`
   * and `one_time`. A value that nothing has matches nothing.
   */
  readonly frequencies?: readonly VirtualNumber['frequency'][] | undefined;
  /** Only those whose `frequency` is none of these. */
  readonly frequencies_exclude?: readonly VirtualNumber['frequency'][] | undefined;
  /**
   * Only virtual numbers whose `subscription_status` is one of these. Known so far: `active`, `disabled`,
   * `suspended` and `cancelled`. A value that nothing has matches nothing.
   */
  readonly subscription_statuses?: readonly VirtualNumber['subscription_status'][] | undefined;
  /** Only those whose `subscription_status` is none of these. */
  readonly subscription_statuses_exclude?: readonly VirtualNumber['subscription_status'][] | undefined;
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
  /** Only those whose `incoming` is this charge or more. A token without charges is refused. */
  readonly incoming_min?: number | undefined;
  /** Only those whose `incoming` is this charge or less. A token without charges is refused. */
  readonly incoming_max?: number | undefined;
  /** Only those whose `created_at` is later than this time, or than the end of this day. */
  readonly created_after?: string | undefined;
  /** Only those whose `created_at` is earlier than this time, or than the beginning of this day. */
  readonly created_before?: string | undefined;
  /** Only those whose `created_at` is this time or later, or on this day or later. */
  readonly created_from?: string | undefined;
  /** Only those whose `created_at` is this time or earlier, or on this day or earlier. */
  readonly created_to?: string | undefined;
  /** `true`: only those that have `spam_checked_at`. `false`: only those where it is `null`. */
  readonly has_spam_check?: boolean | undefined;
  /** Only those whose `spam_checked_at` is later than this time, or than the end of this day. */
  readonly spam_checked_after?: string | undefined;
  /** Only those whose `spam_checked_at` is earlier than this time, or than the beginning of this day. */
  readonly spam_checked_before?: string | undefined;
  /** Only those whose `spam_checked_at` is this time or later, or on this day or later. */
  readonly spam_checked_from?: string | undefined;
  /** Only those whose `spam_checked_at` is this time or earlier, or on this day or earlier. */
  readonly spam_checked_to?: string | undefined;
  /**
   * Only virtual numbers whose `did` is one of these, however they are written: only digits are compared, and
   * a `+`, a leading `00` or a bracketed `(0)` makes no difference.
   */
  readonly dids?: readonly string[] | undefined;
  /** Only those whose `did` is none of these. */
  readonly dids_exclude?: readonly string[] | undefined;
  /** Only those whose `did` is this number or a later one of the same length, however it is written. */
  readonly did_from?: string | undefined;
  /** Only those whose `did` is this number or an earlier one of the same length, however it is written. */
  readonly did_to?: string | undefined;
  /**
   * Only virtual numbers whose `status` is one of these. Known so far: `active`, `configuration_awaiting`,
   * `blocked` and `released`. A value that nothing has matches nothing.
   */
  readonly statuses?: readonly VirtualNumber['status'][] | undefined;
  /** Only those whose `status` is none of these. */
  readonly statuses_exclude?: readonly VirtualNumber['status'][] | undefined;
  /**
   * Only virtual numbers whose `country_code` is one of these. ISO 3166-1 alpha-2, upper case. Any other code
   * is refused.
   */
  readonly country_codes?: readonly string[] | undefined;
  /** Only those whose `country_code` is none of these. */
  readonly country_codes_exclude?: readonly string[] | undefined;
  /** Only virtual numbers whose `provider` is one of these. A value that nothing has matches nothing. */
  readonly providers?: readonly string[] | undefined;
  /** Only those whose `provider` is none of these. */
  readonly providers_exclude?: readonly string[] | undefined;
  /** Whether the number is flagged as spam. Leave it out to see both. */
  readonly is_spammed?: boolean | undefined;
  /** Whether the number is being checked for spam flags. Leave it out to see both. */
  readonly is_active_spam_check?: boolean | undefined;
  /**
   * Only virtual numbers that have this text anywhere in `did` or `comment`, whatever the case. `%`, `_`, `*`
   * and `\` are ordinary characters. A text of digits, spaces and `+ - ( ) . /` also finds numbers by the
   * digits of `did`, however they are written: after a `+` or `00` those that begin with it. An empty `q`
   * switches the search off.
   */
  readonly q?: string | undefined;
  /** Filters of what the operator declared: `x_site`, `x_cost_min`, `has_x_last_call`. */
  readonly [own: OwnFilter]: OwnGiven;
}

/** Which virtual numbers, in which order: what an export of them takes. */
export interface VirtualNumbersSelection extends VirtualNumbersFilters {
  /**
   * What to sort by: a field, or another name for one (`_default` is `id`, `billing_period` is `frequency`,
   * `amount_one_time` is `activation`, `amount_subscription` is `monthly`, `is_spam` is `is_spammed`). Text
   * sorts without regard to case, `null` comes last in both directions, and ties are broken by `id`. By
   * default `_default`.
   */
  readonly sort_by?: VirtualNumbersSortKey | undefined;
  /** Ascending or descending. By default `asc`. */
  readonly sort_order?: 'asc' | 'desc' | undefined;
}

/** Which virtual numbers, in which order, and in pages of which size: what a walk over them takes. */
export interface VirtualNumbersWalk extends VirtualNumbersSelection {
  /** How many items to a page, at most 1,000 unless the operator of the deployment chose another limit. */
  readonly page_size?: number | undefined;
}

/** Which virtual numbers, in which order, and which page of them: what a page takes. */
export interface VirtualNumbersQuery extends VirtualNumbersWalk {
  /** Which page, from 1. One past the last is empty, not an error. By default `1`. */
  readonly page?: number | undefined;
  /**
   * Where to go on, taken from a `Link` header together with the rest of that address; never made by hand.
   * Not together with `page`.
   */
  readonly cursor?: string | undefined;
}

/** What there is to choose from among virtual numbers. */
export interface VirtualNumbersFacets extends ListFacets {
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
    /** What the operator declared: `fields()` has the names and kinds. */
    readonly [own: OwnName]: Facet<string> | Facet<boolean>;
  };
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
