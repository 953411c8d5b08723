// Query <-> text (contract, sections 2 and 6): the only file that knows how queries are spelled, in a query string and in
// a JSON body. It must not know where anything is stored. Nothing is ignored, clamped or widened: what is wrong is told,
// all of it at once.

import {
  DEFAULT_MAX_PAGE_SIZE,
  DEFAULT_PAGE_SIZE,
  type Filter,
  type List,
  MAX_BODY_LIST_VALUES,
  MAX_LIST_VALUES,
} from './contract.ts';
import { type Fault, Problem } from './problems.ts';
import { type Rule, rulesOf, type Use } from './rules.ts';
import { nearest } from './suggestion.ts';

/** A filter that is on: the value is a list for `any`, a boolean for `is`, a timestamp for `after` and `before`. */
export interface AppliedFilter extends Filter {
  readonly name: string;
  readonly value: readonly string[] | readonly number[] | boolean | string;
}

/** What was asked for, with every default filled in. */
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
}

const DEFAULT_SORT = '_default';
const MAX_SHOWN_CHARACTERS = 100;
/** More faults than this are counted, not told: no URL earns megabytes of answer. */
const MAX_TOLD_FAULTS = 1_000;
/** With the path before it, a query string of this length stays within the 8 kB that proxies take. */
const MAX_SEARCH_CHARACTERS = 7_000;
const CONTROL = /\p{Cc}/u;
const BRACKETS = /^([^[]*)\[(?:0|[1-9]\d*)?\]$/;

/** Percent-decodes strictly; `undefined` for broken percent-encoding or UTF-8. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function shown(text: string): string {
  const points = Array.from(text);
  return points.length <= MAX_SHOWN_CHARACTERS ? text : `${points.slice(0, MAX_SHOWN_CHARACTERS).join('')}…`;
}

function subject({ name, many }: Rule): string {
  return many ? `Each value of ${name}` : name;
}

/** Collects the values and the faults of one query, however it is spelled. */
class Reader {
  readonly #faults: Fault[] = [];
  readonly #values = new Map<string, unknown[]>();
  readonly #unknown_names = new Set<string>();
  readonly #list: List;
  readonly #rules: ReadonlyMap<string, Rule>;
  readonly #max_values: number;

  constructor(list: List, rules: ReadonlyMap<string, Rule>, max_values: number) {
    this.#list = list;
    this.#rules = rules;
    this.#max_values = max_values;
  }

  /** One `name=value` of a query string. */
  readPair(pair: string): void {
    const equals = pair.indexOf('=');
    const raw_name = equals < 0 ? pair : pair.slice(0, equals);
    const raw_value = equals < 0 ? '' : pair.slice(equals + 1);
    const name = decode(raw_name);
    if (name === undefined) {
      return this.#fault(shown(raw_name), 'The name of a parameter is not valid percent-encoded UTF-8.');
    }
    const bracketed = BRACKETS.exec(name);
    const rule = this.#known(name, bracketed?.[1] ?? name);
    if (rule === undefined) return;
    if (bracketed !== null && !rule.many) {
      return this.#fault(shown(name), `${rule.name} takes a single value: write ${rule.name}=….`);
    }
    const value = decode(raw_value);
    if (value === undefined) {
      return this.#fault(rule.name, `${rule.name} is not valid percent-encoded UTF-8.`, raw_value);
    }
    if (!rule.many && this.#values.has(rule.name)) {
      return this.#fault(rule.name, `${rule.name} must be given once, but was given twice.`, value);
    }
    if (!this.#values.has(rule.name)) this.#values.set(rule.name, []);
    const split = rule.many && bracketed === null;
    for (const one of split ? value.split(',') : [value]) this.#given(rule, one);
  }

  /** One member of a JSON object. */
  readMember(name: string, value: unknown): void {
    const rule = this.#known(name, name);
    if (rule === undefined) return;
    if (rule.many !== Array.isArray(value)) {
      const form = rule.many ? `an array, such as "${rule.name}": […]` : 'a single value, not an array';
      return this.#fault(rule.name, `${rule.name} must be ${form}.`);
    }
    this.#values.set(rule.name, []);
    for (const one of rule.many ? (value as unknown[]) : [value]) {
      if (typeof one === rule.json) this.#given(rule, String(one));
      else {
        const json = JSON.stringify(one);
        const detail = `${subject(rule)} must be a JSON ${rule.json} (${rule.allowed}), but was ${shown(json)}.`;
        this.#fault(rule.name, detail, json);
      }
    }
  }

  /** A parameter that a JSON object names more than once. */
  refuseRepeated(name: string): void {
    this.#fault(shown(name), `${shown(name)} must be given once, but was given twice.`);
  }

  /** A fault of the whole, not of one parameter. */
  refuse(detail: string): void {
    this.#fault('', detail);
  }

  /**
   * The query, once everything is read.
   * @throws {Problem} `invalid-parameter`, with one entry in `faults` for each fault.
   */
  query(page_size: number): Query {
    for (const [name, values] of this.#values) {
      if (values.length > this.#max_values) {
        this.#fault(name, `${name} takes at most ${this.#max_values} values, but got ${values.length}.`);
      }
    }
    if (this.#values.has('cursor') && this.#values.has('page')) {
      this.#fault('page', 'page must not stand beside cursor: a cursor knows its page.');
    }
    if (this.#faults.length > 0) throw invalidParameter(this.#faults);

    const filters: AppliedFilter[] = [];
    for (const [name, { field, test }] of Object.entries(this.#list.filters)) {
      const values = this.#values.get(name);
      if (values === undefined || values.length === 0) continue;
      const value = test === 'any' ? [...new Set(values)] : values[0];
      filters.push({ name, field, test, value: value as AppliedFilter['value'] });
    }
    const value = <T>(name: string) => this.#values.get(name)?.[0] as T | undefined;
    const q = value<string>('q');
    const cursor = value<string>('cursor');
    return {
      filters,
      sort_by: value('sort_by') ?? DEFAULT_SORT,
      sort_order: value('sort_order') ?? 'asc',
      page: value('page') ?? 1,
      page_size: value('page_size') ?? page_size,
      ...(q === undefined || q === '' ? {} : { q }),
      ...(cursor === undefined ? {} : { cursor }),
    };
  }

  #known(name: string, base: string): Rule | undefined {
    const rule = this.#rules.get(base);
    if (rule === undefined) this.#unknown(name);
    else if (rule.refused !== undefined) this.#fault(rule.name, rule.refused);
    else return rule;
    return undefined;
  }

  /** One value of a parameter; in a list an empty one is dropped. */
  #given(rule: Rule, text: string): void {
    if (text === '' && rule.many) return;
    if (CONTROL.test(text) || !text.isWellFormed()) {
      return this.#fault(rule.name, `${rule.name} must not contain NUL or another control character.`);
    }
    const allowed = `${subject(rule)} must be ${rule.allowed}, but was`;
    if (text === '' && rule.empty_is_off !== true) {
      return this.#fault(rule.name, `${allowed} empty; leave it out to switch it off.`, text);
    }
    const value = rule.read(text);
    if (value !== undefined) {
      this.#values.get(rule.name)?.push(value);
      return;
    }
    // A search is not repeated: it may be somebody's number.
    if (rule.name === 'q') return this.#fault('q', `${allowed} longer.`);
    const meant = rule.meant?.(text);
    const hint = meant === undefined ? '.' : `; did you mean \`${meant}\`?`;
    this.#fault(rule.name, `${allowed} "${shown(text)}"${hint}`, text);
  }

  /**
   * A name is told once, and so are the names that are known. The value is not repeated: it could be a token that lost its
   * way.
   */
  #unknown(name: string): void {
    if (this.#unknown_names.has(name)) return;
    this.#unknown_names.add(name);
    const names = [...this.#rules.values()].flatMap((rule) =>
      rule.refused === undefined ? [rule.name] : [],
    );
    const meant = nearest(name.replace(/\[.*$/s, ''), names);
    const hint = meant === undefined ? '' : ` Did you mean \`${meant}\`?`;
    const known = ` Known are ${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`;
    this.#fault(
      shown(name),
      `"${shown(name)}" is not a parameter of ${this.#list.title.toLowerCase()}.${hint}${this.#unknown_names.size === 1 ? known : ''}`,
    );
  }

  #fault(parameter: string, detail: string, value?: string): void {
    this.#faults.push({ parameter, detail, ...(value === undefined ? {} : { value: shown(value) }) });
  }
}

/** Says all faults of a request in one problem. */
function invalidParameter(faults: readonly Fault[]): Problem {
  const first = faults[0]?.detail ?? '';
  const told = faults.slice(0, MAX_TOLD_FAULTS);
  const each = told.length < faults.length ? `the first ${MAX_TOLD_FAULTS}` : 'each';
  const detail =
    faults.length === 1 ? first : `${faults.length} faults, ${each} in \`errors\`. The first: ${first}`;
  return new Problem('invalid-parameter', detail, { faults: told });
}

/** The names that a JSON object has more than once, which parsing alone would not tell; the text is valid JSON. */
function repeatedMembers(json: string): Set<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  let depth = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1 && token.endsWith(':')) {
      const name = JSON.parse(token.slice(0, -1)) as string;
      if (seen.has(name)) repeated.add(name);
      seen.add(name);
    }
  }
  return repeated;
}

