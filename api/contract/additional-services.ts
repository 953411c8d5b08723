// The list of additional services, as data.

import { billing, billingFilters, billingSorts, id } from './billing.ts';
import { defineList, withExclusions } from './list.ts';

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
  filters: withExclusions(billingFilters),
  search: ['title', 'comment'],
  sorts: {
    ...billingSorts,
    service_name: 'service_name',
    title: 'title',
    status: 'subscription_status',
  },
  first: ['id', 'title', 'subscription_status', 'monthly', 'frequency', 'next_payment_at', 'comment'],
  hiddenColumns: ['id', 'activation', 'activated_at'],
  label: 'title',
  events: {
    subscription_changed: { fields: ['subscription_status'] },
    charges_changed: { fields: ['activation', 'monthly'] },
  },
});
