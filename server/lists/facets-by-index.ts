// Facets by an index in memory: what facets-statements.ts counts in a database, counted by rank.

// biome-ignore-all lint/style/useForOf: an iterator over such an array takes five times as long.

import { DUE_FIELD, MAX_FACET_VALUES, PRICE_FIELD } from '@linecard/client/contract/facets';
import { type Bitmap, type IndexData, valuedColumnOf, valuesOf } from '../list-index/index-data.ts';
import { type MatchingRows, matchingOf } from '../list-index/match.ts';
import { type IndexColumn, rankOf, valueAt } from '../list-index/sorted-values.ts';
import type { ResultRow } from '../store/store.ts';
import type { Stored } from '../store/tables.ts';
import type { FacetsRows } from './facets.ts';
import type { FacetsPlan } from './facets-statements.ts';
import { paymentGroups } from './payments-by-index.ts';
import { MILLIONTHS, Sums } from './sums.ts';

type ValuedColumn = ReturnType<typeof valuedColumnOf>;

/**
 * Counts in steps of a few milliseconds, so that a thread can do other work between them. The plan's currency
 * must be that of the account at the revision of the index.
 */
export function* facetsByIndex(data: IndexData, plan: FacetsPlan): Generator<void, FacetsRows> {
  const all = yield* matchingOf(data, plan.all);
  const sums: Stored[] = [all.total];
  for (const column of plan.summed) {
    yield;
    sums.push(...sum(valuedColumnOf(data, column), all.bitmap));
  }
  for (const date of plan.until) {
    yield;
    sums.push(...dueUntil(data, all.bitmap, date));
  }
  yield;
  const payments = plan.days === undefined ? [] : yield* paymentGroups(data, all.bitmap, plan.days);
  const each: ResultRow[][] = [];
  for (const { column, selection } of plan.each) {
    yield;
    // A facet without a filter of its own counts what the others count.
    const isAll = selection.where.length === plan.all.where.length;
    const matching = isAll ? all : yield* matchingOf(data, selection);
    const valued = valuedColumnOf(data, column);
    const charges = plan.hasCharges ? chargesByRank(data, valued, matching.bitmap) : undefined;
    if (plan.hasCharges) yield;
    each.push(mostFrequent(valued, matching, charges));
  }
  return { revision: data.revision, currency: null, sums, payments, each };
}

/** How many of the rows that match have each rank, `null` last. */
function matchingByRank({ ranks, count }: IndexColumn, bitmap: Bitmap): Uint32Array {
  const counts = new Uint32Array(count + 1);
  for (let row = 0; row < ranks.length; row++) {
    const rank = ranks[row] as number;
    counts[rank] = (counts[rank] as number) + (bitmap[row] as number);
  }
  return counts;
}

/** Whole units and millionths, each of which adds up exactly. */
function sum(column: ValuedColumn, bitmap: Bitmap): [whole: number, millionths: number] {
  const counts = matchingByRank(column, bitmap);
  let [whole, millionths] = [0, 0];
  for (let rank = 0; rank < column.count; rank++) {
    const value = valueAt(column.values, rank) as number;
    whole += Math.trunc(value / MILLIONTHS) * (counts[rank] as number);
    millionths += (value % MILLIONTHS) * (counts[rank] as number);
  }
  return [whole, millionths];
}

/** What is due up to a date, inclusive: how many items, what they cost, and when the next one is due. */
function dueUntil(data: IndexData, bitmap: Bitmap, date: string): ResultRow {
  const dates = valuedColumnOf(data, DUE_FIELD);
  const { rank, found } = rankOf(dates.values, date);
  const end = found ? rank + 1 : rank;
  const due = new Uint8Array(bitmap.length);
  let count = 0;
  let next = dates.count;
  for (let row = 0; row < bitmap.length; row++) {
    if (bitmap[row] === 0) continue;
    const dueRank = dates.ranks[row] as number;
    if (dueRank < end) {
      due[row] = 1;
      count += 1;
    } else if (dueRank < next) next = dueRank;
  }
  const charge = sum(valuedColumnOf(data, PRICE_FIELD), due);
  return [count, ...charge, next === dates.count ? null : valueAt(dates.values, next)];
}

/** The charges of each rank, in two parts. */
function chargesByRank(data: IndexData, { ranks, count }: ValuedColumn, bitmap: Bitmap): Sums {
  const charges = valuedColumnOf(data, PRICE_FIELD);
  const amounts = valuesOf(charges);
  const sums = new Sums(count + 1);
  for (let row = 0; row < bitmap.length; row++) {
    if (bitmap[row] === 0) continue;
    sums.add(ranks[row] as number, amounts[charges.ranks[row] as number] as number);
  }
  return sums;
}

/** The count that a rank must exceed, or equal, to be among the most frequent values; at least 1. */
function thresholdOf(counts: Uint32Array): number {
  const highest = counts.reduce((most, count) => Math.max(most, count), 0);
  const ranks = new Uint32Array(highest + 1);
  for (let rank = 0; rank < counts.length; rank++) {
    const count = counts[rank] as number;
    ranks[count] = (ranks[count] as number) + 1;
  }
  let found = 0;
  for (let count = highest; count > 1; count--) {
    found += ranks[count] as number;
    if (found >= MAX_FACET_VALUES) return count;
  }
  return 1;
}

/**
 * What `facetStatement` selects: the most frequent first and then by value. Sorting all values of a column
 * that has thousands would take too long: only those that can be among the first are sorted.
 */
function mostFrequent(column: ValuedColumn, matching: MatchingRows, charges: Sums | undefined): ResultRow[] {
  const counts = matchingByRank(column, matching.bitmap).subarray(0, column.count);
  const threshold = thresholdOf(counts);
  const [above, equal]: [number[], number[]] = [[], []];
  for (let rank = 0; rank < counts.length; rank++) {
    const count = counts[rank] as number;
    if (count > threshold) above.push(rank);
    else if (count === threshold && equal.length < MAX_FACET_VALUES) equal.push(rank);
  }
  above.sort((a, b) => (counts[b] as number) - (counts[a] as number) || a - b);
  return [...above, ...equal].slice(0, MAX_FACET_VALUES).map((rank) => {
    const [, ...sum] = charges?.of(rank) ?? [];
    return [valueAt(column.values, rank), counts[rank] as number, matching.total, ...sum];
  });
}