/** Reads the queries of one list for one use; `max_page_size` is the deployment's largest page. */
export class QueryParser {
  readonly #list: List;
  readonly #rules: ReadonlyMap<string, Rule>;
  readonly #page_size: number;
  readonly #defaults: Query;

  constructor(list: List, max_page_size: number = DEFAULT_MAX_PAGE_SIZE, use: Use = 'page') {
    this.#list = list;
    this.#rules = rulesOf(list, max_page_size, use);
    this.#page_size = Math.min(DEFAULT_PAGE_SIZE, max_page_size);
    this.#defaults = this.#reader(0).query(this.#page_size);
  }

  /**
   * The typed query of a query string (without `?`).
   * @throws {Problem} `invalid-parameter`, with one entry in `faults` for each fault.
   */
  ofString(text: string): Query {
    if (text === '') return this.#defaults;
    const reader = this.#reader(MAX_LIST_VALUES);
    for (const pair of text.split('&')) if (pair !== '') reader.readPair(pair);
    return reader.query(this.#page_size);
  }

  /**
   * The typed query of a JSON text: an object with the same parameters, lists as arrays.
   * @throws {Problem} as `ofString`.
   */
  ofJson(text: string): Query {
    const reader = this.#reader(MAX_BODY_LIST_VALUES);
    try {
      const body: unknown = JSON.parse(text);
      if (typeof body !== 'object' || body === null || Array.isArray(body)) {
        reader.refuse('The body must be a JSON object, such as {"page_size": 50}.');
      } else {
        for (const [name, value] of Object.entries(body)) reader.readMember(name, value);
        for (const name of repeatedMembers(text)) reader.refuseRepeated(name);
      }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      reader.refuse('The body is not valid JSON.');
    }
    return reader.query(this.#page_size);
  }

  #reader(max_values: number): Reader {
    return new Reader(this.#list, this.#rules, max_values);
  }
}

/** One parameter as it stands in a query string. A value that holds a comma needs the bracket spelling. */
function pairsOf(name: string, value: unknown): string[] {
  if (!Array.isArray(value)) return [`${name}=${encodeURIComponent(String(value))}`];
  const texts = value.map(String);
  const spelled = texts.some((text) => text.includes(',')) ? `${name}[]` : name;
  return texts.map((text) => `${spelled}=${encodeURIComponent(text)}`);
}

/** Filters, search and order as a canonical query string, without the page: two queries that mean the same read alike. */
export function formatSelection(query: Pick<Query, 'filters' | 'q' | 'sort_by' | 'sort_order'>): string {
  const pairs = query.filters.flatMap(({ name, value }) => pairsOf(name, value));
  if (query.q !== undefined) pairs.push(`q=${encodeURIComponent(query.q)}`);
  if (query.sort_by !== DEFAULT_SORT) pairs.push(`sort_by=${query.sort_by}`);
  if (query.sort_order !== 'asc') pairs.push(`sort_order=${query.sort_order}`);
  return pairs.join('&');
}

/** Parameters by name, as a program gives them: lists as arrays; one that is `undefined` is left out. */
export type Params = Readonly<Record<string, unknown>>;

/** Parameters as a request carries them: in its URL, or in the body of a QUERY. */
export type Written = { readonly search: string } | { readonly json: string };

function isWritable(value: unknown): boolean {
  return typeof value === 'string' ? value.isWellFormed() : ['number', 'boolean'].includes(typeof value);
}

/**
 * Writes parameters: as a query string where it is short enough for every proxy on the way, else as a JSON body.
 * `in_url` says that there is no other way than the query string.
 * @throws {Problem} `invalid-parameter` for what neither can carry, such as `null` or an object.
 */
export function writeParams(params: Params, in_url = false): Written {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  const faults: Fault[] = given
    .filter(([, value]) => ![value].flat().every(isWritable))
    .map(([parameter]) => ({
      parameter,
      detail: `${parameter} must be text, a number, a boolean or an array of them; leave it out to switch it off.`,
    }));
  if (faults.length > 0) throw invalidParameter(faults);
  const search = given.flatMap(([name, value]) => pairsOf(name, value)).join('&');
  const is_short = given.every(([, value]) => !Array.isArray(value) || value.length <= MAX_LIST_VALUES);
  if (in_url || (is_short && search.length <= MAX_SEARCH_CHARACTERS)) return { search };
  return { json: JSON.stringify(Object.fromEntries(given)) };
}
