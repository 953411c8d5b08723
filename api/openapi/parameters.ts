// The query parameters of a list for the reference: what they do and take, with an example. Names of filters
// and sort keys are from the contract, defaults from the parser.

import { SINCE_NOW } from '../contract/changes.ts';
import { MAX_LIST_VALUES, MAX_Q_CHARACTERS } from '../contract/contract.ts';
import { COUNTRY_CODE_PATTERN } from '../contract/countries.ts';
import { NUMBER_SIGNS } from '../contract/digits.ts';
import { MAX_DUE_DAYS } from '../contract/facets.ts';
import { LANGUAGES } from '../contract/labels.ts';
import { type Filter, fieldOf, type List, type Test } from '../contract/list.ts';
import type { Query } from '../contract/query.ts';
import { QueryParser } from '../contract/query-parser.ts';
import { rulesOf, type Use } from '../contract/rules.ts';
import { count, named } from '../contract/wording.ts';
import { INTEGER, type Scalar, type Schema } from './schemas.ts';

export interface Parameter {
  readonly name: string;
  readonly group: 'filter' | 'search' | 'order' | 'page' | 'fields' | 'money' | 'workbook';
  /** Markdown. */
  readonly about: string;
  readonly schema: Schema;
  readonly example: Scalar | readonly Scalar[];
}

const NO_CONTROLS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
/** Commas separate values, so no value contains one. */
const PLAIN_VALUE = '^[^,\\u0000-\\u001f\\u007f-\\u009f]+$';
const TIME = '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,6})?(Z|[+-]\\d{2}:\\d{2}))?$';

const SORT_ORDERS = ['asc', 'desc'] as const satisfies Query['sort_order'][];

function valueSchema(list: List, name: string): Schema {
  const { kind, known, example, country, closed } = fieldOf(list, name);
  if (closed === true && known !== undefined) return { type: 'string', enum: known };
  if (kind === 'integer') return INTEGER;
  if (name === list.searchDigits) return { type: 'string', pattern: PLAIN_VALUE };
  return {
    type: 'string',
    pattern: country === true ? COUNTRY_CODE_PATTERN : PLAIN_VALUE,
    examples: known ?? [example],
  };
}

type Description = Omit<Parameter, 'name' | 'group'>;

function hintsOf(list: List, name: string, outcome: string): string {
  const { kind, known, country, about } = fieldOf(list, name);
  if (name === list.searchDigits)
    return ', however they are written: only digits are compared, and a `+`, a leading `00` or a bracketed `(0)` makes no difference.';
  const hints = ['.'];
  if (known !== undefined) hints.push(`Known so far: ${named(known)}.`);
  if (country === true) hints.push(`${about} Any other code is refused.`);
  else if (kind === 'text') hints.push(`A value that nothing has ${outcome} nothing.`);
  return hints.join(' ');
}

function listFilter(list: List, name: string, amount: string, outcome: string): Description {
  const field = fieldOf(list, name);
  return {
    about: `Only ${list.title.toLowerCase()} whose \`${name}\` is ${amount} of these${hintsOf(list, name, outcome)}`,
    schema: { type: 'array', minItems: 1, maxItems: MAX_LIST_VALUES, items: valueSchema(list, name) },
    example: field.known?.slice(0, 2) ?? [field.example],
  };
}

function flagFilter(list: List, name: string): Description {
  const { about, example } = fieldOf(list, name);
  return { about: `${about} Leave it out to see both.`, schema: { type: 'boolean' }, example };
}

/** @param meaning of the test, for a timestamp and for a plain date */
function timeFilter(name: string, meaning: string, example: string): Description {
  const about = `Only those whose \`${name}\` is ${meaning}.`;
  return { about, schema: { type: 'string', pattern: TIME }, example };
}

const DESCRIPTIONS: Readonly<Record<Test, (list: List, field: string) => Description>> = {
  is: flagFilter,
  any: (list, field) => listFilter(list, field, 'one', 'matches'),
  none: (list, field) => listFilter(list, field, 'none', 'excludes'),
  after: (_, field) =>
    timeFilter(field, 'later than this time, or than the end of this day', '2026-01-01T00:00:00Z'),
  before: (_, field) =>
    timeFilter(field, 'earlier than this time, or than the beginning of this day', '2026-12-31T00:00:00Z'),
  from: (_, field) => timeFilter(field, 'this time or later, or on this day or later', '2026-11-23'),
  to: (_, field) => timeFilter(field, 'this time or earlier, or on this day or earlier', '2026-11-23'),
};

function searchParameter(list: List): Parameter {
  const digits =
    list.searchDigits === undefined
      ? ''
      : ` A text of digits, spaces and \`${NUMBER_SIGNS}\` also finds numbers by the digits of \`${list.searchDigits}\`, however they are written: after a \`+\` or \`00\` those that begin with it.`;
  return {
    name: 'q',
    group: 'search',
    about: `Only ${list.title.toLowerCase()} that have this text anywhere in ${named(list.search, 'or')}, whatever the case. \`%\`, \`_\`, \`*\` and \`\\\` are ordinary characters.${digits} An empty \`q\` switches the search off.`,
    schema: { type: 'string', maxLength: MAX_Q_CHARACTERS, pattern: NO_CONTROLS },
    example: list.searchDigits === undefined ? 'vpn' : '+44 20 7946',
  };
}

