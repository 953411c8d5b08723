// The services of the sample accounts: a catalogue, and what each account has taken from it. Some belong to the
// categories that are never listed, so that their absence can be seen.

import type { RowValues } from '../store/tables.ts';
import { DAY, midnight } from './dice.ts';
import { activatedAt, chargeLess, dueAt, type Frequency, lifeAt, type Making } from './lives.ts';

interface Offer {
  readonly title: string;
  readonly category: 'additional' | 'reputation' | 'lead' | 'core';
  readonly frequency: Frequency;
  readonly activation: number;
  readonly monthly: number;
}

function offer(
  category: Offer['category'],
  title: string,
  frequency: Frequency,
  activation: number,
  monthly: number,
): Offer {
  return { category, title, frequency, activation, monthly };
}

const CATALOGUE = {
  'vpn-access': offer('additional', 'VPN access', 'monthly', 0, 4.5),
  'vpn-fixed-address': offer('additional', 'VPN access with a fixed address', 'monthly', 15, 9.25),
  'experimental-features': offer('additional', 'Experimental features', 'monthly', 0, 0),
  'extra-call-recording': offer('additional', 'Extra subscription: call recording', 'monthly', 0, 7.5),
  'extra-fax': offer('additional', 'Extra subscription: fax by e-mail', 'quarterly', 2.5, 1.99),
  'extra-history': offer('additional', 'Extra subscription: call history for 5 years', 'yearly', 0, 3.3325),
  'extra-speech-to-text': offer('additional', 'Extra subscription: speech to text (β)', 'monthly', 0, 12.5),
  'extra-users': offer('additional', 'Extra subscription: 10 more users', 'monthly', 0, 14.9),
  'extra-support': offer('additional', 'Extra subscription: support around the clock', 'yearly', 0, 49),
  'music-on-hold': offer('additional', 'Music on hold, “Rainy Harbour” collection', 'one_time', 39, 0),
  'number-porting': offer('additional', 'Number porting', 'one_time', 25, 0),
  'single-sign-on': offer('additional', 'Single sign-on', 'yearly', 120, 8.075),
  'spam-watch': offer('reputation', 'Spam watch', 'monthly', 0, 0.35),
  'caller-name': offer('reputation', 'Caller name display', 'monthly', 5, 2),
  'missed-call-leads': offer('lead', 'Missed-call leads', 'monthly', 0, 6),
  'lead-inbox': offer('lead', 'Lead inbox', 'monthly', 10, 11.5),
  'voice-module': offer('core', 'Voice', 'monthly', 0, 19),
  'messaging-module': offer('core', 'Messaging', 'monthly', 0, 9),
} as const satisfies Record<string, Offer>;

export type ServiceName = keyof typeof CATALOGUE;

/** What an account has taken, with its note. */
export interface Choice {
  readonly service_name: ServiceName;
  readonly comment: string;
  /** How many days ago, at least one. */
  readonly age: number;
}

/** What every account has, whatever else it takes. */
export const EVERYBODY_HAS = [
  'voice-module',
  'messaging-module',
  'spam-watch',
  'caller-name',
  'missed-call-leads',
  'lead-inbox',
] as const satisfies ServiceName[];

/** The rows of choices, oldest first; ids go up from `first_id`. */
export function* additionalServices(
  choices: Iterable<Choice>,
  first_id: number,
  making: Making,
): Generator<RowValues> {
  const { dice, today } = making;
  let id = first_id;
  for (const { service_name, comment, age } of choices) {
    const { title, category, frequency, activation, monthly } = CATALOGUE[service_name];
    const life = lifeAt(age, dice);
    const bought = midnight(today, -age) + dice.below(DAY / 2);
    yield {
      id,
      title,
      comment,
      frequency,
      activation: chargeLess(activation),
      monthly: chargeLess(monthly),
      activated_at: life.activated ? activatedAt(bought, making) : null,
      next_payment_at: dueAt(age, frequency, life, making),
      subscription_status: life.subscription_status,
      category,
      service_name,
    };
    id += 1 + dice.below(4);
  }
}
