// Labels for names of the contract. A name without an entry gets a label made from it, so that additions to
// the contract read well.

import { shownText } from './format.ts';
import { texts } from './texts.ts';

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
  at: 'Time',
  list: 'List',
  event: 'Event',
  ids: 'ID',
};

/** The label of a flag that is set, and of one that is not. */
export const flagWords: Readonly<Record<string, readonly [yes: string, no: string]>> = {
  is_spammed: ['Flagged as spam', 'Not flagged'],
  is_active_spam_check: ['Checked', 'Not checked'],
};

/** The short label of a flag that is shown next to the name of an item. */
export const flagMarks: Readonly<Record<string, string>> = { is_spammed: 'Spam' };

/** A field that is shown in the cell of another where their values differ. */
export const sharedCells: Readonly<Record<string, string>> = { status: 'subscription_status' };

/** Values of open sets; others are shown as they are. */
const valueWords: ReadonlyMap<string, string> = new Map([['one_time', 'One-time']]);

/** Values that stand out. */
export const valueTones: ReadonlyMap<string, 'good' | 'wait' | 'bad'> = new Map([
  ['active', 'good'],
  ['configuration_awaiting', 'wait'],
  ['suspended', 'wait'],
  ['blocked', 'bad'],
]);

/** Events that stand out. */
export const eventTones: Readonly<Record<string, 'good' | 'wait' | 'bad'>> = {
  added: 'good',
  removed: 'wait',
  spam_flagged: 'bad',
  spam_cleared: 'good',
};

/** Fields of money that are not charges. */
export const moneyFields: readonly string[] = ['frequency', 'next_payment_at'];

/** Flags that stand out when set. */
export const flagTones: Readonly<Record<string, 'good' | 'bad'>> = { is_spammed: 'bad' };

/** Columns that are hidden by default, by list. */
export const notAtFirst: Readonly<Record<string, readonly string[]>> = {
  virtual_numbers: [
    'id',
    'country_code',
    'country',
    'provider',
    'subscription_status',
    'frequency',
    'activation',
    'incoming',
    'created_at',
    'activated_at',
    'is_active_spam_check',
    'is_spammed',
    'spam_checked_at',
  ],
  additional_services: ['id', 'activation', 'activated_at'],
};

/** The facets that have a chart: the first two that a list has. */
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

export function valueLabel(value: string): string {
  if (value === '') return texts.nothing;
  return valueWords.get(value) ?? (SNAKE.test(value) ? sentence(value) : shownText(value));
}

export function eventLabel(name: string): string {
  const words: Readonly<Record<string, string>> = texts.events;
  return (Object.hasOwn(words, name) ? words[name] : undefined) ?? sentence(name);
}

export function flagLabel(field: string, value: boolean): string {
  return flagWords[field]?.[value ? 0 : 1] ?? `${fieldLabel(field)}: ${value ? texts.yes : texts.no}`;
}
