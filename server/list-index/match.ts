// Which rows of an index match the conditions of a selection, as bitmaps. Each column's conditions are one
// table of its ranks, so that a row costs one look-up for each column, however many values a filter names.

// biome-ignore-all lint/style/useForOf: an iterator over such an array takes five times as long.

import type { Test } from '@linecard/client/contract/list';
import type { ColumnCondition, SearchCondition } from '../store/conditions.ts';
import type { Selection } from '../store/sql.ts';
import { type Bitmap, columnOf, type IndexData, valuedColumnOf } from './index-data.ts';
import { type IndexColumn, lengthAt, rankOf, type SortedValues } from './sorted-values.ts';
import { markContaining } from './trigrams.ts';

/** How many rows and ranks of columns a step evaluates, which takes a few milliseconds. */
const VALUES_A_STEP = 500_000;
/** A search takes as long as this many values a row. */
const VALUES_OF_A_SEARCH = 4;

/** Sorts after every other. */
const LAST_CHARACTER = '\u{10ffff}';

export interface MatchingRows {
  readonly bitmap: Bitmap;
  readonly total: number;
}

/** The conditions of a selection, evaluated as far as possible without a look at each row. */
interface Conditions {
  /** For each search and each filter by id, the rows that match it. */
  readonly bitmaps: readonly Bitmap[];
  /** For each other filtered column, 1 for each rank that matches its conditions. */
  readonly allowed: ReadonlyMap<string, Uint8Array>;
}

/** Ends a step when it has evaluated enough. */
class Pace {
  #evaluated = 0;

  /** Call this before work on that many values: it begins a new step if this one would become too long. */
  *before(values: number): Generator<void> {
    if (this.#evaluated > 0 && this.#evaluated + values > VALUES_A_STEP) {
      this.#evaluated = 0;
      yield;
    }
    this.#evaluated += values;
  }
}

function* conditionsOf(data: IndexData, { where }: Selection, pace: Pace): Generator<void, Conditions> {
  const bitmaps: Bitmap[] = [];
  const allowed = new Map<string, Uint8Array>();
  const { length } = data.ids;
  for (const condition of where) {
    if ('either' in condition) bitmaps.push(yield* rowsWithTexts(data, condition.either, pace));
    // The rank of an id is its row.
    else if (condition.column === 'id')
      bitmaps.push(ranksWith(data.ids, length, condition).subarray(0, length));
    else {
      yield* pace.before(columnOf(data, condition.column).count);
      allow(data, condition, allowed);
    }
  }
  return { bitmaps, allowed };
}

function* matchingWith(
  data: IndexData,
  { bitmaps, allowed }: Conditions,
  pace: Pace,
): Generator<void, MatchingRows> {
  const { length } = data.ids;
  const [first, ...others] = bitmaps;
  const every = () => ({ bitmap: new Uint8Array(length).fill(1), total: length });
  let matching = first === undefined ? every() : { bitmap: first, total: totalOf(first) };
  for (const bitmap of others) matching = intersected(matching, bitmap);
  for (const [name, ranks] of allowed) {
    yield* pace.before(data.ids.length);
    matching = intersectedByRank(matching, columnOf(data, name), ranks);
  }
  return matching;
}

/** Computes in steps of a few milliseconds. */
export function* matchingOf(data: IndexData, selection: Selection): Generator<void, MatchingRows> {
  const pace = new Pace();
  return yield* matchingWith(data, yield* conditionsOf(data, selection, pace), pace);
}

/**
 * The same for a reader of few rows: if only one column is filtered, a row is not evaluated before it is
 * read. `countsOf` returns how many rows of a column have each rank.
 */
export function* filterOf(
  data: IndexData,
  selection: Selection,
  countsOf: (name: string) => Uint32Array,
): Generator<void, { readonly total: number; has(row: number): boolean }> {
  const pace = new Pace();
  const conditions = yield* conditionsOf(data, selection, pace);
  const [[name, allowed] = [], ...others] = conditions.allowed;
  if (name !== undefined && allowed !== undefined && others.length + conditions.bitmaps.length === 0) {
    const { ranks } = columnOf(data, name);
    const total = countsOf(name).reduce((sum, count, rank) => sum + count * (allowed[rank] as number), 0);
    return { total, has: (row) => allowed[ranks[row] as number] === 1 };
  }
  const { bitmap, total } = yield* matchingWith(data, conditions, pace);
  return { total, has: (row) => bitmap[row] === 1 };
}

function* rowsWithTexts(
  data: IndexData,
  either: readonly SearchCondition[],
  pace: Pace,
): Generator<void, Bitmap> {
  const bitmap = new Uint8Array(data.ids.length);
  for (const { column, test, value } of either) {
    yield* pace.before(VALUES_OF_A_SEARCH * bitmap.length);
    const trigrams = data.texts[column];
    if (trigrams === undefined) throw new Error(`The index has no texts of ${column}.`);
    if (test === 'begins') markBeginning(data, column, value, bitmap);
    else markContaining(trigrams, value, bitmap);
  }
  return bitmap;
}

