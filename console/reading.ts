// Reads the view that an address names, and checks what is typed, with the parser of the contract. Lists need
// it and the frame does not, so it is loaded with them.

import { DEFAULT_MAX_PAGE_SIZE } from '@linecard/client/contract';
import { activity } from '@linecard/client/contract/activity';
import { digitsWanted, numberDigits, typed } from '@linecard/client/contract/digits';
import { type Fault, Problem } from '@linecard/client/contract/problems';
import { DEFAULT_SORT, type Params } from '@linecard/client/contract/query';
import { QueryParser } from '@linecard/client/contract/query-parser';
import { COLUMNS, effectiveLists, type ListFacts, PAGE_SIZE, type View, writeQuery } from './contract.ts';
import { timestampOf } from './times.ts';

const parsers = new Map([
  ...effectiveLists.map((list) => [list.name, new QueryParser(list, DEFAULT_MAX_PAGE_SIZE)] as const),
  [activity.name, new QueryParser(activity, DEFAULT_MAX_PAGE_SIZE, 'activity')],
]);

function parserOf(list: ListFacts): QueryParser {
  const parser = parsers.get(list.name);
  if (parser === undefined) throw new Error(`There is no list ${list.name}.`);
  return parser;
}

/**
 * The view that an address names.
 * @throws {Problem} `invalid-parameter`, with every fault
 */
export function readView(list: ListFacts, text: string): View {
  const given = new URLSearchParams(text);
  const named = given.getAll(COLUMNS).flatMap((value) => value.split(','));
  const columns = list.fields.map(({ name }) => name).filter((name) => named.includes(name));
  const query = parserOf(list).ofString(text);
  return {
    filters: Object.fromEntries(
      query.filters.map(({ name, test, value }) => [name, timestampOf(test, value)]),
    ),
    q: query.q,
    sortBy: query.sort_by === DEFAULT_SORT ? undefined : query.sort_by,
    isDescending: query.sort_order === 'desc',
    page: query.page,
    pageSize: given.has('page_size') ? query.page_size : PAGE_SIZE,
    columns: columns.length === 0 ? undefined : columns,
  };
}

/** The digits that telephone numbers are compared by, however one is written. */
export const digitsOf = (number: string): string => numberDigits(typed(number));

/** Whether a number lacks its country code: `0` is dialled before one, `00` before an international one. */
export const isNational = (number: string): boolean => /^0(?!0)/.test(typed(number));

/** Whether a search that is written like a number finds this one by its digits. */
export function isNumberFound(number: string, q: string): boolean {
  const { test, digits = '' } = digitsWanted(q.trim()) ?? {};
  if (test === undefined) return false;
  const own = digitsOf(number);
  return test === 'begins' ? own.startsWith(digits) : own.includes(digits);
}

/** Without a value where the fault is not about one, such as too many of them. */
export type WrongValue = Pick<Fault, 'value' | 'detail'>;

/** The first value that a filter does not accept. */
export function faultOf(list: ListFacts, params: Params): WrongValue | undefined {
  try {
    parserOf(list).ofString(writeQuery(params));
    return undefined;
  } catch (error) {
    const [first] = error instanceof Problem ? (error.faults ?? []) : [];
    if (first === undefined) throw error;
    return first;
  }
}
