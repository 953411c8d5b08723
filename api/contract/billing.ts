// What both lists have: fields of billing, and their filters and sort keys.

import type { ChargeTest, Field, TimeTest } from './list.ts';

const SUBSCRIPTION_STATUSES = ['active', 'disabled', 'suspended', 'cancelled'] as const;
const FREQUENCIES = ['monthly', 'quarterly', 'yearly', 'one_time'] as const;

/** Fields that mean the same in both lists. */
export const billing = {
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

export const id = {
  kind: 'integer',
  about: 'Unique in the deployment, 1 to 2^53 - 1.',
  example: 48151,
  required: true,
} as const satisfies Field;

type TimeFilters<Stem extends string> = {
  readonly [Side in TimeTest as `${Stem}_${Side}`]: { readonly field: `${Stem}_at`; readonly test: Side };
};

/** The four filters on a time: `activated_after`, `_before`, `_from` and `_to` for `activated_at`. */
export function timeFilters<const Stem extends string>(stem: Stem): TimeFilters<Stem> {
  const sides = ['after', 'before', 'from', 'to'] as const;
  return Object.fromEntries(
    sides.map((test) => [`${stem}_${test}`, { field: `${stem}_at`, test }]),
  ) as TimeFilters<Stem>;
}

type ChargeFilters<Name extends string> = {
  readonly [Side in ChargeTest as `${Name}_${Side}`]: { readonly field: Name; readonly test: Side };
};

/** The two filters on a charge: `monthly_min` and `monthly_max`. */
export function chargeFilters<const Name extends string>(name: Name): ChargeFilters<Name> {
  const sides = ['min', 'max'] as const;
  return Object.fromEntries(
    sides.map((test) => [`${name}_${test}`, { field: name, test }]),
  ) as ChargeFilters<Name>;
}

export const billingFilters = {
  ids: { field: 'id', test: 'any' },
  frequencies: { field: 'frequency', test: 'any' },
  subscription_statuses: { field: 'subscription_status', test: 'any' },
  ...chargeFilters('activation'),
  ...chargeFilters('monthly'),
  has_activation: { field: 'activated_at', test: 'set' },
  ...timeFilters('activated'),
  has_next_payment: { field: 'next_payment_at', test: 'set' },
  ...timeFilters('next_payment'),
} as const;

export const billingSorts = {
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
