// Nicer words for names of the contract, where the name alone would not do. What has no entry is made from
// its name, so that something new in the contract reads well at once.

import { texts } from './texts.ts';

/** Fields, where the name alone would not do. */
export const fieldWords: Readonly<Record<string, string>> = {
  id: 'ID',
  did: 'Number',
  country: 'Country name',
  country_code: 'Country',
  subscription_status: 'Subscription',
  frequency: 'Billing',
  activation: 'One-time charge',
  monthly: 'Monthly charge',
  incoming: 'Incoming rate',
  created_at: 'Added',
  activated_at: 'Activated',
  next_payment_at: 'Next payment',
  is_active_spam_check: 'Spam check',
  is_spammed: 'Spam flag',
  spam_checked_at: 'Last spam check',
};

/** What a flag says when it is set, and when it is not. */
export const flagWords: Readonly<Record<string, readonly [yes: string, no: string]>> = {
  is_spammed: ['Flagged as spam', 'Not flagged'],
  is_active_spam_check: ['Checked', 'Not checked'],
};

/** Values of open sets; anything else is shown as it is. */
const valueWords: Readonly<Record<string, string>> = { one_time: 'One-time' };

/** Which values stand out, and how. */
export const valueTones: Readonly<Record<string, 'good' | 'wait' | 'bad'>> = {
  active: 'good',
  configuration_awaiting: 'wait',
  suspended: 'wait',
  blocked: 'bad',
};

/** Flags that stand out when they are set. */
export const flagTones: Readonly<Record<string, 'good' | 'bad'>> = { is_spammed: 'bad' };

/** Columns that are there to be chosen, but not at first, by list. */
export const notAtFirst: Readonly<Record<string, readonly string[]>> = {
  virtual_numbers: [
    'id',
    'country_code',
    'country',
    'provider',
    'frequency',
    'activation',
    'incoming',
    'created_at',
    'activated_at',
    'is_active_spam_check',
    'spam_checked_at',
  ],
  additional_services: ['id', 'activation', 'activated_at'],
};

/** The counts that make pictures at a glance: the first two that a list has. */
export const pictured: readonly string[] = [
  'country_codes',
  'statuses',
  'subscription_statuses',
  'frequencies',
];

const SNAKE = /^[a-z]+(?:_[a-z]+)*$/;

function sentence(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `next_charge_at` -> `Next charge` */
export function fieldLabel(name: string): string {
  return fieldWords[name] ?? sentence(name.replace(/^is_/, '').replace(/_at$/, ''));
}

/** A value of an open set, for people. */
export function valueLabel(value: string): string {
  if (value === '') return texts.nothing;
  return valueWords[value] ?? (SNAKE.test(value) ? sentence(value) : value);
}

export function flagLabel(field: string, value: boolean): string {
  return flagWords[field]?.[value ? 0 : 1] ?? `${fieldLabel(field)}: ${value ? texts.yes : texts.no}`;
}
