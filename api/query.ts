// Query string <-> typed query (contract, section 2): the only file that knows how lists are spelled. It must not know
// where anything is stored. Nothing is ignored, clamped or widened: what is wrong is told, all of it at once.

import {
  DEFAULT_MAX_PAGE_SIZE,
  DEFAULT_PAGE_SIZE,
  type Filter,
  type List,
  MAX_INTEGER,
  MAX_LIST_VALUES,
  MAX_Q_CHARACTERS,
} from './contract.ts';
import { nearest } from './nearest.ts';
import { type Fault, Problem } from './problems.ts';
import { parseTimestamp, TIMESTAMP_FORM } from './timestamp.ts';

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
const DEFAULTS = {
  filters: [],
  sort_by: DEFAULT_SORT,
  sort_order: 'asc',
  page: 1,
  page_size: DEFAULT_PAGE_SIZE,
} as const satisfies Query;

const MAX_CURSOR_CHARACTERS = 32_768;
const MAX_SHOWN_CHARACTERS = 100;

const INTEGER = /^[1-9]\d{0,15}$/;
const TWO_UPPER_CASE_LETTERS = /^[A-Z]{2}$/;
const CONTROL = /\p{Cc}/u;
const BRACKETS = /^([^[]*)\[(?:0|[1-9]\d*)?\]$/;

/** How one parameter is read. */
interface Rule {
  readonly name: string;
  /** Takes a list of values. */
  readonly many: boolean;
  /** What is allowed, to stand after "must be". */
  readonly allowed: string;
  /** An empty value means the same as leaving it out. */
  readonly empty_is_off?: true;
  /** The value, or `undefined` when it is outside the grammar. */
  read(text: string): unknown;
  /** The spelling that was probably meant. */
  meant?(text: string): string | undefined;
}

function integerFrom1To(max: number): Pick<Rule, 'allowed' | 'read'> {
  return {
    allowed: `an integer from 1 to ${max}`,
    read: (text) => (INTEGER.test(text) && Number(text) <= max ? Number(text) : undefined),
  };
}

function oneOf(values: readonly string[]): Pick<Rule, 'allowed' | 'read' | 'meant'> {
  const last = values.at(-1);
  return {
    allowed:
      values.length === 2 ? values.join(' or ') : `one of ${values.slice(0, -1).join(', ')} or ${last}`,
    read: (text) => (values.includes(text) ? text : undefined),
    meant: (text) => nearest(text, values),
  };
}

function filterRule(list: List, name: string, filter: Filter): Rule {
  const field = list.fields[filter.field];
  if (field === undefined) throw new Error(`${list.name}: filter ${name} names no field`);
  if (filter.test === 'is') {
    const flag = oneOf(['true', 'false']);
    return {
      name,
      many: false,
      ...flag,
      read: (text) => (flag.read(text) === undefined ? undefined : text === 'true'),
    };
  }
  if (filter.test !== 'any') return { name, many: false, allowed: TIMESTAMP_FORM, read: parseTimestamp };
  if (field.kind === 'integer') return { name, many: true, ...integerFrom1To(MAX_INTEGER) };
  if (field.country !== true) return { name, many: true, allowed: 'text', read: (text) => text };
  return {
    name,
    many: true,
    allowed: 'two upper-case letters such as GB',
    read: (text) => (TWO_UPPER_CASE_LETTERS.test(text) ? text : undefined),
    meant: (text) => (TWO_UPPER_CASE_LETTERS.test(text.toUpperCase()) ? text.toUpperCase() : undefined),
  };
}

/** The parameters of a list by name; `max_page_size` is the deployment's. */
function rulesOf(list: List, max_page_size: number): Map<string, Rule> {
  const rules: Rule[] = [
    ...Object.entries(list.filters).map(([name, filter]) => filterRule(list, name, filter)),
    {
      name: 'q',
      many: false,
      allowed: `at most ${MAX_Q_CHARACTERS} characters`,
      empty_is_off: true,
      read: (text) => (Array.from(text.trim()).length <= MAX_Q_CHARACTERS ? text.trim() : undefined),
    },
    { name: 'sort_by', many: false, ...oneOf(Object.keys(list.sorts)) },
    { name: 'sort_order', many: false, ...oneOf(['asc', 'desc']) },
    { name: 'page', many: false, ...integerFrom1To(MAX_INTEGER) },
    { name: 'page_size', many: false, ...integerFrom1To(max_page_size) },
    {
      name: 'cursor',
      many: false,
      allowed: 'a cursor taken from a Link header',
      read: (text) => (text.length <= MAX_CURSOR_CHARACTERS ? text : undefined),
    },
  ];
  return new Map(rules.map((rule) => [rule.name, rule]));
}

/** Percent-decodes strictly; `undefined` for broken percent-encoding or UTF-8. Bytes above 0x7f may come unencoded. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(
      text.replaceAll('+', ' ').replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`),
    );
  } catch {
    return undefined;
  }
}

function shown(text: string): string {
  const points = Array.from(text);
  return points.length <= MAX_SHOWN_CHARACTERS ? text : `${points.slice(0, MAX_SHOWN_CHARACTERS).join('')}…`;
}

/** Collects the values and the faults of one query string. */
class Reader {
  readonly faults: Fault[] = [];
  readonly #values = new Map<string, unknown[]>();
  readonly #list: List;
  readonly #rules: Map<string, Rule>;

  constructor(list: List, rules: Map<string, Rule>) {
    this.#list = list;
    this.#rules = rules;
  }

  /** The values of a parameter that were in order; `undefined` when it was not given or is off. */
  values(name: string): unknown[] | undefined {
    const values = this.#values.get(name);
    return values === undefined || values.length === 0 ? undefined : values;
  }

  value<T>(name: string): T | undefined {
    return this.values(name)?.[0] as T | undefined;
  }

  readPair(pair: string): void {
    const equals = pair.indexOf('=');
    const raw_name = equals < 0 ? pair : pair.slice(0, equals);
    const raw_value = equals < 0 ? '' : pair.slice(equals + 1);
    const name = decode(raw_name);
    if (name === undefined) {
      this.#fault(shown(raw_name), 'The name of a parameter is not valid percent-encoded UTF-8.');
      return;
    }
    const bracketed = BRACKETS.exec(name);
    const rule = this.#rules.get(bracketed?.[1] ?? name);
    if (rule === undefined) return this.#unknown(name);
    if (bracketed !== null && !rule.many) {
      return this.#fault(shown(name), `${rule.name} takes a single value: write ${rule.name}=….`);
    }
    const value = decode(raw_value);
    if (value === undefined) {
      this.#fault(rule.name, `${rule.name} is not valid percent-encoded UTF-8.`, raw_value);
    } else if (CONTROL.test(value)) {
      this.#fault(rule.name, `${rule.name} must not contain NUL or another control character.`);
    } else if (!rule.many) {
      this.#single(rule, value);
    } else {
      this.#many(rule, bracketed === null ? value.split(',') : [value]);
    }
  }

  /** What can only be said once everything is read. */
  finish(): void {
    for (const [name, values] of this.#values) {
      if (this.#rules.get(name)?.many === true && values.length > MAX_LIST_VALUES) {
        this.#fault(name, `${name} takes at most ${MAX_LIST_VALUES} values, but got ${values.length}.`);
      }
    }
    if (this.#values.has('cursor') && this.#values.has('page')) {
      this.#fault('page', 'page must not stand beside cursor: a cursor knows its page.');
    }
  }

  #single(rule: Rule, text: string): void {
    const first = !this.#values.has(rule.name);
    if (!first) {
      this.#fault(rule.name, `${rule.name} must be given once, but was given twice.`, text);
      return;
    }
    this.#values.set(rule.name, []);
    if (text === '' && rule.empty_is_off !== true) {
      this.#fault(
        rule.name,
        `${rule.name} must be ${rule.allowed}, but was empty; leave it out to switch it off.`,
        text,
      );
      return;
    }
    this.#read(rule, text, `${rule.name} must be ${rule.allowed}, but was`);
  }

  #many(rule: Rule, texts: readonly string[]): void {
    if (!this.#values.has(rule.name)) this.#values.set(rule.name, []);
    for (const text of texts) {
      if (text !== '')
        this.#read(rule, text, `Each value of ${rule.name} must be ${rule.allowed}, but one was`);
    }
  }

  #read(rule: Rule, text: string, complaint: string): void {
    const value = rule.read(text);
    if (value !== undefined) {
      this.#values.get(rule.name)?.push(value);
      return;
    }
    if (rule.name === 'q') return this.#fault('q', `q must be ${rule.allowed}, but was longer.`);
    const meant = rule.meant?.(text);
    const hint = meant === undefined ? '.' : `; did you mean \`${meant}\`?`;
    this.#fault(rule.name, `${complaint} "${shown(text)}"${hint}`, text);
  }

  /** The value of an unknown parameter is not repeated: it could be a token that lost its way. */
  #unknown(name: string): void {
    const names = [...this.#rules.keys()];
    const meant = nearest(name.replace(/\[.*$/s, ''), names);
    const hint = meant === undefined ? '' : ` Did you mean \`${meant}\`?`;
    const known = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
    this.#fault(
      shown(name),
      `"${shown(name)}" is not a parameter of ${this.#list.title.toLowerCase()}.${hint} Known are ${known}.`,
    );
  }

  #fault(parameter: string, detail: string, value?: string): void {
    this.faults.push(
      value === undefined ? { parameter, detail } : { parameter, detail, value: shown(value) },
    );
  }
}

