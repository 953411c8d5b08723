// Money over time: what is overdue, and the payments of each day of a window (docs/generated/api.md, "Money
// over time"): the next of each item, and its repetitions after each time the months that its frequency
// covers.
//
// A database and an index count groups of items that are paid alike; their repetitions are computed here. The
// repetitions of an overdue item follow from the day of the month, and from its month within a cycle, which
// all frequencies divide. So there are a few thousand groups at most, however many items there are and
// however old they are.

import { DUE_FIELD, PRICE_FIELD } from '@linecard/client/contract/facets';
import { fold } from '@linecard/client/contract/fold';
import { timestampOf } from '@linecard/client/contract/timestamp';
import type { Values } from '../store/conditions.ts';
import { folded, type Stored } from '../store/tables.ts';
import { inMillionths } from './sums.ts';

/** How often an item is paid. */
export const BILLED_FIELD = 'frequency';

export const MILLISECONDS_A_DAY = 86_400_000;
const MONTHS_A_YEAR = 12;
/** More than there are months in ten thousand years: a longer cycle makes no fewer groups. */
const MAX_CYCLE = 120_100;

/** Days in UTC, written `YYYY-MM-DD`: as texts they come before every time of the day. */
export interface DayRange {
  /** In order and without gaps. */
  readonly days: readonly string[];
  /** The day after the last. */
  readonly end: string;
  /** How many months a payment covers, by folded frequency. */
  readonly months: ReadonlyMap<string, number>;
  /** Months of which each of these is a divisor. */
  readonly cycle: number;
}

/**
 * Items that are paid on the same days: `[month, day, months, count, sum in two parts]`. `month` counts from
 * the year 0, `day` is that of the month, `months` is 0 for a frequency that is not known. What is overdue
 * has a negative `day`, and its `month` is one of the cycle.
 */
export type PaymentGroup = readonly Stored[];

/** Payments of a day, or what is overdue. */
export interface Payments {
  count: number;
  /** In millionths. */
  amount: bigint;
  unknown: number;
}

const dayOf = (milliseconds: number) => timestampOf(milliseconds).slice(0, 'YYYY-MM-DD'.length);

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

function cycleOf(months: DayRange['months']): number {
  let cycle = 1;
  for (const n of months.values()) {
    cycle = (cycle / divisor(cycle, n)) * n;
    if (cycle > MAX_CYCLE) return MAX_CYCLE;
  }
  return cycle;
}

/** That many days from the one of a time on. */
export function dayRange(now: number, count: number, months: DayRange['months']): DayRange {
  const days = Array.from({ length: count }, (_, i) => dayOf(now + i * MILLISECONDS_A_DAY));
  return { days, end: dayOf(now + count * MILLISECONDS_A_DAY), months, cycle: cycleOf(months) };
}

/** The number of a month, counted from the year 0, of a day or a timestamp. */
export const monthOf = (time: string) => Number(time.slice(0, 4)) * MONTHS_A_YEAR + Number(time.slice(5, 7));

/** When the nth day of a month begins; day 0 is the last one of the month before. */
const startOf = (month: number, day: number) =>
  Date.UTC(Math.floor((month - 1) / MONTHS_A_YEAR), (month - 1) % MONTHS_A_YEAR, day);

/** How many months a payment covers, in upper and lower case alike; 0 if that is not known. */
export const monthsCovered = ({ months }: DayRange, frequency: Stored): number =>
  months.get(fold(String(frequency))) ?? 0;

/** The same as SQL. */
function monthsColumn({ months }: DayRange, values: Values): string {
  const cases = [...months].map(([frequency, n]) => ` when ${values.bind(frequency)} then ${n}`);
  return cases.length === 0 ? '0' : `case ${folded(BILLED_FIELD)}${cases.join('')} else 0 end`;
}

/** The columns `month, day, months, charge` of a group, as SQL. */
export function groupColumns(range: DayRange, values: Values): string {
  const number = (from: number, length: number) =>
    `cast(substr(${DUE_FIELD}, ${from}, ${length}) as integer)`;
  const month = `(${number(1, 4)} * ${MONTHS_A_YEAR} + ${number(6, 2)})`;
  const isOverdue = `${DUE_FIELD} < ${values.bind(range.days[0] as string)}`;
  return `case when ${isOverdue} then ${month} % ${range.cycle} else ${month} end as month,
    case when ${isOverdue} then -${number(9, 2)} else ${number(9, 2)} end as day,
    ${monthsColumn(range, values)} as months, ${PRICE_FIELD} as charge`;
}

const nothing = (): Payments => ({ count: 0, amount: 0n, unknown: 0 });

/** The payments of a window, from the groups of all items that are due before its end. */
export function paymentsOf(
  groups: readonly PaymentGroup[],
  { days }: Pick<DayRange, 'days'>,
): { readonly overdue: Payments; readonly byDay: readonly Payments[] } {
  const overdue = nothing();
  const byDay = days.map(nothing);
  const [today = '', last = ''] = [days[0], days.at(-1)];
  const [firstMonth, lastMonth] = [monthOf(today), monthOf(last)];
  const begin = Date.parse(today);
  /** On the day of a month, or the last one where it has no such day; not before the window or after it. */
  const on = (month: number, day: number) =>
    byDay[(Math.min(startOf(month, day), startOf(month + 1, 0)) - begin) / MILLISECONDS_A_DAY];
  for (const group of groups) {
    const [month = 0, signed = 0, months = 0, count = 0] = group.map(Number);
    const amount = BigInt(months) * inMillionths(group[4], group[5]);
    const add = (payments: Payments | undefined) => {
      if (payments === undefined) return;
      payments.count += count;
      payments.amount += amount;
      if (months === 0) payments.unknown += count;
    };
    const [isOverdue, day] = [signed < 0, Math.abs(signed)];
    add(isOverdue ? overdue : on(month, day));
    if (months === 0) continue;
    // The months of the window that are as far from it as the frequency says, whole times.
    const wait = (((month - firstMonth) % months) + months) % months;
    const next = isOverdue ? firstMonth + wait : month + months;
    for (let at = next; at <= lastMonth; at += months) add(on(at, day));
  }
  return { overdue, byDay };
}
