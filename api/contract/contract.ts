// The contract as data: the path, item, filters, sort keys and events of each list. Validation, SQL, OpenAPI,
// documentation and import are made from it.

import { defineList, type Field, type TimeTest } from './list.ts';

const SUBSCRIPTION_STATUSES = ['active', 'disabled', 'suspended', 'cancelled'] as const;
const FREQUENCIES = ['monthly', 'quarterly', 'yearly', 'one_time'] as const;

/** Fields that mean the same in both lists. */
const billing = {
  frequency: {
    kind: 'text',
    about: 'How often it is billed. An open set.',
    example: 'monthly',
    required: true,
    known: FREQUENCIES,
  },
  activation: { kind: 'charge', about: 'One-time charge.', example: 1.5 },
  monthly: { kind: 'charge', about: 'Monthly charge.', example: 2.25 },
  activated_at: {
    kind: 'timestamp',
    about: 'When it was activated; null while it is not.',
    example: '2026-02-11T08:30:00.000000Z',
    past: true,
    nullable: true,
  },
  next_payment_at: {
    kind: 'timestamp',
    about: 'When the next payment is due; null when nothing is.',
    example: '2026-12-01T00:00:00.000000Z',
    nullable: true,
  },
  subscription_status: {
    kind: 'text',
    about: 'Where the subscription stands. An open set.',
    example: 'active',
    required: true,
    known: SUBSCRIPTION_STATUSES,
  },
} as const satisfies Record<string, Field>;

const id = {
  kind: 'integer',
  about: 'Unique in the deployment, 1 to 2^53 - 1.',
  example: 48151,
  required: true,
} as const satisfies Field;

type TimeFilters<Stem extends string> = {
  readonly [Side in TimeTest as `${Stem}_${Side}`]: { readonly field: `${Stem}_at`; readonly test: Side };
};

/** The four filters on a time: `activated_after`, `_before`, `_from` and `_to` for `activated_at`. */
function timeFilters<const Stem extends string>(stem: Stem): TimeFilters<Stem> {
  const sides = ['after', 'before', 'from', 'to'] as const;
  return Object.fromEntries(
    sides.map((test) => [`${stem}_${test}`, { field: `${stem}_at`, test }]),
  ) as TimeFilters<Stem>;
}

const billingFilters = {
  ids: { field: 'id', test: 'any' },
  frequencies: { field: 'frequency', test: 'any' },
  subscription_statuses: { field: 'subscription_status', test: 'any' },
  ...timeFilters('activated'),
  ...timeFilters('next_payment'),
} as const;

const billingSorts = {
  _default: 'id',
  id: 'id',
  comment: 'comment',
  billing_period: 'frequency',
  frequency: 'frequency',
  next_payment_at: 'next_payment_at',
  activated_at: 'activated_at',
  activation: 'activation',
  amount_one_time: 'activation',
  monthly: 'monthly',
  amount_subscription: 'monthly',
  subscription_status: 'subscription_status',
} as const;