/** Says all faults of a request in one problem. */
function invalidParameter(faults: readonly Fault[]): Problem {
  const [first] = faults;
  const detail =
    faults.length === 1
      ? (first?.detail ?? '')
      : `${faults.length} faults: ${faults.map((f) => f.detail).join(' ')}`;
  return new Problem('invalid-parameter', detail, { faults });
}

/** Reads query strings of one list. */
export interface QueryParser {
  /**
   * The typed query of a query string (without `?`).
   * @throws {Problem} `invalid-parameter`, with one entry in `faults` for each fault.
   */
  (text: string): Query;
}

/** A parser for the list's query strings; `max_page_size` is the deployment's largest page. */
export function queryParser(list: List, max_page_size: number = DEFAULT_MAX_PAGE_SIZE): QueryParser {
  const rules = rulesOf(list, max_page_size);
  const filters = Object.entries(list.filters);
  const page_size = Math.min(DEFAULT_PAGE_SIZE, max_page_size);
  const defaults: Query = { ...DEFAULTS, page_size };

  return function parseQuery(text) {
    if (text === '') return defaults;
    const reader = new Reader(list, rules);
    for (const pair of text.split('&')) if (pair !== '') reader.readPair(pair);
    reader.finish();
    if (reader.faults.length > 0) throw invalidParameter(reader.faults);

    const applied: AppliedFilter[] = [];
    for (const [name, { field, test }] of filters) {
      const values = reader.values(name);
      if (values === undefined) continue;
      const value = test === 'any' ? [...new Set(values)] : values[0];
      applied.push({ name, field, test, value: value as AppliedFilter['value'] });
    }
    const q = reader.value<string>('q');
    const cursor = reader.value<string>('cursor');
    return {
      filters: applied,
      sort_by: reader.value('sort_by') ?? DEFAULT_SORT,
      sort_order: reader.value('sort_order') ?? 'asc',
      page: reader.value('page') ?? 1,
      page_size: reader.value('page_size') ?? page_size,
      ...(q === undefined || q === '' ? {} : { q }),
      ...(cursor === undefined ? {} : { cursor }),
    };
  };
}

/** Filters, search and order as a canonical query string, without the page: two queries that mean the same read alike. */
export function formatSelection(query: Pick<Query, 'filters' | 'q' | 'sort_by' | 'sort_order'>): string {
  const pairs: string[] = [];
  for (const { name, value } of query.filters) {
    if (!Array.isArray(value)) {
      pairs.push(`${name}=${encodeURIComponent(String(value))}`);
      continue;
    }
    const texts = value.map(String);
    const spelled = texts.some((text) => text.includes(',')) ? `${name}[]` : name;
    for (const text of texts) pairs.push(`${spelled}=${encodeURIComponent(text)}`);
  }
  if (query.q !== undefined) pairs.push(`q=${encodeURIComponent(query.q)}`);
  if (query.sort_by !== DEFAULT_SORT) pairs.push(`sort_by=${query.sort_by}`);
  if (query.sort_order !== 'asc') pairs.push(`sort_order=${query.sort_order}`);
  return pairs.join('&');
}