function sortParameter(list: List, fallback: string): Parameter {
  const synonyms = Object.entries(list.sorts)
    .filter(([key, field]) => key !== field)
    .map(([key, field]) => `\`${key}\` is \`${field}\``);
  const hidden = Object.entries(list.hidden).filter(([name]) => name in list.sorts);
  const unseen = hidden.map(([name, { about }]) => ` \`${name}\` is stored but not shown. ${about}`);
  return {
    name: 'sort_by',
    group: 'order',
    about: `What to sort by: a field, or another name for one (${synonyms.join(', ')}).${unseen.join('')} Text sorts without regard to case, \`null\` comes last in both directions, and ties are broken by \`id\`.`,
    schema: { type: 'string', enum: Object.keys(list.sorts), default: fallback },
    example: 'next_payment_at' in list.sorts ? 'next_payment_at' : 'id',
  };
}

function pageParameters(
  defaults: Query,
  max_page_size: number,
  limit: string,
  hasCursor: boolean,
): Parameter[] {
  const notBoth = hasCursor ? ' Not together with `cursor`.' : '';
  return [
    {
      name: 'page',
      group: 'page',
      about: `Which page, from 1. One past the last is empty, not an error.${notBoth}`,
      schema: { ...INTEGER, default: defaults.page },
      example: 2,
    },
    {
      name: 'page_size',
      group: 'page',
      about: `How many items to a page, at most ${limit}.`,
      schema: { ...INTEGER, maximum: max_page_size, default: defaults.page_size },
      example: Math.min(50, max_page_size),
    },
    {
      name: 'cursor',
      group: 'page',
      about:
        'Where to go on, taken from a `Link` header together with the rest of that address; never made by hand. Not together with `page`.',
      schema: { type: 'string', minLength: 1, pattern: NO_CONTROLS },
      example: 'eyJhZnRlciI6NDgxNTF9',
    },
  ];
}

function fieldsParameter(list: List): Parameter {
  const names = Object.keys(list.fields);
  return {
    name: 'fields',
    group: 'fields',
    about: 'The only fields that items carry, in their usual order whatever the order here. All without it.',
    schema: { type: 'array', minItems: 1, maxItems: MAX_LIST_VALUES, items: { type: 'string', enum: names } },
    example: names.slice(0, 2),
  };
}

/** Those of changes, of facets and of a workbook alone. */
const OWN_PARAMETERS: readonly Parameter[] = [
  {
    name: 'since',
    group: 'page',
    about:
      'The token of the answer before, or of a `Link` header with `rel="monitor"`; never made by hand. `now` for a token alone; without it the whole list comes first.',
    schema: { type: 'string', minLength: 1, pattern: NO_CONTROLS },
    example: SINCE_NOW,
  },
  {
    name: 'due_days',
    group: 'money',
    about:
      'For this many days from today on, in UTC: every payment of each day, and what is overdue. A payment is `monthly` times the months that the `frequency` of the item covers, and is repeated when they have passed.',
    schema: { ...INTEGER, maximum: MAX_DUE_DAYS },
    example: 84,
  },
  {
    name: 'charges',
    group: 'money',
    about: 'Each value of a filter also has the sum of the monthly charges of its items.',
    schema: { type: 'boolean' },
    example: true,
  },
  {
    name: 'headings',
    group: 'workbook',
    about:
      'Makes the workbook for people: its headings in this language, charges in the currency of the account, and their sums below the last row. Without it, columns have the names of the fields.',
    schema: { type: 'string', enum: LANGUAGES },
    example: 'en',
  },
];

/**
 * The parameters that a use takes, as the parser does.
 * @param limit the deployment's largest page in words, after "at most"
 */
export function parametersOf(
  list: List,
  max_page_size: number,
  use: Use,
  limit = `${count(max_page_size)} here`,
): Parameter[] {
  const rules = rulesOf(list, max_page_size, use);
  const takes = (name: string) => rules.has(name) && rules.get(name)?.refused === undefined;
  const defaults = new QueryParser(list, max_page_size).ofString('');
  const all = [
    ...Object.entries<Filter>(list.filters).map(([name, { field, test, max }]): Parameter => {
      const { schema, ...rest } = DESCRIPTIONS[test](list, field);
      return {
        name,
        group: 'filter',
        ...rest,
        schema: max === undefined ? schema : { ...schema, maxItems: max },
      };
    }),
    searchParameter(list),
    sortParameter(list, defaults.sort_by),
    {
      name: 'sort_order',
      group: 'order',
      about: 'Ascending or descending.',
      schema: { type: 'string', enum: SORT_ORDERS, default: defaults.sort_order },
      example: 'desc',
    } as const,
    ...pageParameters(defaults, max_page_size, limit, takes('cursor')),
    fieldsParameter(list),
    ...OWN_PARAMETERS,
  ];
  return all.filter(({ name }) => takes(name));
}
