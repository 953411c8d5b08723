// Query -> plan: which rows of whose, in which order. Pure.

import { MAX_TEXT_CHARACTERS } from '@linecard/client/contract';
import { parseCharge } from '@linecard/client/contract/charge';
import { digitsWanted } from '@linecard/client/contract/digits';
import { fold } from '@linecard/client/contract/fold';
import { type Field, fieldOf, type List } from '@linecard/client/contract/list';
import type { AppliedFilter, Query } from '@linecard/client/contract/query';
import { microsecondBefore, parseDate } from '@linecard/client/contract/timestamp';
import type { ColumnCondition, Condition, SearchCondition } from '../store/conditions.ts';
import type { Plan, Selection } from '../store/sql.ts';
import { searchColumns, type Table } from '../store/tables.ts';

/** A page that ends after this row is far: the database reads all rows before it. */
const FAR_ROWS = 1_000;

/** A character takes at most 2 units of a string. */
const UNITS_A_CHARACTER = 2;

/** Sorts after every timestamp of the day or microsecond that it follows, and before the next. */
const END = '~';

function searchCondition(table: Table, q: string): Condition {
  const text = fold(q);
  const wanted = digitsWanted(q);
  const columns = searchColumns(table);
  const contains = (column: string): SearchCondition => ({ column, test: 'contains', value: text });
  const digits = (column: string): SearchCondition[] =>
    wanted === undefined ? [] : [{ column, test: wanted.test, value: wanted.digits }];
  return { either: [...columns.text.map(contains), ...columns.digits.flatMap(digits)] };
}

/**
 * A time as it is compared with stored ones. A plain date is a prefix of all timestamps of its day, so it
 * sorts before them. One between two microseconds sorts between them, whatever the test.
 */
export function timeValue(test: AppliedFilter['test'], time: string): string {
  const before = microsecondBefore(time);
  if (before !== undefined) return before + END;
  const isEnd = test === 'after' || test === 'to';
  return isEnd && parseDate(time) !== undefined ? time + END : time;
}

/**
 * Whether a row can have a value. One that is longer than any matches nothing, and a database would compare
 * all of it with every row: with 200,000 rows and a megabyte that takes minutes.
 */
function mayBeStored(value: string | number): boolean {
  return typeof value === 'number' || value.length <= UNITS_A_CHARACTER * MAX_TEXT_CHARACTERS;
}

/** A bound as it is compared with stored values: a charge in millionths, or an integer. */
const boundOf = ({ kind }: Field, text: string): number =>
  kind === 'charge' ? (parseCharge(text) as number) : Number(text);

function filterCondition(table: Table, { field, test, value }: AppliedFilter): ColumnCondition {
  const { name: column, type, derive } = table.filtered(field);
  switch (test) {
    case 'is':
      return { column, test, value: derive(value as boolean) };
    case 'set':
      return { column, test, value: Number(value) };
    case 'first':
    case 'last':
      return { column, test, value: derive(value as string) };
    case 'min':
    case 'max':
      return { column, test, value: boundOf(fieldOf(table.list, field), value as string) };
    case 'any':
    case 'none': {
      const some = (value as readonly string[]).filter(mayBeStored).map(derive);
      return { column, test, type, value: some as string[] | number[] };
    }
    case 'after':
    case 'before':
    case 'from':
    case 'to':
      return { column, test, value: timeValue(test, value as string) };
  }
}

/** The order of the ids. */
export const BY_ID = { column: 'id', nullable: false, descending: false } as const;

/** The rows that a query asks for: the list's own limits, the filters, the search. */
export function selectionOf(
  table: Table,
  account_id: string,
  query: Pick<Query, 'filters' | 'q'>,
): Selection {
  const where = Object.entries(table.list.only).map(
    ([column, value]): Condition => ({ column, test: 'is', value }),
  );
  for (const filter of query.filters) where.push(filterCondition(table, filter));
  if (query.q !== undefined) where.push(searchCondition(table, query.q));
  return {
    account_id,
    list: table.name,
    where,
    whole: query.filters.length === 0 && query.q === undefined,
    ...(table.own !== undefined && { own: table.own }),
  };
}

/** All rows of a query in its order. */
export function planOf(table: Table, account_id: string, query: Query): Plan {
  const sorts: Readonly<Record<string, string>> = table.list.sorts;
  const { column, nullable } = table.ordered(sorts[query.sort_by] as string);
  const order = { column, nullable, descending: query.sort_order === 'desc' };
  return { ...selectionOf(table, account_id, query), order };
}

/**
 * Whether a page takes microseconds in a list of any size: in the order of the ids, unfiltered, and not far.
 */
export function isNear(list: List, { filters, q, sort_by, cursor, page, page_size }: Query): boolean {
  const sorts: Readonly<Record<string, string>> = list.sorts;
  const isPlain = filters.length === 0 && q === undefined && sorts[sort_by] === 'id';
  return isPlain && (cursor !== undefined || page * page_size <= FAR_ROWS);
}
