// A typed query, and how it is written as a query string or JSON body. query-parser.ts reads it.

import { MAX_LIST_VALUES } from './contract.ts';
import type { Language } from './labels.ts';
import type { Filter } from './list.ts';
import { type Fault, invalidParameter } from './problems.ts';

/**
 * An active filter: a list for the tests that take one, a boolean for `is` and `set`, the decimal of a charge
 * as text, and for a time a timestamp or a plain date, which means the whole day.
 */
export interface AppliedFilter extends Filter {
  readonly name: string;
  readonly value: readonly string[] | readonly number[] | boolean | string;
}

/** All defaults are filled in. */
export interface Query {
  /** In the order of the contract. */
  readonly filters: readonly AppliedFilter[];
  /** Trimmed and not empty. */
  readonly q?: string;
  /** As spelled, which may be a synonym. */
  readonly sort_by: string;
  readonly sort_order: 'asc' | 'desc';
  readonly page: number;
  readonly page_size: number;
  readonly cursor?: string;
  /** For changes: the token to continue from, or `now`; absent for the complete list first. */
  readonly since?: string;
  /** For facets: how many days of payments. */
  readonly due_days?: number;
  /** For facets: whether each value has the sum of its charges. */
  readonly charges?: true;
  /** For ranges: the fields that split them, in the order of the contract. */
  readonly split_by?: readonly string[];
  /** For ranges: how many items each has at least. */
  readonly min_count?: number;
  /** For a workbook: the language of its headings; absent for the names of the fields. */
  readonly headings?: Language;
  /** The chosen fields, in contract order; absent for all. */
  readonly fields?: readonly string[];
  /** The parameters that need charges, which a caller may not see; absent for none. */
  readonly charged?: readonly string[];
}

export const DEFAULT_SORT = '_default';
/** With the path, a query string of this length is within the 8 kB that proxies accept. */
const MAX_SEARCH_CHARACTERS = 7_000;

/** Characters that need no encoding, as in most values. */
const PLAIN = /^[\w.~-]*$/;

function encoded(text: string): string {
  return PLAIN.test(text) ? text : encodeURIComponent(text);
}

/** A value that contains a comma needs the bracket spelling. */
function pairsOf(name: string, value: unknown): string[] {
  if (!Array.isArray(value)) return [`${name}=${encoded(String(value))}`];
  const texts = value.map(String);
  const spelled = texts.some((text) => text.includes(',')) ? `${name}[]` : name;
  return texts.map((text) => `${spelled}=${encoded(text)}`);
}

/**
 * Filters, search, order, fields and what splits ranges as a canonical query string: equivalent queries give
 * the same.
 */
export function formatSelection(
  query: Pick<Query, 'filters' | 'q' | 'sort_by' | 'sort_order' | 'fields' | 'split_by' | 'min_count'>,
): string {
  const pairs = query.filters.flatMap(({ name, value }) => pairsOf(name, value));
  if (query.q !== undefined) pairs.push(`q=${encodeURIComponent(query.q)}`);
  if (query.sort_by !== DEFAULT_SORT) pairs.push(`sort_by=${query.sort_by}`);
  if (query.sort_order !== 'asc') pairs.push(`sort_order=${query.sort_order}`);
  if (query.fields !== undefined) pairs.push(...pairsOf('fields', query.fields));
  if (query.split_by !== undefined) pairs.push(...pairsOf('split_by', query.split_by));
  if (query.min_count !== undefined) pairs.push(`min_count=${query.min_count}`);
  return pairs.join('&');
}

/** Parameters by name; `undefined` means absent. */
export type Params = Readonly<Record<string, unknown>>;

/** For a URL, or for the body of a QUERY. */
export type Written = { readonly search: string } | { readonly json: string };

/** Follows the name of the parameter. */
export const NOT_UNICODE = 'must be well-formed Unicode, but holds half of a surrogate pair';

/** Why a value cannot be sent; follows the name of the parameter. */
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
 * As a query string of any length.
 * @throws {Problem} `invalid-parameter` for values that cannot be sent, such as `null` or an object
 */
export function writeSearch(params: Params): string {
  return searchOf(givenOf(params));
}

/**
 * As a query string if it is short enough for every proxy, else as a JSON body.
 * @throws {Problem} as `writeSearch`
 */
export function writeParams(params: Params): Written {
  const given = givenOf(params);
  const search = searchOf(given);
  const isShort = given.every(([, value]) => !Array.isArray(value) || value.length <= MAX_LIST_VALUES);
  if (isShort && search.length <= MAX_SEARCH_CHARACTERS) return { search };
  return { json: JSON.stringify(Object.fromEntries(given)) };
}
