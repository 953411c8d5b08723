// Items that are paid on the same days, counted by an index in memory: what `groupColumns` is in a database.

// biome-ignore-all lint/style/useForOf: an iterator over such an array takes five times as long.

import { DUE_FIELD, PRICE_FIELD } from '@linecard/client/contract/facets';
import { type Bitmap, type IndexData, valuedColumnOf, valuesOf } from '../list-index/index-data.ts';
import { rankOf, valueAt } from '../list-index/sorted-values.ts';
import { BILLED_FIELD, type DayRange, monthOf, monthsCovered, type PaymentGroup } from './payments.ts';
import { Sums } from './sums.ts';

const LAST_TIME = 'T23:59:59.999999Z';
/** How many days, and how many rows, are looked at in a step: they take a few milliseconds. */
const DAYS_A_STEP = 200;
const ROWS_A_STEP = 40_000;

/** Of each rank of a date before the end: which month and day it is paid on, as a position in `days`. */
interface RankedDays {
  readonly days: readonly (readonly [month: number, day: number])[];
  readonly ofRank: Uint32Array;
}

function* rankedDays(
  data: IndexData,
  { days: [today = ''], end, cycle }: DayRange,
): Generator<void, RankedDays> {
  const { values } = valuedColumnOf(data, DUE_FIELD);
  const ofRank = new Uint32Array(rankOf(values, end).rank);
  const positions = new Map<string, number>();
  const days: (readonly [number, number])[] = [];
  for (let [rank, seen] = [0, 1]; rank < ofRank.length; seen++) {
    const date = String(valueAt(values, rank)).slice(0, today.length);
    const [month, day] = [monthOf(date), Number(date.slice(-2))];
    const one = date < today ? ([month % cycle, -day] as const) : ([month, day] as const);
    const position = positions.get(one.join()) ?? days.push(one) - 1;
    positions.set(one.join(), position);
    const { rank: last, found } = rankOf(values, date + LAST_TIME);
    const next = found ? last + 1 : last;
    ofRank.fill(position, rank, next);
    rank = next;
    if (seen % DAYS_A_STEP === 0) yield;
  }
  return { days, ofRank };
}

/** The groups of all rows that are due before the end of a range, in steps of a few milliseconds. */
export function* paymentGroups(
  data: IndexData,
  bitmap: Bitmap,
  range: DayRange,
): Generator<void, PaymentGroup[]> {
  const { days, ofRank } = yield* rankedDays(data, range);
  const [dates, frequencies] = [valuedColumnOf(data, DUE_FIELD), valuedColumnOf(data, BILLED_FIELD)];
  const charges = valuedColumnOf(data, PRICE_FIELD);
  const covered = [...new Set([0, ...range.months.values()])];
  const coveredBy = valuesOf(frequencies).map((one) => covered.indexOf(monthsCovered(range, one)));
  yield;
  const amounts = valuesOf(charges);
  const sums = new Sums(days.length * covered.length);
  for (let row = 0; row < bitmap.length; row++) {
    if (row % ROWS_A_STEP === 0) yield;
    const rank = dates.ranks[row] as number;
    if (bitmap[row] === 0 || rank >= ofRank.length) continue;
    const frequency = coveredBy[frequencies.ranks[row] as number] as number;
    const charge = amounts[charges.ranks[row] as number] as number;
    sums.add((ofRank[rank] as number) * covered.length + frequency, charge);
  }
  return days.flatMap((day, i) =>
    covered.flatMap((months, j) => {
      const [count, ...sum] = sums.of(i * covered.length + j);
      return count === 0 ? [] : [[...day, months, count, ...sum]];
    }),
  );
}
