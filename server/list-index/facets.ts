// Facets by an index in memory: what facets-statements.ts asks a database, counted by rank.

// biome-ignore-all lint/style/useForOf: an iterator over such an array takes five times as long.

import { MAX_FACET_VALUES, summedFields } from '@linecard/client/contract/facets';
import type { FacetsPlan, FacetsRows } from '../lists/facets.ts';
import { DUE_CHARGE, DUE_FIELD, MILLIONTHS } from '../lists/facets-statements.ts';
import type { Row } from '../store/store.ts';
import type { IndexColumn, IndexData } from './list-index.ts';
import { columnOf, type Matching, matchingOf } from './match.ts';
import { rankOf, type SortedValues, valueAt } from './sorted-values.ts';

/** A column whose values are known. */
type KnownColumn = IndexColumn & { readonly values: SortedValues };

export function facetsByIndex(data: IndexData, plan: FacetsPlan): FacetsRows {
  const all = matchingOf(data, plan.all);
  const charges = summedFields(plan.list).flatMap((field) => sum(known(data, field), all));
  const due = plan.until.flatMap((date) => dueUntil(data, all, date));
  return {
    revision: data.revision,
    sums: [all.total, ...charges, ...due],
    each: plan.each.map(({ column, selection }) => {
      // Without its own filter, and where there is none, it counts what all others count.
      const matching = selection.where.length === plan.all.where.length ? all : matchingOf(data, selection);
      return mostFrequent(known(data, column), matching);
    }),
  };
}

function known(data: IndexData, name: string): KnownColumn {
  const column = columnOf(data, name);
  if (column.values === undefined) throw new Error(`The index has no values of ${name}.`);
  return column as KnownColumn;
}

/** How many of the rows that match have each rank, `null` last. */
function countsByRank({ ranks, count }: IndexColumn, { marks }: Matching): Uint32Array {
  const counts = new Uint32Array(count + 1);
  for (let row = 0; row < ranks.length; row++) {
    const rank = ranks[row] as number;
    counts[rank] = (counts[rank] as number) + (marks[row] as number);
  }
  return counts;
}

/** Whole units and millionths, each of which adds up exactly. */
function sum(column: KnownColumn, matching: Matching): [whole: number, millionths: number] {
  const counts = countsByRank(column, matching);
  let [whole, millionths] = [0, 0];
  for (let rank = 0; rank < column.count; rank++) {
    const value = valueAt(column.values, rank) as number;
    whole += Math.trunc(value / MILLIONTHS) * (counts[rank] as number);
    millionths += (value % MILLIONTHS) * (counts[rank] as number);
  }
  return [whole, millionths];
}

/** What is due up to a date, that day's included: how many, what they cost, and when the next one after it is due. */
function dueUntil(data: IndexData, { marks }: Matching, date: string): Row {
  const dates = known(data, DUE_FIELD);
  const { rank, there } = rankOf(dates.values, date);
  const end = there ? rank + 1 : rank;
  const due = new Uint8Array(marks.length);
  let count = 0;
  let next = dates.count;
  for (let row = 0; row < marks.length; row++) {
    if (marks[row] === 0) continue;
    const its_rank = dates.ranks[row] as number;
    if (its_rank < end) {
      due[row] = 1;
      count += 1;
    } else if (its_rank < next) next = its_rank;
  }
  const charge = sum(known(data, DUE_CHARGE), { marks: due, total: count });
  return [count, ...charge, next === dates.count ? null : valueAt(dates.values, next)];
}

/** Each `[value, count, count of all values]`, the most frequent first and then by value. */
function mostFrequent(column: KnownColumn, matching: Matching): Row[] {
  const counts = countsByRank(column, matching);
  const ranks = Array.from(counts.keys()).filter((rank) => rank < column.count && counts[rank] !== 0);
  ranks.sort((a, b) => (counts[b] as number) - (counts[a] as number) || a - b);
  return ranks
    .slice(0, MAX_FACET_VALUES)
    .map((rank) => [valueAt(column.values, rank), counts[rank] as number, matching.total]);
}
