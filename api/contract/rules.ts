// The rules for query parameters, by list and use (docs/generated/api.md, "Filters"). The grammar of their
// values is in grammars.ts.

import { MAX_INTEGER } from './contract.ts';
import { MAX_DUE_DAYS } from './facets.ts';
import {
  changeToken,
  flag,
  GRAMMARS,
  type Grammar,
  integerFrom1To,
  oneOf,
  opaque,
  search,
  sortKey,
} from './grammars.ts';
import { LANGUAGES } from './labels.ts';
import { type List, TESTS } from './list.ts';

/**
 * A page of a list, all of it as a file or as a workbook, facets, one item, changes as pages or as a stream,
 * or ranges as a page or as a file.
 */
type UseOfList =
  | 'page'
  | 'export'
  | 'workbook'
  | 'facets'
  | 'item'
  | 'changes'
  | 'change_stream'
  | 'ranges'
  | 'ranges_file';

/** Also a page of activity, or of accounts. */
export type Use = UseOfList | 'activity' | 'accounts';

export interface Rule extends Grammar {
  readonly name: string;
  readonly many: boolean;
  /** Most values, if fewer than of any list. */
  readonly max?: number | undefined;
  /** An empty value means the same as none. */
  readonly emptyIsOff?: true;
  /** Why a known parameter is not allowed here. */
  readonly refused?: string;
}

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
  ranges: {
    takes: ({ group, rule }) => group === 'filter' || (group === 'page' && rule.name !== 'cursor'),
    why: 'ranges have members of their own, in the order of their numbers, on numbered pages',
  },
  ranges_file: {
    takes: ({ group }) => group === 'filter',
    why: 'a file of ranges holds every range, in the order of their numbers',
  },
  activity: {
    takes: ({ group, rule }) =>
      (group === 'filter' && rule.name !== 'q') || (group === 'page' && rule.name !== 'page'),
    why: 'activity comes newest first, page after page by the links',
  },
};

const HEADINGS: Rule = { name: 'headings', many: false, ...oneOf(LANGUAGES) };

const splitting = ({ splits = [] }: List): Rule[] => [
  { name: 'split_by', many: true, ...oneOf(splits) },
  { name: 'min_count', many: false, ...integerFrom1To(MAX_INTEGER) },
];

const OWN_RULES: Partial<Record<Use, readonly Rule[] | ((list: List) => readonly Rule[])>> = {
  export: [{ ...HEADINGS, refused: 'headings is for .xlsx: other files have the names of the fields.' }],
  workbook: [HEADINGS],
  facets: [
    { name: 'due_days', many: false, ...integerFrom1To(MAX_DUE_DAYS) },
    { name: 'charges', many: false, ...flag },
  ],
  changes: [SINCE],
  change_stream: [SINCE],
  ranges: splitting,
  ranges_file: splitting,
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
  const own = OWN_RULES[use] ?? [];
  const all = [...rules, ...(typeof own === 'function' ? own(list) : own)];
  return new Map(all.map((rule) => [rule.name, rule]));
}
