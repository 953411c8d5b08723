// What a query is, and how it is written: as a query string or as a JSON body. How it is read is
// query-parser.ts's.

import { MAX_LIST_VALUES } from './contract.ts';
import type { Filter } from './list.ts';
import { type Fault, invalidParameter } from './problems.ts';

/**
 * A filter that is on: the value is a list for the tests that take one, a boolean for `is`, and for a time a
 * timestamp, or a plain date that stands for its whole day.
 */
export interface AppliedFilter extends Filter {
  readonly name: string;
  readonly value: readonly string[] | readonly number[] | boolean | string;
}

/** A query with every default filled in. */
export interface Query {
  /** In the order of the contract. */
  readonly filters: readonly AppliedFilter[];
  /** Trimmed and not empty, or absent. */
  readonly q?: string;
  /** The sort key as it was spelled, synonyms included. */
  readonly sort_by: string;
  readonly sort_order: 'asc' | 'desc';
  readonly page: number;
  readonly page_size: number;
  readonly cursor?: string;
  /** Of changes: the token to go on from, or `now`; absent for the whole list first. */
  readonly since?: string;
  /** The only fields that items carry, in the order of the contract; absent for all. */
  readonly fields?: readonly string[];
}

/** The sort key of a query that names none. */
export const DEFAULT_SORT = '_default';
/** With the path before it, a query string of this length stays within the 8 kB that proxies take. */
const MAX_SEARCH_CHARACTERS = 7_000;

/** What stands for itself in a query string, as most values do. */
const PLAIN = /^[\w.~-]*$/;

function encoded(text: string): string {
  return PLAIN.test(text) ? text : encodeURIComponent(text);
}

/** One parameter as it stands in a query string. A value that holds a comma needs the bracket spelling. */
function pairsOf(name: string, value: unknown): string[] {
  if (!Array.isArray(value)) return [`${name}=${encoded(String(value))}`];
  const texts = value.map(String);
  const spelled = texts.some((text) => text.includes(',')) ? `${name}[]` : name;
  return texts.map((text) => `${spelled}=${encoded(text)}`);
}

/**
 * Filters, search, order and fields as a canonical query string, without the page: two queries that mean the
 * same read alike.
 */
export function formatSelection(
  query: Pick<Query, 'filters' | 'q' | 'sort_by' | 'sort_order' | 'fields'>,
): string {
  const pairs = query.filters.flatMap(({ name, value }) => pairsOf(name, value));
  if (query.q !== undefined) pairs.push(`q=${encodeURIComponent(query.q)}`);
  if (query.sort_by !== DEFAULT_SORT) pairs.push(`sort_by=${query.sort_by}`);
  if (query.sort_order !== 'asc') pairs.push(`sort_order=${query.sort_order}`);
  if (query.fields !== undefined) pairs.push(...pairsOf('fields', query.fields));
  return pairs.join('&');
}

/** Parameters by name, as a program gives them: lists as arrays; one that is `undefined` is left out. */
export type Params = Readonly<Record<string, unknown>>;

/** Parameters as a request carries them: in its URL, or in the body of a QUERY. */
export type Written = { readonly search: string } | { readonly json: string };

/** What is wrong with a text that no UTF-8 can carry, to follow the name of its parameter. */
export const NOT_UNICODE = 'must be well-formed Unicode, but holds half of a surrogate pair';

/** What is wrong with a value that no request can carry, to follow the name of its parameter. */
function unwritable(value: unknown): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : `${NOT_UNICODE}.`;
  return typeof value === 'number' || typeof value === 'boolean'
    ? undefined
    : 'must be text, a number, a boolean or an array of them; leave it out to switch it off.';
}

function givenOf(params: Params): [string, unknown][] {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  const faults = given.flatMap(([parameter, value]): Fault[] => {
    const what = [value]
      .flat()
      .map(unwritable)
      .find((one) => one !== undefined);
    return what === undefined ? [] : [{ parameter, detail: `${parameter} ${what}` }];
  });
  if (faults.length > 0) throw invalidParameter(faults);
  return given;
}

const searchOf = (given: readonly [string, unknown][]) =>
  given.flatMap(([name, value]) => pairsOf(name, value)).join('&');

/**
 * Writes parameters as a query string, however long.
 * @throws {Problem} `invalid-parameter` for what it cannot carry, such as `null` or an object.
 */
export function writeSearch(params: Params): string {
  return searchOf(givenOf(params));
}

/**
 * Writes parameters: as a query string where it is short enough for every proxy on the way, else as a JSON
 * body.
 * @throws {Problem} `invalid-parameter` for what neither can carry, such as `null` or an object.
 */
export function writeParams(params: Params): Written {
  const given = givenOf(params);
  const search = searchOf(given);
  const isShort = given.every(([, value]) => !Array.isArray(value) || value.length <= MAX_LIST_VALUES);
  if (isShort && search.length <= MAX_SEARCH_CHARACTERS) return { search };
  return { json: JSON.stringify(Object.fromEntries(given)) };
}
