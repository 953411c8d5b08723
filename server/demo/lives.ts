// What becomes of a number or a service after it was bought: waiting, in use, unpaid, given back; and when it has to be
// paid for next.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { DAY, type Dice, midnight, momentAt } from './dice.ts';

export type Frequency = 'monthly' | 'quarterly' | 'yearly' | 'one_time';

/** What rows are made from. */
export interface Making {
  readonly today: number;
  readonly dice: Dice;
}

/** What becomes of a thing that was bought, with its weight while it is young and later. */
export interface Life {
  readonly weights: readonly [young: number, later: number];
  readonly status: string;
  readonly subscription_status: string;
  readonly activated: boolean;
  readonly due: 'coming' | 'late' | 'never';
}

const YOUNG_DAYS = 21;
const CYCLES = { monthly: 30, quarterly: 91, yearly: 365 } as const;
const LATEST_DAYS = 18;
const MILLION = 1_000_000;

const LIVES = {
  used: {
    weights: [30, 840],
    status: 'active',
    subscription_status: 'active',
    activated: true,
    due: 'coming',
  },
  unpaid: { weights: [0, 25], status: 'active', subscription_status: 'active', activated: true, due: 'late' },
  ending: {
    weights: [0, 25],
    status: 'active',
    subscription_status: 'disabled',
    activated: true,
    due: 'never',
  },
  blocked: {
    weights: [1, 30],
    status: 'blocked',
    subscription_status: 'suspended',
    activated: true,
    due: 'late',
  },
  returned: {
    weights: [1, 45],
    status: 'released',
    subscription_status: 'cancelled',
    activated: true,
    due: 'never',
  },
  waiting: {
    weights: [40, 15],
    status: 'configuration_awaiting',
    subscription_status: 'disabled',
    activated: false,
    due: 'never',
  },
  paid_ahead: {
    weights: [20, 10],
    status: 'configuration_awaiting',
    subscription_status: 'active',
    activated: false,
    due: 'coming',
  },
} as const satisfies Record<string, Life>;

/** What has become of a thing of that age. */
export function lifeAt(age: number, dice: Dice): Life {
  const column = age < YOUNG_DAYS ? 0 : 1;
  const weights = Object.entries(LIVES).map(([name, { weights }]): [string, number] => [
    name,
    weights[column],
  ]);
  return LIVES[dice.weigh<keyof typeof LIVES>(Object.fromEntries(weights))];
}

/** When a thing of that age has to be paid for next: bought things are due every so many days. */
export function dueAt(age: number, frequency: Frequency, life: Life, { today, dice }: Making): string | null {
  if (life.due === 'never' || frequency === 'one_time') return null;
  const cycle = CYCLES[frequency];
  const days = life.due === 'coming' ? cycle - (age % cycle) : -1 - dice.below(LATEST_DAYS);
  return timestampOf(midnight(today, days));
}

/** When a thing bought at that moment was activated: within three days, and before today began. */
export function activatedAt(bought: number, { today, dice }: Making): string {
  return momentAt(bought + 1 + dice.below(Math.min(3 * DAY, midnight(today) - bought - 1)), dice);
}

/** A charge in millionths, less so many percent. */
export function chargeLess(decimal: number, percent = 0): number {
  return Math.round((Math.round(decimal * MILLION) * (100 - percent)) / 100);
}
