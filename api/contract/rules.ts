// The rules for query parameters, by list and use (docs/generated/api.md, "Filters"): the grammar of their
// values, and its description.

import { SINCE_NOW } from './changes.ts';
import { MAX_INTEGER, MAX_NUMBER_CHARACTERS, MAX_Q_CHARACTERS } from './contract.ts';
import { COUNTRY_CODE_FORM, isCountryCode, meantCountryCode } from './countries.ts';
import { plainNumber } from './digits.ts';
import { MAX_DUE_DAYS } from './facets.ts';
import { LANGUAGES } from './labels.ts';
import { fieldOf, type List, TESTS, type Test } from './list.ts';
import { nearest } from './suggestion.ts';
import { NUMBER_LENGTH, numberFault } from './telephone.ts';
import { parseDate, parseTime, TIME_FORM, timeFault } from './timestamp.ts';
import { listed } from './wording.ts';

/**
 * A page of a list, all of it as a file or as a workbook, facets, one item, or changes as pages or as a
 * stream.
 */
type UseOfList = 'page' | 'export' | 'workbook' | 'facets' | 'item' | 'changes' | 'change_stream';

/** Also a page of activity, or of accounts. */
export type Use = UseOfList | 'activity' | 'accounts';

const MAX_CURSOR_CHARACTERS = 32_768;
const INTEGER = /^[1-9]\d{0,15}$/;

export interface Rule {
  readonly name: string;
  readonly many: boolean;
  /** Most values, if fewer than of any list. */
  readonly max?: number | undefined;
  /** The JSON type of a value. */
  readonly json: 'string' | 'number' | 'boolean';
  /** Follows "must be". */
  readonly allowed: string;
  /** An empty value means the same as none. */
  readonly emptyIsOff?: true;
  /** Why a known parameter is not allowed here. */
  readonly refused?: string;
  /** `undefined` where the value does not match the grammar. */
  read(text: string): unknown;
  meant?(text: string): string | undefined;
  /** A more precise reason than `allowed`. */
  why?(text: string): string | undefined;
}

type Grammar = Pick<Rule, 'json' | 'allowed' | 'read' | 'meant' | 'why'>;

function integerFrom1To(max: number): Grammar {
  return {
    json: 'number',
    allowed: `an integer from 1 to ${max}`,
    read: (text) => (INTEGER.test(text) && Number(text) <= max ? Number(text) : undefined),
  };
}

function oneOf(values: readonly string[]): Grammar {
  return {
    json: 'string',
    allowed: `${values.length === 2 ? '' : 'one of '}${listed(values, 'or')}`,
    read: (text) => (values.includes(text) ? text : undefined),
    meant: (text) => nearest(text, values),
  };
}

const DIRECTED = /^(-?)(\w+?)(?:[ :,._]{1,3}(asc|desc)(?:ending)?)?$/i;

/** `-monthly` and `monthly:desc` of other APIs. */
function directionFault(text: string, keys: readonly string[]): string | undefined {
  const [, minus, key = '', word] = DIRECTED.exec(text) ?? [];
  if (!keys.includes(key) || (minus === '' && word === undefined)) return undefined;
  return `the direction is in \`sort_order\`: \`${key}\` with \`${word?.toLowerCase() ?? 'desc'}\``;
}

function sortKey(keys: readonly string[]): Grammar {
  return { ...oneOf(keys), why: (text) => directionFault(text, keys) };
}

