// What the console takes from the contract: each list as facts for a page (fields, filters, what sorts by
// what), and the codec between an address and a view. The only file that knows the contract's internals.

import { lists as contractLists, DEFAULT_MAX_PAGE_SIZE } from '@linecard/client/contract';
import { FILE_TYPES } from '@linecard/client/contract/addresses';
import { DUE_DAYS, DUE_FIELD, facetFilters, summedFields } from '@linecard/client/contract/facets';
import type { Field, Filter, Kind, List, Test } from '@linecard/client/contract/list';
import { Problem } from '@linecard/client/contract/problems';
import { DEFAULT_SORT, type Params, writeSearch } from '@linecard/client/contract/query';
import { QueryParser } from '@linecard/client/contract/query-parser';

export interface FieldFacts {
  readonly name: string;
  readonly kind: Kind;
  readonly about: string;
  readonly isOpenSet: boolean;
  readonly isCountry: boolean;
  /** It is the number that is dialled. */
  readonly isNumber: boolean;
  /** What `sort_by` takes to sort by it; absent where nothing does. */
  readonly sortKey?: string;
}

export interface FilterFacts {
  readonly name: string;
  readonly field: FieldFacts;
  /** How it compares. */
  readonly test: Test;
  /** Its values are counted. */
  readonly isFacet: boolean;
}

export interface ListFacts {
  readonly name: string;
  /** Where the list is in addresses of the console and in commands: `virtual-numbers`. */
  readonly word: string;
  /** What the client calls it: `virtualNumbers`. */
  readonly member: string;
  readonly title: string;
  /** One item, in a sentence. */
  readonly one: string;
  readonly path: string;
  readonly fields: readonly FieldFacts[];
  readonly filters: readonly FilterFacts[];
  /** The fields that a search looks into; the first names an item. */
  readonly search: readonly string[];
  readonly sums: readonly string[];
}

/** A view of a list: what its address says, and nothing that it does not. */
export interface View {
  /** By name, in the order of the contract. */
  readonly filters: Params;
  readonly q: string | undefined;
  readonly sortBy: string | undefined;
  readonly isDescending: boolean;
  readonly page: number;
  readonly pageSize: number;
  /** The columns that are shown, where they are not the usual ones. */
  readonly columns: readonly string[] | undefined;
}

export type Row = Readonly<Record<string, string | number | boolean | null>> & { readonly id: number };

/** The media type of a file, by its format. */
export const fileTypes = FILE_TYPES;
/** Days ahead for which the service sums up what falls due. */
export const dueDays: readonly number[] = DUE_DAYS;
/** The time by which an item falls due. */
export const dueField: string = DUE_FIELD;
/** Rows on a page where the address does not say how many. */
export const PAGE_SIZE = 25;
export const EMPTY_VIEW: View = {
  filters: {},
  q: undefined,
  sortBy: undefined,
  isDescending: false,
  page: 1,
  pageSize: PAGE_SIZE,
  columns: undefined,
};

/** The parameter that names the fields of an answer: in an address, the columns. */
const COLUMNS = 'fields';

function fieldFacts(list: List, name: string, field: Field): FieldFacts {
  const keys = Object.keys(list.sorts).filter((key) => list.sorts[key] === name && key !== DEFAULT_SORT);
  const sortKey = keys.includes(name) ? name : keys[0];
  return {
    name,
    kind: field.kind,
    about: field.about,
    isOpenSet: field.known !== undefined,
    isCountry: field.country === true,
    isNumber: list.searchDigits === name,
    ...(sortKey !== undefined && { sortKey }),
  };
}

function factsOf(list: List): ListFacts {
  const fields = Object.entries(list.fields).map(([name, field]) => fieldFacts(list, name, field));
  const facets = facetFilters(list);
  return {
    name: list.name,
    word: list.name.replaceAll('_', '-'),
    member: list.name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    title: list.title,
    one: list.one,
    path: list.path,
    fields,
    filters: Object.entries<Filter>(list.filters).flatMap(([name, { field, test }]) => {
      const facts = fields.find((one) => one.name === field);
      return facts === undefined ? [] : [{ name, field: facts, test, isFacet: facets.includes(name) }];
    }),
    search: list.search,
    sums: summedFields(list),
  };
}

const parsers = new Map(
  Object.values<List>(contractLists).map((list) => [list.name, new QueryParser(list, DEFAULT_MAX_PAGE_SIZE)]),
);

export const lists: readonly ListFacts[] = Object.values<List>(contractLists).map(factsOf);

function parserOf(list: ListFacts): QueryParser {
  const parser = parsers.get(list.name);
  if (parser === undefined) throw new Error(`There is no list ${list.name}.`);
  return parser;
}

/**
 * The view that an address names, exactly: a search of twenty digits stays text.
 * @throws {Problem} `invalid-parameter`, with every fault in it.
 */
export function readView(list: ListFacts, text: string): View {
  const given = new URLSearchParams(text);
  const named = given.getAll(COLUMNS).flatMap((value) => value.split(','));
  const columns = list.fields.map(({ name }) => name).filter((name) => named.includes(name));
  const query = parserOf(list).ofString(text);
  return {
    filters: Object.fromEntries(query.filters.map(({ name, value }) => [name, value])),
    q: query.q,
    sortBy: query.sort_by === DEFAULT_SORT ? undefined : query.sort_by,
    isDescending: query.sort_order === 'desc',
    page: query.page,
    pageSize: given.has('page_size') ? query.page_size : PAGE_SIZE,
    columns: columns.length === 0 ? undefined : columns,
  };
}

/** The filters and the search of a view, as parameters of a request. */
export function filterParams({ filters, q }: View): Params {
  return { ...filters, ...(q !== undefined && { q }) };
}

/** The same with its order: what an export takes. */
export function selectionParams(view: View): Params {
  const { sortBy, isDescending } = view;
  return {
    ...filterParams(view),
    ...(sortBy !== undefined && { sort_by: sortBy }),
    ...(isDescending && { sort_order: 'desc' }),
  };
}

/** Everything that decides which rows are shown. */
export function pageParams(view: View): Params {
  return { ...selectionParams(view), page: view.page, page_size: view.pageSize };
}

/** Parameters as the part of an address behind `?`. */
export function writeQuery(params: Params): string {
  return writeSearch(params);
}

/** The address of a view: what is as usual is left out. */
export function writeView(view: View): string {
  const { page, pageSize, columns } = view;
  return writeQuery({
    ...selectionParams(view),
    ...(page !== 1 && { page }),
    ...(pageSize !== PAGE_SIZE && { page_size: pageSize }),
    ...(columns !== undefined && { [COLUMNS]: columns }),
  });
}

/** What a filter does not take. */
export interface WrongValue {
  /** Absent where it is not about one value, such as that there are too many. */
  readonly value?: string;
  readonly detail: string;
}

/** What is wrong with the first value that a filter does not take; `undefined` where it takes all. */
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
