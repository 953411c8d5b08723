// The sample accounts: who they are, and what they have ordered over the years.

import type { Dice } from './dice.ts';
import type { Frequency } from './lives.ts';
import type { Order, Terms } from './numbers.ts';
import type { NumberKind } from './ranges.ts';
import { type Choice, EVERYBODY_HAS, type ServiceName } from './services.ts';
import { CALL_CENTRE, DENTIST_NOTES, END_CUSTOMERS, FLOORS } from './words.ts';

export interface Sample {
  readonly id: string;
  readonly name: string;
  /** One line for somebody who wonders which account to try. */
  readonly about: string;
  readonly terms: Terms;
  /** Of its dice; another one makes another account. */
  readonly seed: number;
  readonly first_number_id: number;
  readonly first_service_id: number;
  /** Oldest first. */
  orders(dice: Dice): Iterable<Order>;
  /** Oldest first. */
  choices(dice: Dice): Iterable<Choice>;
}

/** The age of the i-th of n things that came in over so many days, more and more of them. */
function ageOf(i: number, n: number, days: number): number {
  return 1 + Math.floor(days * (1 - i / n) ** 1.7);
}

/** The services of an account with their ages, after what everybody has. */
function* taken(days: number, wishes: readonly (readonly [ServiceName, string])[]): Generator<Choice> {
  for (const service_name of EVERYBODY_HAS) yield { service_name, comment: '', age: days + 1 };
  for (const [i, [service_name, comment]] of wishes.entries()) {
    yield { service_name, comment, age: ageOf(i, wishes.length, days) };
  }
}

const two_digits = (n: number) => String(n).padStart(2, '0');

const dentist: Sample = {
  id: 'pennywharf-dental',
  name: 'Pennywharf Dental',
  about: 'a small firm: 46 numbers in two countries, a handful of services',
  terms: { discount: { monthly: 0, incoming: 0 }, spammed: 4 },
  seed: 15_882,
  first_number_id: 41_007,
  first_service_id: 2_101,
  *orders() {
    for (const [country_code, from, age, frequency, notes] of DENTIST_NOTES) {
      const texts = notes.split('|');
      yield {
        country_code,
        from,
        age,
        frequency,
        count: texts.length,
        comment: (_, index) => texts[index] ?? '',
      };
    }
  },
  choices: () =>
    taken(1_300, [
      ['extra-users', 'Pack of 10, shared with Hamburg'],
      ['music-on-hold', ''],
      ['extra-fax', 'Überweisungen, Hamburg'],
      ['vpn-access', 'Reception laptops'],
      ['extra-call-recording', 'Kept 90 days, see "Data protection", 4.2'],
      ['vpn-fixed-address', 'X-ray archive'],
      ['experimental-features', ''],
      ['extra-speech-to-text', 'Try-out until the end of the year, 100% off'],
    ]),
};

const CALL_CENTRE_NUMBERS = 4_000;
const CALL_CENTRE_DAYS = 1_900;
const KINDS: Readonly<Record<NumberKind, number>> = {
  local: 74,
  mobile: 10,
  national: 6,
  freephone: 8,
  premium: 2,
};
const FREQUENCIES: Readonly<Record<Frequency, number>> = {
  monthly: 70,
  quarterly: 14,
  yearly: 13,
  one_time: 3,
};
const AT_A_DESK = ['vpn-access', 'extra-call-recording', 'extra-speech-to-text', 'extra-users'] as const;

const call_centre: Sample = {
  id: 'ringmallow-answers',
  name: 'Ringmallow Answers',
  about: 'a call centre: 4,000 numbers in eleven countries',
  terms: { discount: { monthly: 15, incoming: 25 }, spammed: 5 },
  seed: 4_000,
  first_number_id: 60_013,
  first_service_id: 2_302,
  *orders(dice) {
    const countries = Object.entries(CALL_CENTRE);
    const open = Object.fromEntries(countries.map(([code, { orders }]): [string, number] => [code, orders]));
    const orders = countries.reduce((sum, [, { orders }]) => sum + orders, 0);
    let left = CALL_CENTRE_NUMBERS;
    for (let i = 0; i < orders; i++) {
      const rest = orders - i;
      const count = rest === 1 ? left : Math.round(left / rest) + dice.below(11) - 5;
      const country_code = dice.weigh(open);
      const campaign = dice.pick(CALL_CENTRE[country_code]?.campaigns ?? ['']);
      const unnamed = dice.percent(12);
      yield {
        country_code,
        from: dice.weigh(KINDS),
        count,
        age: ageOf(i, orders, CALL_CENTRE_DAYS),
        frequency: dice.weigh(FREQUENCIES),
        comment: (place, index) => (unnamed ? '' : `${campaign} · ${place} ${two_digits(index + 1)}`),
      };
      open[country_code] = (open[country_code] ?? 0) - 1;
      left -= count;
    }
  },
  choices(dice) {
    const wishes: [ServiceName, string][] = [];
    for (let desk = 1; desk <= 8; desk++) {
      for (const floor of FLOORS) {
        const comment = dice.percent(10) ? '' : `${floor}, desk ${desk}`;
        wishes.push([dice.pick(AT_A_DESK), comment]);
      }
    }
    wishes.push(
      ['single-sign-on', ''],
      ['extra-history', 'Kept 5 years: „Aufbewahrung“, §'],
      ['extra-support', '24/7, 100% of lines'],
      ['experimental-features', 'Training room only'],
      ['number-porting', '112 numbers from the old exchange'],
    );
    return taken(CALL_CENTRE_DAYS, wishes);
  },
};

const RESELLER_DAYS = 1_200;

const reseller: Sample = {
  id: 'oddlark-resale',
  name: 'Oddlark & Wick, Resale',
  about: `a reseller: ${END_CUSTOMERS.length} customers of its own, told apart by the comments`,
  terms: { discount: { monthly: 20, incoming: 5 }, spammed: 4 },
  seed: 325,
  first_number_id: 50_002,
  first_service_id: 2_205,
  *orders(dice) {
    // Everybody started with a few numbers and came back for the rest.
    const rounds = [Math.ceil, Math.floor].flatMap((half) =>
      END_CUSTOMERS.map(([name, country_code, numbers, lines]) => {
        return { name, country_code, count: half(numbers / 2), uses: lines.split('|') };
      }),
    );
    for (const [i, { name, country_code, count, uses }] of rounds.entries()) {
      yield {
        country_code,
        from: dice.weigh(KINDS),
        count,
        age: ageOf(i, rounds.length, RESELLER_DAYS),
        frequency: dice.weigh(FREQUENCIES),
        comment: (_, index) => (index % 7 === 6 ? name : `${name}: ${uses[index % uses.length]}`),
      };
    }
  },
  choices: (dice) =>
    taken(
      RESELLER_DAYS,
      END_CUSTOMERS.flatMap(([name]): [ServiceName, string][] => [
        ['vpn-access', name],
        [dice.pick(['extra-fax', 'extra-call-recording', 'number-porting', 'extra-history']), name],
      ]),
    ),
};

/** In the order in which they are shown. */
export const SAMPLES: readonly Sample[] = [dentist, call_centre, reseller];