export const virtual_numbers = defineList({
  name: 'virtual_numbers',
  title: 'Virtual numbers',
  one: 'virtual number',
  about: 'The virtual numbers on the account, what they cost, and whether any is flagged as spam.',
  path: '/api/v1/did/me',
  fields: {
    id,
    did: {
      kind: 'text',
      about: 'The number itself, as the platform knows it.',
      example: '+442079460018',
      required: true,
    },
    comment: { kind: 'text', about: 'A note; empty when there is none.', example: 'Front desk' },
    country: { kind: 'text', about: 'Country name.', example: 'United Kingdom' },
    country_code: { kind: 'text', about: 'ISO 3166-1 alpha-2, upper case.', example: 'GB', country: true },
    provider: { kind: 'text', about: 'Who provides the number.', example: 'Thameswire' },
    status: {
      kind: 'text',
      about: 'Where the number stands. An open set.',
      example: 'active',
      required: true,
      known: ['active', 'configuration_awaiting', 'blocked', 'released'],
    },
    subscription_status: billing.subscription_status,
    frequency: billing.frequency,
    activation: billing.activation,
    monthly: billing.monthly,
    incoming: { kind: 'charge', about: 'Charge for incoming traffic.', example: 0.0059, rate: true },
    created_at: {
      kind: 'timestamp',
      about: 'When the number came onto the account.',
      example: '2026-02-10T16:04:11.482913Z',
      past: true,
      required: true,
    },
    activated_at: billing.activated_at,
    next_payment_at: billing.next_payment_at,
    is_active_spam_check: {
      kind: 'flag',
      about: 'Whether the number is being checked for spam flags.',
      example: true,
    },
    is_spammed: { kind: 'flag', about: 'Whether the number is flagged as spam.', example: false },
    spam_checked_at: {
      kind: 'timestamp',
      about: 'When it was last checked for spam flags; null when it never was.',
      example: '2026-11-19T03:12:45.120000Z',
      past: true,
      nullable: true,
    },
  },
  hidden: {},
  only: {},
  filters: {
    ...billingFilters,
    ...timeFilters('created'),
    ...timeFilters('spam_checked'),
    dids: { field: 'did', test: 'any' },
    statuses: { field: 'status', test: 'any' },
    country_codes: { field: 'country_code', test: 'any' },
    providers: { field: 'provider', test: 'any' },
    is_spammed: { field: 'is_spammed', test: 'is' },
    is_active_spam_check: { field: 'is_active_spam_check', test: 'is' },
  },
  search: ['did', 'comment'],
  searchDigits: 'did',
  sorts: {
    ...billingSorts,
    did: 'did',
    status: 'status',
    country: 'country',
    country_code: 'country_code',
    provider: 'provider',
    spam_checked_at: 'spam_checked_at',
    is_spam: 'is_spammed',
    is_spammed: 'is_spammed',
    is_active_spam_check: 'is_active_spam_check',
    created_at: 'created_at',
    incoming: 'incoming',
  },
  label: 'did',
  events: {
    spam_flagged: { fields: ['is_spammed'], to: true },
    spam_cleared: { fields: ['is_spammed'], to: false },
    status_changed: { fields: ['status'] },
    subscription_changed: { fields: ['subscription_status'] },
    charges_changed: { fields: ['activation', 'monthly', 'incoming'] },
  },
});

export const additional_services = defineList({
  name: 'additional_services',
  title: 'Additional services',
  one: 'additional service',
  about: 'The additional services on the account: VPN access, experimental features, extra subscriptions.',
  path: '/api/v1/services/additional',
  fields: {
    id,
    title: { kind: 'text', about: 'What the service is called.', example: 'VPN access', required: true },
    comment: { kind: 'text', about: 'A note; empty when there is none.', example: 'For the night shift' },
    frequency: billing.frequency,
    activation: billing.activation,
    monthly: billing.monthly,
    activated_at: billing.activated_at,
    next_payment_at: billing.next_payment_at,
    subscription_status: billing.subscription_status,
  },
  hidden: {
    category: {
      kind: 'text',
      about: 'Which area of the platform the service belongs to: additional, reputation, lead or core.',
      example: 'additional',
    },
    service_name: {
      kind: 'text',
      about: "The service's catalogue name; the title where none was given.",
      example: 'vpn-access',
    },
  },
  only: { category: 'additional' },
  filters: billingFilters,
  search: ['title', 'comment'],
  sorts: {
    ...billingSorts,
    service_name: 'service_name',
    title: 'title',
    status: 'subscription_status',
  },
  label: 'title',
  events: {
    subscription_changed: { fields: ['subscription_status'] },
    charges_changed: { fields: ['activation', 'monthly'] },
  },
});

/** The types of stored services; only `additional` is ever listed. */
export const CATEGORIES = ['additional', 'reputation', 'lead', 'core'] as const;

export const lists = { virtual_numbers, additional_services } as const;

export const envelope = {
  data: 'The items of this page.',
  page: 'The page number that was requested.',
  page_size: 'The page size used.',
  total: 'How many items match, over all pages.',
  total_pages: 'ceil(total / page_size); 0 when nothing matches.',
} as const;

/** The largest integer that JSON numbers keep exactly: the limit of ids and page numbers. */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
export const MAX_LIST_VALUES = 1_000;
/** Values of one parameter in the body of a QUERY. */
export const MAX_BODY_LIST_VALUES = 10_000;
/** Values of all parameters together: parsing more would delay every other request. */
export const MAX_BODY_VALUES = 20_000;
export const MAX_Q_CHARACTERS = 200;
/** The result of a tool for agents, as it is sent. */
export const MAX_TOOL_RESULT_BYTES = 256_000;
/** Characters of any other text of an item. */
export const MAX_TEXT_CHARACTERS = 1_000;
/** Characters of a telephone number, as written. */
export const MAX_NUMBER_CHARACTERS = 100;
export const DEFAULT_PAGE_SIZE = 10;
export const DEFAULT_MAX_PAGE_SIZE = 1_000;
