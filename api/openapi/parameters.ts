// The query parameters of a list for the reference: what they do and take, with an example. Names of filters
// and sort keys are from the contract, defaults from the parser.

import { MAX_LIST_VALUES, MAX_Q_CHARACTERS } from '../contract/contract.ts';
import { COUNTRY_CODE_PATTERN } from '../contract/countries.ts';
import { NUMBER_SIGNS } from '../contract/digits.ts';
import { type Field, type Filter, fieldOf, type List, type Test } from '../contract/list.ts';
import type { Query } from '../contract/query.ts';
import { QueryParser } from '../contract/query-parser.ts';
import { rulesOf, type Use } from '../contract/rules.ts';
import { count, inPascalCase, itemName, named } from '../contract/wording.ts';
import {
  NO_CONTROLS,
  OWN_PARAMETERS,
  type Parameter,
  pageParameters,
  rangesParameters,
} from './page-parameters.ts';
import { choice, fieldSchema, INTEGER, type Schema } from './schemas.ts';

/** Commas separate values, so no value contains one. */
const PLAIN_VALUE = '^[^,\\u0000-\\u001f\\u007f-\\u009f]+$';
const TIME = '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2}))?$';

const SORT_ORDERS = ['asc', 'desc'] as const satisfies Query['sort_order'][];

/** Of a number, without what is said of it in an item. */
function boundSchema(field: Field): Schema {
  const { format, minimum, maximum } = fieldSchema(field);
  return {
    type: field.kind === 'integer' ? 'integer' : 'number',
    ...(format !== undefined && { format }),
    minimum,
    maximum,
  } as Schema;
}

function valueSchema(list: List, name: string): Schema {
  const field = fieldOf(list, name);
  const { kind, known, example, country, closed, about } = field;
  if (closed === true && known !== undefined)
    return choice(`${inPascalCase(list.title)}${inPascalCase(name)}`, known, about);
  if (kind === 'integer') return field.signed === true ? boundSchema(field) : INTEGER;
  if (name === list.searchDigits) return { type: 'string', pattern: PLAIN_VALUE };
  return {
    type: 'string',
    pattern: country === true ? COUNTRY_CODE_PATTERN : PLAIN_VALUE,
    examples: known ?? [example],
  };
}

type Description = Omit<Parameter, 'name' | 'group'>;

function hintsOf(list: List, name: string): string {
  const { kind, known, country, about } = fieldOf(list, name);
  if (name === list.searchDigits)
    return ', however they are written: only digits are compared, and a `+`, a leading `00` or a bracketed `(0)` makes no difference.';
  const hints = ['.'];
  if (known !== undefined) hints.push(`Known so far: ${named(known)}.`);
  if (country === true) hints.push(`${about} Any other code is refused.`);
  else if (kind === 'text') hints.push(`A value that nothing has matches nothing.`);
  return hints.join(' ');
}

function listFilter(list: List, name: string): Description {
  const field = fieldOf(list, name);
  return {
    about: `Only ${list.title.toLowerCase()} whose \`${name}\` is one of these${hintsOf(list, name)}`,
    schema: { type: 'array', minItems: 1, maxItems: MAX_LIST_VALUES, items: valueSchema(list, name) },
    example: field.known?.slice(0, 2) ?? [field.example],
  };
}

function flagFilter(list: List, name: string): Description {
  const { about, example } = fieldOf(list, name);
  return { about: `${about} Leave it out to see both.`, schema: { type: 'boolean' }, example };
}

function setFilter(name: string): Description {
  const about = `\`true\`: only those that have \`${name}\`. \`false\`: only those where it is \`null\`.`;
  return { about, schema: { type: 'boolean' }, example: false };
}

function numberBound(list: List, name: string, meaning: string): Description {
  const about = `Only those whose \`${name}\` is this number or ${meaning} one of the same length, however it is written.`;
  return {
    about,
    schema: { type: 'string', pattern: NO_CONTROLS, minLength: 1 },
    example: fieldOf(list, name).example,
  };
}

function chargeFilter(list: List, name: string, meaning: string): Description {
  const field = fieldOf(list, name);
  const only = `Only those whose \`${name}\` is this`;
  const about =
    field.kind === 'charge'
      ? `${only} charge or ${meaning}. A token without charges is refused.`
      : `${only} number or ${meaning}.`;
  return { about, schema: boundSchema(field), example: field.example };
}

/** @param meaning of the test, for a timestamp and for a plain date */
function timeFilter(name: string, meaning: string, example: string): Description {
  const about = `Only those whose \`${name}\` is ${meaning}.`;
  return { about, schema: { type: 'string', pattern: TIME }, example };
}

const DESCRIPTIONS: Readonly<Record<Test, (list: List, field: string) => Description>> = {
  is: flagFilter,
  set: (_, field) => setFilter(field),
  any: listFilter,
  none: (list, field) => {
    const { schema, example } = listFilter(list, field);
    return { about: `Only those whose \`${field}\` is none of these.`, schema, example };
  },
  after: (_, field) =>
    timeFilter(field, 'later than this time, or than the end of this day', '2026-01-01T00:00:00Z'),
  before: (_, field) =>
    timeFilter(field, 'earlier than this time, or than the beginning of this day', '2026-12-31T00:00:00Z'),
  from: (_, field) => timeFilter(field, 'this time or later, or on this day or later', '2026-11-23'),
  to: (_, field) => timeFilter(field, 'this time or earlier, or on this day or earlier', '2026-11-23'),
  first: (list, field) => numberBound(list, field, 'a later'),
  last: (list, field) => numberBound(list, field, 'an earlier'),
  min: (list, field) => chargeFilter(list, field, 'more'),
  max: (list, field) => chargeFilter(list, field, 'less'),
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
    schema: {
      ...choice(
        `${itemName(list)}SortKey`,
        Object.keys(list.sorts),
        `What ${list.title.toLowerCase()} can be sorted by: a field, or another name for one.`,
      ),
      default: fallback,
    },
    example: 'next_payment_at' in list.sorts ? 'next_payment_at' : 'id',
  };
}

function fieldsParameter(list: List): Parameter {
  const names = Object.keys(list.fields);
  return {
    name: 'fields',
    group: 'fields',
    about: 'The only fields that items carry, in their usual order whatever the order here. All without it.',
    schema: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_LIST_VALUES,
      items: choice(`${itemName(list)}Field`, names, `A field of a ${list.one}.`),
    },
    example: names.slice(0, 2),
  };
}

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
      schema: {
        ...choice('SortOrder', SORT_ORDERS, 'Ascending or descending.'),
        default: defaults.sort_order,
      },
      example: 'desc',
    } as const,
    ...pageParameters(defaults, max_page_size, limit),
    fieldsParameter(list),
    ...OWN_PARAMETERS,
    ...rangesParameters(list),
  ];
  return all.filter(({ name }) => takes(name));
}
