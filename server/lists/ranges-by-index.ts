// Ranges by an index in memory: what `rangesOf` takes from the rows of a statement.

// biome-ignore-all lint/style/useForOf: an iterator over such an array takes five times as long.

import { PRICE_FIELD } from '@linecard/client/contract/facets';
import { RANGE_COUNTRY } from '@linecard/client/contract/ranges';
import { columnOf, type IndexData, valuedColumnOf, valuesOf } from '../list-index/index-data.ts';
import { matchingOf } from '../list-index/match.ts';
import { type Runs, STEPS } from '../list-index/runs.ts';
import { type FoundRanges, type Range, Ranges, type RangesPlan } from './ranges.ts';

/** How many rows are looked at in a step: they take a few milliseconds. */
const ROWS_A_STEP = 20_000;

/** The ranges from a position on, up to `size`, and how many there are, in steps of a few milliseconds. */
export function* rangesByIndex(
  data: IndexData,
  plan: RangesPlan,
  { first, size }: { readonly first: number; readonly size: number },
): Generator<void, FoundRanges> {
  const { rows, steps } = data.runs as Runs;
  const { bitmap } = yield* matchingOf(data, plan.selection);
  yield;
  const charges = valuedColumnOf(data, PRICE_FIELD);
  const amounts = valuesOf(charges);
  const countries = columnOf(data, RANGE_COUNTRY).ranks;
  const splits = plan.splits.map((name) => columnOf(data, name).ranks);
  const found: Range<number>[] = [];
  let total = 0;
  const take = (range: Range<number> | undefined) => {
    if (range === undefined) return;
    if (total >= first && found.length < size) found.push(range);
    total += 1;
  };
  const ranges = new Ranges<number>(plan.minCount);
  // From the last row that matches to this one.
  let distance: number = STEPS.APART;
  let before = 0;
  for (let i = 0; i < rows.length; i++) {
    if (i % ROWS_A_STEP === 0) yield;
    distance += steps[i] as number;
    const row = rows[i] as number;
    if (bitmap[row] === 0) continue;
    const step = {
      follows: distance < STEPS.APART && splits.every((ranks) => ranks[row] === ranks[before]),
      moves: distance > STEPS.SAME,
      sameCountry: countries[row] === countries[before],
      charge: amounts[charges.ranks[row] as number] as number,
    };
    take(ranges.add(row, step));
    [before, distance] = [row, STEPS.SAME];
  }
  take(ranges.end());
  const idOf = (row: number) => data.ids[row] as number;
  return { total, ranges: found.map((one) => ({ ...one, first: idOf(one.first), last: idOf(one.last) })) };
}