/** Adds every row whose text begins with a prefix: the ranks of such texts are adjacent. */
function markBeginning(data: IndexData, name: string, text: string, bitmap: Bitmap): void {
  const { ranks, values } = valuedColumnOf(data, name);
  const first = rankOf(values, text).rank;
  const end = rankOf(values, text + LAST_CHARACTER).rank;
  for (let row = 0; row < ranks.length; row++) {
    const rank = ranks[row] as number;
    if (rank >= first && rank < end) bitmap[row] = 1;
  }
}

/** The ranks of a value in a column: `from` counts the values before it, `to` those and the value itself. */
interface RankRange {
  readonly from: number;
  readonly to: number;
  /** Of all values; also the rank of `null`. */
  readonly count: number;
}

/** Which ranks a test of one value allows; `null` has none of these values. */
interface RankTest {
  readonly initial: 0 | 1;
  readonly mark: (ranks: Uint8Array, range: RankRange, value: string | number, values: SortedValues) => void;
}

const among: RankTest = { initial: 0, mark: (ranks, { from, to }) => ranks.fill(1, from, to) };

const from: RankTest = { initial: 0, mark: (ranks, { from, count }) => ranks.fill(1, from, count) };
const to: RankTest = { initial: 0, mark: (ranks, { to }) => ranks.fill(1, 0, to) };

/** Marks ranks whose texts are as long as a value. */
function markAsLong(ranks: Uint8Array, from: number, to: number, value: unknown, values: SortedValues): void {
  const { length } = String(value);
  for (let rank = from; rank < to; rank++) if (lengthAt(values, rank) === length) ranks[rank] = 1;
}

const RANK_TESTS: Readonly<Record<Test, RankTest>> = {
  is: among,
  set: {
    initial: 0,
    mark: (ranks, { count }, value) => (value === 1 ? ranks.fill(1, 0, count) : ranks.fill(1, count)),
  },
  any: among,
  none: { initial: 1, mark: (ranks, { from, to }) => ranks.fill(0, from, to) },
  after: { initial: 0, mark: (ranks, { to, count }) => ranks.fill(1, to, count) },
  before: { initial: 0, mark: (ranks, { from }) => ranks.fill(1, 0, from) },
  from,
  to,
  first: {
    initial: 0,
    mark: (ranks, { from, count }, value, values) => markAsLong(ranks, from, count, value, values),
  },
  last: { initial: 0, mark: (ranks, { to }, value, values) => markAsLong(ranks, 0, to, value, values) },
  min: from,
  max: to,
};

/** 1 for each rank that matches a condition; the last one is that of `null`. */
function ranksWith(values: SortedValues, count: number, { test, value }: ColumnCondition): Uint8Array {
  const { initial, mark } = RANK_TESTS[test];
  const ranks = new Uint8Array(count + 1).fill(initial);
  for (const one of (Array.isArray(value) ? value : [value]) as readonly (string | number)[]) {
    const { rank, found } = rankOf(values, one);
    mark(ranks, { from: rank, to: found ? rank + 1 : rank, count }, one, values);
  }
  return ranks;
}

/** Allows only those ranks of a column that match a condition as well. */
function allow(data: IndexData, condition: ColumnCondition, allowed: Map<string, Uint8Array>): void {
  const { values, count } = valuedColumnOf(data, condition.column);
  const ranks = ranksWith(values, count, condition);
  const before = allowed.get(condition.column);
  if (before !== undefined) {
    for (let rank = 0; rank <= count; rank++) {
      ranks[rank] = (ranks[rank] as number) & (before[rank] as number);
    }
  }
  allowed.set(condition.column, ranks);
}

/** The bytes of a bitmap, four at a time, without those that are left over. */
function wordsOf(bitmap: Bitmap): Uint32Array {
  return new Uint32Array(bitmap.buffer, bitmap.byteOffset, bitmap.length >>> 2);
}

/** The sum of the bytes of a word of which each is 0 or 1. */
const onesOf = (word: number) => Math.imul(word, 0x01_01_01_01) >>> 24;

function totalOf(bitmap: Bitmap): number {
  const words = wordsOf(bitmap);
  let total = 0;
  for (let i = 0; i < words.length; i++) total += onesOf(words[i] as number);
  for (let row = words.length * 4; row < bitmap.length; row++) total += bitmap[row] as number;
  return total;
}

/** The rows that match and are in another bitmap; the first bitmap is overwritten. */
function intersected({ bitmap }: MatchingRows, other: Bitmap): MatchingRows {
  const [words, others] = [wordsOf(bitmap), wordsOf(other)];
  for (let i = 0; i < words.length; i++) words[i] = (words[i] as number) & (others[i] as number);
  for (let row = words.length * 4; row < bitmap.length; row++) {
    bitmap[row] = (bitmap[row] as number) & (other[row] as number);
  }
  return { bitmap, total: totalOf(bitmap) };
}

/** The rows that match and whose rank is allowed; the bitmap is overwritten. */
function intersectedByRank(
  { bitmap }: MatchingRows,
  { ranks }: IndexColumn,
  allowed: Uint8Array,
): MatchingRows {
  let total = 0;
  for (let row = 0; row < bitmap.length; row++) {
    const bit = (bitmap[row] as number) & (allowed[ranks[row] as number] as number);
    bitmap[row] = bit;
    total += bit;
  }
  return { bitmap, total };
}
