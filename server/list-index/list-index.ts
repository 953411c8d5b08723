// THE INDEX of one account's list, in memory: which rows match a plan, how many, and which of them are on a
// page, without a query to the database. It is valid for one revision of the account, which its caller
// compares with the current one.
//
// A row number is a position in the order of the ids. Each column that is filtered or sorted by holds the
// rank of every row's value among the values of the account, so that filters and orders of all kinds are
// comparisons of small integers; ties are in the order of the rows, which is that of the ids. `null` ranks
// after every value.

// biome-ignore-all lint/style/useForOf: an iterator over such an array takes five times as long.

import type { Condition, SearchCondition } from '../store/conditions.ts';
import type { Plan } from '../store/sql.ts';
import { bytesOf, columnOf, type IndexData } from './index-data.ts';
import { filterOf } from './match.ts';
import { type IndexColumn, lowerBound, rankOf } from './sorted-values.ts';

/** Rows of a page, by id and in their order, and how many rows match. */
export interface FoundRows {
  readonly total: number;
  readonly ids: readonly number[];
}

/** An order is one row number a row; an index caches up to 4, or other derived arrays of their size. */
const ORDER_BYTES_A_ROW = 4;
const ORDERS = 4;
/** A text of one or two bytes may occur ten times in every row. */
const SHORT_SEARCH_BYTES = 2;
const MAX_ROWS_OF_SHORT_SEARCHES = 50_000;

/**
 * Arrays that are derived from the columns of an index when they are first needed, up to a number of bytes;
 * the least recently used are evicted.
 */
class DerivedArrays {
  readonly maxBytes: number;
  /** The least recently used first. */
  readonly #arrays = new Map<string, Uint32Array>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The array of a name, from the cache or made. One that is larger than the limit is not cached. */
  get(name: string, make: () => Uint32Array): Uint32Array {
    const array = this.#arrays.get(name) ?? make();
    if (this.#arrays.delete(name)) this.#bytes -= array.byteLength;
    else this.#evictFor(array.byteLength);
    if (array.byteLength > this.maxBytes) return array;
    this.#arrays.set(name, array);
    this.#bytes += array.byteLength;
    return array;
  }

  clear(): void {
    for (const { buffer } of this.#arrays.values()) (buffer as ArrayBuffer).transfer(0);
    this.#arrays.clear();
    this.#bytes = 0;
  }

  /** Evicts until `bytes` more fit. */
  #evictFor(bytes: number): void {
    for (const [name, array] of this.#arrays) {
      if (this.#bytes + bytes <= this.maxBytes) return;
      this.#arrays.delete(name);
      this.#bytes -= array.byteLength;
    }
  }
}

function countsByRank({ ranks, count }: IndexColumn): Uint32Array {
  const counts = new Uint32Array(count + 1);
  for (let row = 0; row < ranks.length; row++) {
    const rank = ranks[row] as number;
    counts[rank] = (counts[rank] as number) + 1;
  }
  return counts;
}

/** The row numbers of a column by rank, then by row: its ascending order, by a counting sort. */
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
    const position = next[rank] as number;
    order[position] = row;
    next[rank] = position + 1;
  }
  return order;
}

/** Rows of an order in one direction. `null` comes last in both. */
interface Walk {
  rowAt(step: number): number;
  stepOf(row: number): number;
}

function isShortSearch(condition: Condition): boolean {
  const isShort = ({ test, value }: SearchCondition) =>
    test === 'contains' && Buffer.byteLength(value) <= SHORT_SEARCH_BYTES;
  return 'either' in condition && condition.either.some(isShort);
}

export class ListIndex {
  readonly revision: string;
  /** The most memory that it takes, with the arrays that requests derive from its columns. */
  readonly bytes: number;
  readonly data: IndexData;
  /** The orders of columns and the counts of their ranks, each derived by the first request that needs it. */
  readonly #derived: DerivedArrays;

  constructor(data: IndexData) {
    this.revision = data.revision;
    this.data = data;
    this.#derived = new DerivedArrays(ORDER_BYTES_A_ROW * data.ids.length * ORDERS);
    this.bytes = bytesOf(data) + this.#derived.maxBytes;
  }

  get derivedBytes(): number {
    return this.#derived.bytes;
  }

  evict(): void {
    this.#derived.clear();
  }

  /** Whether a filter blocks the thread for no more than a few milliseconds. */
  isQuickToFilter(where: readonly Condition[]): boolean {
    return this.data.ids.length <= MAX_ROWS_OF_SHORT_SEARCHES || !where.some(isShortSearch);
  }

  /**
   * The rows of a plan, after the row of an id or from its offset, in steps of a few milliseconds;
   * `undefined` if that row does not exist, or if the search would block the thread for too long.
   */
  *find(plan: Plan, afterId?: number): Generator<void, FoundRows | undefined> {
    const { ids } = this.data;
    if (!this.isQuickToFilter(plan.where)) return undefined;
    const after = afterId === undefined ? undefined : rankOf(ids, afterId);
    if (after?.found === false) return undefined;
    const filter = plan.whole ? undefined : yield* filterOf(this.data, plan, (name) => this.#countsOf(name));
    // Not before the last pause, in which what is derived may be evicted.
    const walk = this.#walk(plan);
    let first = after === undefined ? 0 : walk.stepOf(after.rank) + 1;
    const total = filter?.total ?? ids.length;
    const limit = plan.limit ?? total;
    const found: number[] = [];
    let skip = plan.offset ?? 0;
    if (skip >= total) return { total, ids: found };
    if (filter === undefined) [first, skip] = [first + skip, 0];
    // After the last row that matches there is nothing to find.
    for (let [step, left] = [first, total]; left > 0 && step < ids.length && found.length < limit; step++) {
      const row = walk.rowAt(step);
      if (filter?.has(row) === false) continue;
      left -= 1;
      if (skip > 0) skip -= 1;
      else found.push(ids[row] as number);
    }
    return { total, ids: found };
  }

  #walk({ order: { column: name, descending } }: Plan): Walk {
    const last = this.data.ids.length - 1;
    if (name === 'id') {
      const directed = (row: number) => (descending ? last - row : row);
      return { rowAt: directed, stepOf: directed };
    }
    const column = columnOf(this.data, name);
    const order = this.#order(name, column);
    const nullsFrom = positionOf(order, column, column.count, 0);
    const directed = (step: number) => {
      if (!descending) return step;
      return step < nullsFrom ? nullsFrom - 1 - step : last - (step - nullsFrom);
    };
    return {
      rowAt: (step) => order[directed(step)] as number,
      stepOf: (row) => directed(positionOf(order, column, column.ranks[row] as number, row)),
    };
  }

  #countsOf(name: string): Uint32Array {
    return this.#derived.get(`counts ${name}`, () => countsByRank(columnOf(this.data, name)));
  }

  #order(name: string, column: IndexColumn): Uint32Array {
    return this.#derived.get(`order ${name}`, () => orderOf(column));
  }
}

/** The position in the ascending order of a row of that rank, or of the first one after it. */
function positionOf(order: Uint32Array, { ranks }: IndexColumn, rank: number, row: number): number {
  return lowerBound(0, order.length, (position) => {
    const other = order[position] as number;
    return (ranks[other] as number) < rank || (ranks[other] === rank && other < row);
  });
}
