// The virtual numbers of the sample accounts: orders of numbers, and what has become of each number since. It must not
// know which accounts there are.

import { countryName } from '../import/countries.ts';
import type { RowValues } from '../store/tables.ts';
import { type Dice, midnight, momentAt } from './dice.ts';
import { activatedAt, chargeLess, dueAt, type Frequency, type Life, lifeAt, type Making } from './lives.ts';
import { BLOCKS, type Block, type NumberKind, numbersOf } from './ranges.ts';

/** Numbers of one country that were bought together. */
export interface Order {
  readonly country_code: string;
  /** Which numbers: a kind, or the place of a block. */
  readonly from: NumberKind | (string & {});
  readonly count: number;
  /** How many days ago, at least one. */
  readonly age: number;
  readonly frequency: Frequency;
  comment(place: string, index: number): string;
}

/** What the customer agreed with the platform. */
export interface Terms {
  /** Off the monthly charge and off incoming traffic, in percent. */
  readonly discount: { readonly monthly: number; readonly incoming: number };
  /** How many of a hundred numbers that are checked are flagged. */
  readonly spammed: number;
}

/** The numbers that nobody has yet. */
export type Pool = Map<Block, Iterator<string, undefined>>;

const HOUR = 3_600_000;
const OPENING = 8 * HOUR;
const FIRST_CHECK_DAYS = 7;
const YEARLY_DISCOUNT = 10;
/** For so many months' charge a number can be bought once and for all. */
const ONCE_MONTHS = 24;

/** Activation, monthly, a minute of incoming traffic. */
type Charges = readonly [activation: number, monthly: number, incoming: number];

const TARIFF: Readonly<Record<string, Partial<Record<NumberKind, Charges>>>> = {
  AU: {
    local: [0, 2.95, 0.0091],
    mobile: [4, 6.5, 0.0275],
    freephone: [15, 19.9, 0.0712],
    premium: [75, 29, 0.165],
  },
  CA: { local: [1, 1.15, 0.0049] },
  DE: { local: [0, 2.25, 0.0059], mobile: [5, 7.9, 0.0125] },
  FR: { local: [0.5, 1.95, 0.006], mobile: [3, 6.75, 0.0138] },
  GB: {
    local: [0, 1.2, 0.0059],
    mobile: [2.5, 3.75, 0.0102],
    national: [0, 1.95, 0.0064],
    freephone: [12, 6.5, 0.0385],
    premium: [60, 24, 0.12],
  },
  GU: { local: [5, 9.5, 0.0315] },
  IE: { local: [1.5, 2.4, 0.0068] },
  PR: { local: [1, 1.6, 0.0085] },
  SE: { local: [0, 2.1, 0.005], mobile: [4.5, 5.8, 0.0142] },
  US: { local: [1, 1, 0.0045] },
  VI: { local: [5, 8.25, 0.0299] },
};

/** Invented names, as all names here. */
const PROVIDERS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  AU: { 'Wattlebird Line': 4, 'Wispgull Telephony': 1 },
  CA: { 'Zed, Inc': 2, 'Érable Parlant': 3 },
  DE: { Kabelkiebitz: 5, 'Wispgull Telephony': 2 },
  FR: { 'Fil Papillote': 4, 'Wispgull Telephony': 1 },
  GB: { Thameswire: 5, 'Wispgull Telephony': 2, 'Zed, Inc': 1 },
  GU: { 'Zed, Inc': 1 },
  IE: { Céadfón: 2, 'Wispgull Telephony': 3 },
  PR: { 'Zed, Inc': 1 },
  SE: { Nordtråd: 1 },
  US: { 'Zed, Inc': 5, 'Thimble & Bramble "Far Lines"': 2 },
  VI: { 'Zed, Inc': 1 },
};

export function newPool(): Pool {
  return new Map(BLOCKS.map((block) => [block, numbersOf(block)]));
}

/** Takes as many numbers as were ordered out of the pool; where the blocks asked for run dry, others of the country. */
function* draw(pool: Pool, order: Order, dice: Dice): Generator<{ did: string; block: Block }> {
  let left = order.count;
  while (left > 0) {
    const of_country = [...pool.keys()].filter(({ country_code }) => country_code === order.country_code);
    const asked = of_country.filter(({ kind, place }) => kind === order.from || place === order.from);
    const [first, ...others] = asked.length > 0 ? asked : of_country;
    if (first === undefined) throw new Error(`No numbers are left for ${order.country_code}.`);
    const block = dice.pick([first, ...others]);
    while (left > 0) {
      const did = pool.get(block)?.next().value;
      if (did === undefined) {
        pool.delete(block);
        break;
      }
      // Gaps: somebody else had these.
      if (dice.percent(12)) continue;
      yield { did, block };
      left -= 1;
    }
  }
}

/** What is known of the checks for spam flags: most numbers in use are checked every night. */
function spamCheck(life: Life, order: Order, terms: Terms, { today, dice }: Making) {
  const old_enough = life.activated && order.age > FIRST_CHECK_DAYS;
  const checking = old_enough && life.subscription_status !== 'cancelled' && dice.percent(72);
  const checked_before = old_enough && !checking && dice.percent(30);
  const nights = checking ? 1 + dice.below(2) : 1 + dice.below(order.age - FIRST_CHECK_DAYS);
  const at = midnight(today, -nights) + 2 * HOUR + dice.below(3 * HOUR);
  return {
    is_active_spam_check: checking,
    is_spammed: (checking || checked_before) && dice.percent(terms.spammed),
    spam_checked_at: checking || checked_before ? momentAt(at, dice) : null,
  };
}

function charges({ country_code, kind }: Block, order: Order, { discount }: Terms) {
  const [activation, monthly, incoming] = TARIFF[country_code]?.[kind] ?? [];
  if (activation === undefined || monthly === undefined || incoming === undefined) {
    throw new Error(`There is no charge for ${kind} numbers of ${country_code}.`);
  }
  const once = order.frequency === 'one_time';
  const yearly = order.frequency === 'yearly' ? YEARLY_DISCOUNT : 0;
  return {
    activation: chargeLess(once ? activation + ONCE_MONTHS * monthly : activation),
    monthly: once ? 0 : chargeLess(monthly, discount.monthly + yearly),
    incoming: chargeLess(incoming, discount.incoming),
  };
}

/** The rows of orders, oldest first; ids go up from `first_id`. */
export function* virtualNumbers(
  orders: Iterable<Order>,
  terms: Terms,
  first_id: number,
  pool: Pool,
  making: Making,
): Generator<RowValues> {
  const { dice, today } = making;
  let id = first_id;
  for (const order of orders) {
    let bought = midnight(today, -order.age) + OPENING + dice.below(8 * HOUR);
    const provider = dice.weigh(PROVIDERS[order.country_code] ?? {});
    let index = 0;
    for (const { did, block } of draw(pool, order, dice)) {
      const life = lifeAt(order.age, dice);
      const { country_code, place } = block;
      yield {
        id,
        did,
        comment: order.comment(place, index),
        country: countryName(country_code),
        country_code,
        provider,
        status: life.status,
        subscription_status: life.subscription_status,
        frequency: order.frequency,
        ...charges(block, order, terms),
        created_at: momentAt(bought, dice),
        activated_at: life.activated ? activatedAt(bought, making) : null,
        next_payment_at: dueAt(order.age, order.frequency, life, making),
        ...spamCheck(life, order, terms, making),
      };
      id += 1 + dice.below(3);
      bought += 1_000 + dice.below(5_000);
      index += 1;
    }
  }
}
