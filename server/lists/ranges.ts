// Ranges of telephone numbers (docs/generated/api.md, "Ranges"): what is read of each row, which rows are of
// one range, and the range as a text. Pure.

import { chargeText } from '@linecard/client/contract/charge';
import { PRICE_FIELD } from '@linecard/client/contract/facets';
import type { List } from '@linecard/client/contract/list';
import type { Query } from '@linecard/client/contract/query';
import { followsNumber, RANGE_COUNTRY, rangeLine, rangeMembers } from '@linecard/client/contract/ranges';
import type { Dialect } from '../store/dialects.ts';
import { columnsStatement, type Selection, type Statement } from '../store/sql.ts';
import type { Stored, StoredItem, Table } from '../store/tables.ts';
import { readItem } from './fields.ts';
import { selectionOf } from './plan.ts';
import { inMillionths, MILLIONTHS } from './sums.ts';

export interface RangesPlan {
  readonly table: Table;
  readonly selection: Selection;
  readonly splits: readonly string[];
  readonly minCount: number;
}

export function rangesPlan(table: Table, account_id: string, query: Query): RangesPlan {
  const { split_by: splits = [], min_count: minCount = 1 } = query;
  return { table, selection: selectionOf(table, account_id, query), splits, minCount };
}

/** The column of the digits that numbers are compared by. */
const digitsColumn = (table: Table): string => table.filtered(String(table.list.searchDigits)).name;

/** `[id, digits, charge, country, …splits]`, and the item where that is read. */
export type RangeRow = readonly (Stored | StoredItem)[];

/** The rows of a plan by number, then by id. */
export function rangesStatement(
  dialect: Dialect,
  { table, selection, splits }: RangesPlan,
  ...more: readonly 'item'[]
): Statement<RangeRow> {
  const digits = digitsColumn(table);
  const columns = [digits, PRICE_FIELD, RANGE_COUNTRY, ...splits, ...more];
  return columnsStatement(dialect, selection, columns, [`length(${digits})`, digits]);
}

/** Rows whose numbers follow each other. */
export interface Range<Row> {
  readonly first: Row;
  /** Of several with the last number, that of the lowest id. */
  readonly last: Row;
  readonly count: number;
  /** The sum of the charges, in two parts. */
  readonly sum: readonly [whole: number, millionths: number];
  readonly isOfOneCountry: boolean;
}

/** What a row says of the row before it. */
interface Step {
  readonly follows: boolean;
  /** Whether it has another number. */
  readonly moves: boolean;
  readonly sameCountry: boolean;
  readonly charge: number;
}

/** The ranges of a page, by the ids of the rows that they begin and end with, and how many there are. */
export interface FoundRanges {
  readonly total: number;
  readonly ranges: readonly Range<number>[];
}

/** Takes rows by number, then by id, and gives the ranges that are large enough. */
export class Ranges<Row> {
  readonly #minCount: number;
  #range: { -readonly [Name in keyof Range<Row>]: Range<Row>[Name] } | undefined;

  constructor(minCount: number) {
    this.#minCount = minCount;
  }

  /** Returns the range that ends before this row. */
  add(row: Row, { follows, moves, sameCountry, charge }: Step): Range<Row> | undefined {
    const parts = [Math.trunc(charge / MILLIONTHS), charge % MILLIONTHS] as const;
    const range = this.#range;
    if (range === undefined || !follows) {
      const ended = this.end();
      this.#range = { first: row, last: row, count: 1, sum: parts, isOfOneCountry: true };
      return ended;
    }
    if (moves) range.last = row;
    range.count += 1;
    range.sum = [range.sum[0] + parts[0], range.sum[1] + parts[1]];
    range.isOfOneCountry &&= sameCountry;
    return undefined;
  }

  /** Returns the last range. */
  end(): Range<Row> | undefined {
    const range = this.#range;
    this.#range = undefined;
    return range !== undefined && range.count >= this.#minCount ? range : undefined;
  }
}

/** The ranges of the rows of a statement, as they end. */
export async function* rangesOf(
  { splits, minCount }: RangesPlan,
  batches: AsyncIterable<readonly RangeRow[]>,
): AsyncGenerator<Range<RangeRow>> {
  const ranges = new Ranges<RangeRow>(minCount);
  const [digitsAt, chargeAt, countryAt] = [1, 2, 3] as const;
  const ends = splits.map((_, i) => countryAt + 1 + i);
  let before: RangeRow = [];
  for await (const rows of batches) {
    for (const row of rows) {
      const [was, is] = [String(before[digitsAt] ?? ''), String(row[digitsAt])];
      const ended = ranges.add(row, {
        follows: followsNumber(was, is) && ends.every((at) => row[at] === before[at]),
        moves: was !== is,
        sameCountry: row[countryAt] === before[countryAt],
        charge: Number(row[chargeAt]),
      });
      if (ended !== undefined) yield ended;
      before = row;
    }
  }
  const last = ranges.end();
  if (last !== undefined) yield last;
}

/** Writes ranges for a caller, from the items that they begin and end with. */
export class RangeWriter {
  readonly #list: List;
  readonly #fields: readonly string[];
  readonly #names: readonly string[];

  constructor(list: List, { splits }: RangesPlan, hasCharges: boolean) {
    this.#list = list;
    this.#fields = Object.keys(list.fields);
    this.#names = rangeMembers(splits, hasCharges);
  }

  get header(): string {
    return `${this.#names.join(',')}\r\n`;
  }

  json(range: Range<unknown>, first: StoredItem, last: StoredItem): string {
    const of = this.#members(range, first, last);
    const texts = this.#names.map((name) => {
      const isWritten = name === PRICE_FIELD || name === 'count';
      return `"${name}":${isWritten ? of(name) : JSON.stringify(of(name))}`;
    });
    return `{${texts.join(',')}}`;
  }

  line(range: Range<unknown>, first: StoredItem, last: StoredItem): string {
    const of = this.#members(range, first, last);
    return rangeLine(this.#names, Object.fromEntries(this.#names.map((name) => [name, of(name)])));
  }

  #members({ count, sum, isOfOneCountry }: Range<unknown>, first: StoredItem, last: StoredItem) {
    const [begin, end] = [first, last].map((item) => readItem(item, this.#fields));
    const number = String(this.#list.searchDigits);
    return (name: string): Stored | boolean => {
      if (name === 'from') return begin?.[number] ?? null;
      if (name === 'to') return end?.[number] ?? null;
      if (name === 'count') return String(count);
      if (name === PRICE_FIELD) return chargeText(inMillionths(...sum));
      return name === RANGE_COUNTRY && !isOfOneCountry ? null : (begin?.[name] ?? null);
    };
  }
}
