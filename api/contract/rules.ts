// What each query parameter takes, by list and use (docs/api.md, "Filters"): the grammar of its values and
// the words for it. It must not know how a query is spelled.

import { MAX_INTEGER, MAX_Q_CHARACTERS } from './contract.ts';
import type { Filter, List } from './list.ts';
import { nearest } from './suggestion.ts';
import { parseTimestamp, TIMESTAMP_FORM } from './timestamp.ts';

/** What a query is for: a page of a list, all of it, or its facets. */
export type Use = 'page' | 'export' | 'facets' | 'item';

const MAX_CURSOR_CHARACTERS = 32_768;
const INTEGER = /^[1-9]\d{0,15}$/;
const TWO_UPPER_CASE_LETTERS = /^[A-Z]{2}$/;

/** How one parameter is read. */
export interface Rule {
  readonly name: string;
  /** Takes a list of values. */
  readonly many: boolean;
  /** How JSON spells a value. */
  readonly json: 'string' | 'number' | 'boolean';
  /** What is allowed, to stand after "must be". */
  readonly allowed: string;
  /** An empty value means the same as leaving it out. */
  readonly emptyIsOff?: true;
  /** Why a known parameter is not allowed for this use. */
  readonly refused?: string;
  /** The value, or `undefined` when it is outside the grammar. */
  read(text: string): unknown;
  /** The spelling that was probably meant. */
  meant?(text: string): string | undefined;
}

type Grammar = Pick<Rule, 'json' | 'allowed' | 'read' | 'meant'>;

function integerFrom1To(max: number): Grammar {
  return {
    json: 'number',
    allowed: `an integer from 1 to ${max}`,
    read: (text) => (INTEGER.test(text) && Number(text) <= max ? Number(text) : undefined),
  };
}

function oneOf(values: readonly string[]): Grammar {
  const last = values.at(-1);
  return {
    json: 'string',
    allowed:
      values.length === 2 ? values.join(' or ') : `one of ${values.slice(0, -1).join(', ')} or ${last}`,
    read: (text) => (values.includes(text) ? text : undefined),
    meant: (text) => nearest(text, values),
  };
}

const flag: Grammar = {
  ...oneOf(['true', 'false']),
  json: 'boolean',
  read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

const timestamp: Grammar = { json: 'string', allowed: TIMESTAMP_FORM, read: parseTimestamp };

const countryCode: Grammar = {
  json: 'string',
  allowed: 'two upper-case letters such as GB',
  read: (text) => (TWO_UPPER_CASE_LETTERS.test(text) ? text : undefined),
  meant: (text) => (TWO_UPPER_CASE_LETTERS.test(text.toUpperCase()) ? text.toUpperCase() : undefined),
};

const anyText: Grammar = { json: 'string', allowed: 'text', read: (text) => text };

const search: Grammar = {
  json: 'string',
  allowed: `at most ${MAX_Q_CHARACTERS} characters`,
  read: (text) => (Array.from(text.trim()).length <= MAX_Q_CHARACTERS ? text.trim() : undefined),
};

const opaque: Grammar = {
  json: 'string',
  allowed: 'a cursor taken from a Link header',
  read: (text) => (text.length <= MAX_CURSOR_CHARACTERS ? text : undefined),
};

function filterRule(list: List, name: string, { field: fieldName, test }: Filter): Rule {
  const field = list.fields[fieldName];
  if (field === undefined) throw new Error(`${list.name}: filter ${name} names no field`);
  if (test === 'is') return { name, many: false, ...flag };
  if (test !== 'any') return { name, many: false, ...timestamp };
  if (field.kind === 'integer') return { name, many: true, ...integerFrom1To(MAX_INTEGER) };
  return { name, many: true, ...(field.country === true ? countryCode : anyText) };
}

const WHOLE = {
  export: 'an export holds every match',
  facets: 'facets count every match, in no order',
  item: 'one item is asked for by its id alone',
} as const;

/** The parameters by name; `max_page_size` is the deployment's. */
export function rulesOf(list: List, max_page_size: number, use: Use): ReadonlyMap<string, Rule> {
  const refusalFor = (name: string) => {
    if (use === 'page' || (use === 'export' && name.startsWith('sort_'))) return {};
    return { refused: `${name} is out of place here: ${WHOLE[use]}. Leave it out.` };
  };
  const rules: Rule[] = [
    ...Object.entries(list.filters).map(([name, filter]) => filterRule(list, name, filter)),
    { name: 'q', many: false, ...search, emptyIsOff: true },
    ...Object.entries({
      sort_by: oneOf(Object.keys(list.sorts)),
      sort_order: oneOf(['asc', 'desc']),
      page: integerFrom1To(MAX_INTEGER),
      page_size: integerFrom1To(max_page_size),
      cursor: opaque,
    }).map(([name, grammar]) => ({ name, many: false, ...grammar, ...refusalFor(name) })),
  ];
  return new Map(rules.map((rule) => [rule.name, rule]));
}
