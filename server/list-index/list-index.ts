// THE INDEX of one account's list, in memory: which rows match a plan, how many, and which of them are on a page, without
// asking the database. It is true of one revision of the account; whoever reads the rows sees whether that still stands.
//
// A row is its place in the order of the ids. Each column that is filtered or sorted by is the rank of every row's value
// among the values of the account, so that filters and orders of all kinds are comparisons of small integers; ties are
// in the order of the rows, which is that of the ids. `null` ranks behind every value.

// biome-ignore-all lint/style/useForOf: an iterator over such an array takes five times as long.

import type { Condition, Plan } from '../store/sql.ts';
import { columnOf, filterOf, rankCounts } from './match.ts';
import { rankOf, type SortedValues } from './sorted-values.ts';
import type { Trigrams } from './trigrams.ts';

/** The ranks of a column. */
export interface IndexColumn {
  /** Of each row: the rank of its value, or the number of values for `null`. */
  readonly ranks: Uint8Array | Uint16Array | Uint32Array;
  /** How many different values there are. */
  readonly count: number;
  /** The values by rank, where a filter looks for them. */
  readonly values?: SortedValues;
}

/** What an index is made of, in memory that all threads share. */
export interface IndexData {
  readonly revision: string;
  /** Ascending. */
  readonly ids: Float64Array;
  readonly columns: Readonly<Record<string, IndexColumn>>;
  /** Of each column that is searched. */
  readonly texts: Readonly<Record<string, Trigrams>>;
}

/** Rows of a page, by id and in their order, and how many rows match. */
export interface Found {
  readonly total: number;
  readonly ids: readonly number[];
}

const BYTES_OF_A_PLACE = 4;
const USUAL_ORDERS = 4;
/** A text of one or two bytes may be found ten times in every row. */
const SHORT_SEARCH_BYTES = 2;
const MAX_ROWS_OF_SHORT_SEARCHES = 50_000;

/** How many bytes all arrays somewhere in a value take. */
function bytesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  return Object.values(value).reduce<number>((sum, one) => sum + bytesOf(one), 0);
}

/** The rows of a column by rank, then by place: the ascending order. */
function orderOf({ ranks, count }: IndexColumn): Uint32Array {
  const next = new Uint32Array(count + 2);
  for (let row = 0; row < ranks.length; row++) {
    const rank = ranks[row] as number;
    next[rank + 1] = (next[rank + 1] as number) + 1;
  }
  for (let rank = 1; rank <= count; rank++) next[rank] = (next[rank] as number) + (next[rank - 1] as number);
  const order = new Uint32Array(ranks.length);
  for (let row = 0; row < ranks.length; row++) {
    const rank = ranks[row] as number;
    const place = next[rank] as number;
    order[place] = row;
    next[rank] = place + 1;
  }
  return order;
}

/** Rows in one direction of an order: `null` comes last in both. */
interface Walk {
  rowAt(step: number): number;
  /** The step at which a row comes. */
  stepOf(row: number): number;
}

function isShortSearch(condition: Condition): boolean {
  if ('either' in condition) return condition.either.some(isShortSearch);
  const { test, value } = condition;
  return test === 'contains' && Buffer.byteLength(String(value)) <= SHORT_SEARCH_BYTES;
}

export class ListIndex {
  readonly revision: string;
  /** What it takes, and will take when a few orders have been asked for. */
  readonly bytes: number;
  readonly data: IndexData;
  readonly #orders = new Map<string, Uint32Array>();
  readonly #counts = new Map<string, Uint32Array>();

  constructor(data: IndexData) {
    this.revision = data.revision;
    this.data = data;
    this.bytes = bytesOf(data) + BYTES_OF_A_PLACE * data.ids.length * USUAL_ORDERS;
  }

  /**
   * What a plan asks for, behind the row of an id or from its offset on; `undefined` where that row is not here, or where
   * finding it out would hold up other requests.
   */
  find(plan: Plan, behind?: number): Found | undefined {
    const { ids } = this.data;
    if (ids.length > MAX_ROWS_OF_SHORT_SEARCHES && plan.where.some(isShortSearch)) return undefined;
    const walk = this.#walk(plan);
    let first = 0;
    if (behind !== undefined) {
      const { rank: row, there } = rankOf(ids, behind);
      if (!there) return undefined;
      first = walk.stepOf(row) + 1;
    }
    const filter = plan.whole ? undefined : filterOf(this.data, plan, (name) => this.#countsOf(name));
    const total = filter?.total ?? ids.length;
    const limit = plan.limit ?? total;
    const found: number[] = [];
    let skip = plan.offset ?? 0;
    if (skip >= total) return { total, ids: found };
    if (filter === undefined) [first, skip] = [first + skip, 0];
    for (let step = first; step < ids.length && found.length < limit; step++) {
      const row = walk.rowAt(step);
      if (filter?.has(row) === false) continue;
      if (skip > 0) skip -= 1;
      else found.push(ids[row] as number);
    }
    return { total, ids: found };
  }

  #walk({ order: { column: name, descending } }: Plan): Walk {
    const last = this.data.ids.length - 1;
    if (name === 'id') {
      const turned = (row: number) => (descending ? last - row : row);
      return { rowAt: turned, stepOf: turned };
    }
    const column = columnOf(this.data, name);
    const order = this.#order(name, column);
    const nulls_from = placeOf(order, column, column.count, 0);
    const turned = (step: number) => {
      if (!descending) return step;
      return step < nulls_from ? nulls_from - 1 - step : last - (step - nulls_from);
    };
    return {
      rowAt: (step) => order[turned(step)] as number,
      stepOf: (row) => turned(placeOf(order, column, column.ranks[row] as number, row)),
    };
  }

  #countsOf(name: string): Uint32Array {
    let counts = this.#counts.get(name);
    if (counts === undefined) {
      counts = rankCounts(columnOf(this.data, name));
      this.#counts.set(name, counts);
    }
    return counts;
  }

  #order(name: string, column: IndexColumn): Uint32Array {
    let order = this.#orders.get(name);
    if (order === undefined) {
      order = orderOf(column);
      this.#orders.set(name, order);
    }
    return order;
  }
}

/** The place in the ascending order of a row of that rank, or of the first one behind it. */
function placeOf(order: Uint32Array, { ranks }: IndexColumn, rank: number, row: number): number {
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = order[middle] as number;
    const before = (ranks[other] as number) < rank || (ranks[other] === rank && other < row);
    if (before) low = middle + 1;
    else high = middle;
  }
  return low;
}