const flag: Grammar = {
  ...oneOf(['true', 'false']),
  json: 'boolean',
  read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

const time: Grammar = {
  json: 'string',
  allowed: TIME_FORM,
  read: (text) => parseDate(text) ?? parseTime(text),
  why: timeFault,
};

const countryCode: Grammar = {
  json: 'string',
  allowed: COUNTRY_CODE_FORM,
  read: (text) => (isCountryCode(text) ? text : undefined),
  meant: meantCountryCode,
};

const telephoneNumber: Grammar = {
  json: 'string',
  allowed: `a telephone number such as +44 20 7946 0018, with 1 to ${NUMBER_LENGTH.max} digits to compare and at most ${MAX_NUMBER_CHARACTERS} characters`,
  read: (text) =>
    text.length <= MAX_NUMBER_CHARACTERS && numberFault(text) === undefined ? plainNumber(text) : undefined,
  why: (text) => (text.length <= MAX_NUMBER_CHARACTERS ? numberFault(text) : undefined),
};

const anyText: Grammar = { json: 'string', allowed: 'text', read: (text) => text };

const search: Grammar = {
  json: 'string',
  allowed: `at most ${MAX_Q_CHARACTERS} characters`,
  read(text) {
    const trimmed = text.trim();
    // A character has at most two code units.
    const isShort = trimmed.length <= 2 * MAX_Q_CHARACTERS && Array.from(trimmed).length <= MAX_Q_CHARACTERS;
    return isShort ? trimmed : undefined;
  },
};

const opaque: Grammar = {
  json: 'string',
  allowed: 'a cursor taken from a Link header',
  read: (text) => (text.length <= MAX_CURSOR_CHARACTERS ? text : undefined),
};

const changeToken: Grammar = {
  json: 'string',
  allowed: `${SINCE_NOW}, or the token of an answer or of a Link header`,
  read: opaque.read,
};

function fieldValue(list: List, name: string): Grammar {
  const { kind, country, closed, known = [] } = fieldOf(list, name);
  if (closed === true) return oneOf(known);
  if (kind === 'integer') return integerFrom1To(MAX_INTEGER);
  if (name === list.searchDigits) return telephoneNumber;
  return country === true ? countryCode : anyText;
}

const GRAMMARS: Readonly<Record<Test, (list: List, field: string) => Grammar>> = {
  is: () => flag,
  any: fieldValue,
  none: fieldValue,
  after: () => time,
  before: () => time,
  from: () => time,
  to: () => time,
};

const SINCE: Rule = { name: 'since', many: false, ...changeToken };

/** The parameters of a use, and why it has no others. */
interface UseRules {
  readonly takes: (rule: Grouped) => boolean;
  readonly why: string;
}

const EVERY_MATCH: UseRules = {
  takes: ({ group }) => group !== 'page',
  why: 'an export holds every match',
};

const USES: Readonly<Record<Use, UseRules>> = {
  page: { takes: () => true, why: '' },
  export: EVERY_MATCH,
  workbook: EVERY_MATCH,
  facets: { takes: ({ group }) => group === 'filter', why: 'facets count every match and list none' },
  item: { takes: ({ group }) => group === 'fields', why: 'one item is requested by its id alone' },
  changes: {
    takes: ({ group, rule }) => group !== 'order' && (group !== 'page' || rule.name === 'page_size'),
    why: 'changes come in an order of their own, and continue from `since`',
  },
  accounts: {
    takes: ({ rule: { name } }) => ['q', 'page', 'page_size'].includes(name),
    why: 'accounts are listed by their ids',
  },
  change_stream: {
    takes: ({ group }) => group !== 'order' && group !== 'page',
    why: 'a stream holds every change, in an order of its own',
  },
  activity: {
    takes: ({ group, rule }) =>
      (group === 'filter' && rule.name !== 'q') || (group === 'page' && rule.name !== 'page'),
    why: 'activity comes newest first, page after page by the links',
  },
};

const HEADINGS: Rule = { name: 'headings', many: false, ...oneOf(LANGUAGES) };

const OWN_RULES: Partial<Record<Use, readonly Rule[]>> = {
  export: [{ ...HEADINGS, refused: 'headings is for .xlsx: other files have the names of the fields.' }],
  workbook: [HEADINGS],
  facets: [
    { name: 'due_days', many: false, ...integerFrom1To(MAX_DUE_DAYS) },
    { name: 'charges', many: false, ...flag },
  ],
  changes: [SINCE],
  change_stream: [SINCE],
};

interface Grouped {
  readonly group: 'filter' | 'order' | 'page' | 'fields';
  readonly rule: Rule;
}

function rulesInGroups(list: List, max_page_size: number): Grouped[] {
  const single = (group: Grouped['group'], name: string, grammar: Grammar): Grouped => ({
    group,
    rule: { name, many: false, ...grammar },
  });
  const filters = Object.entries(list.filters).map(([name, { field, test, max }]): Grouped => {
    return { group: 'filter', rule: { name, many: TESTS[test].many, max, ...GRAMMARS[test](list, field) } };
  });
  return [
    ...filters,
    { group: 'filter', rule: { name: 'q', many: false, ...search, emptyIsOff: true } },
    single('order', 'sort_by', sortKey(Object.keys(list.sorts))),
    single('order', 'sort_order', oneOf(['asc', 'desc'])),
    single('page', 'page', integerFrom1To(MAX_INTEGER)),
    single('page', 'page_size', integerFrom1To(max_page_size)),
    single('page', 'cursor', opaque),
    { group: 'fields', rule: { name: 'fields', many: true, ...oneOf(Object.keys(list.fields)) } },
  ];
}

/** By name; `max_page_size` is the deployment's. */
export function rulesOf(list: List, max_page_size: number, use: Use): ReadonlyMap<string, Rule> {
  const { takes, why } = USES[use];
  const rules = rulesInGroups(list, max_page_size).map((grouped): Rule => {
    const { rule } = grouped;
    if (takes(grouped)) return rule;
    return { ...rule, refused: `${rule.name} is not allowed here: ${why}. Leave it out.` };
  });
  return new Map([...rules, ...(OWN_RULES[use] ?? [])].map((rule) => [rule.name, rule]));
}
