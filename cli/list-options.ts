// The options that are parameters of a list, made from the contract: one per filter, one range per time, and
// those for search, order and page.

import {
  readPastSpan,
  readPastTime,
  readSpan,
  readTime,
  spanForm,
  stemOf,
  TIME_FORM,
} from '@linecard/client/agent/times';
import { DEFAULT_MAX_PAGE_SIZE } from '@linecard/client/contract';
import { CHARGE_FORM, parseCharge } from '@linecard/client/contract/charge';
import { facetFilters } from '@linecard/client/contract/facets';
import {
  type ChargeTest,
  type Field,
  type Filter,
  fieldOf,
  type List,
  type Test,
  type TimeTest,
} from '@linecard/client/contract/list';
import type { Use } from '@linecard/client/contract/rules';
import { parametersOf } from '@linecard/client/openapi/parameters';
import { type OptionDefinition, OptionFault, optionName, valuesOf } from './options.ts';

type Parameter = ReturnType<typeof parametersOf>[number];

export type ListUse = 'list' | 'export' | 'facets' | 'sync' | 'ranges';

const USES: Readonly<Record<ListUse, Use>> = {
  list: 'page',
  export: 'workbook',
  facets: 'facets',
  sync: 'change_stream',
  ranges: 'ranges_file',
};
export const FILTERS = 'Filters (all must hold; A,B is A or B)';
const HEADINGS: Readonly<Partial<Record<Parameter['group'], string>>> = {
  filter: FILTERS,
  search: FILTERS,
  order: 'Order',
  page: 'Page',
  money: 'Money',
  workbook: 'Spreadsheet',
  ranges: 'Ranges',
};
/** Cursors and tokens are in answers and never typed; for fields there is `--columns`. */
const NOT_TYPED: readonly string[] = ['cursor', 'since', 'fields'];
const INTEGER = /^\d+$/;
const SIDES: Readonly<Record<TimeTest, string>> = {
  after: 'after this',
  before: 'before this',
  from: 'from this on',
  to: 'up to this',
};
const BOUNDS: Readonly<Record<ChargeTest, string>> = { min: 'this or more', max: 'this or less' };

const SPANS = ['today', 'tomorrow', 'this-week', 'next-week', 'this-month', 'next-month', '7d', '30d'];
const PAST_SPANS = ['today', 'yesterday', 'this-week', 'last-week', 'this-month', 'last-month', '7d', '30d'];

type Option = Omit<OptionDefinition, 'group'>;

/** Digits as a number; anything else unchanged, so that the server can explain what is wrong. */
export const integerOrText = (text: string) =>
  INTEGER.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;

/** The first sentence without its mark-up. */
function lowered(markdown: string): string {
  const [sentence = ''] = markdown.split(/\.(?:\s|$)/);
  return sentence.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase()).replaceAll('`', '');
}

/** The description of a field without that of null. */
const subjectOf = ({ about }: Field) => lowered(about).split(';')[0] ?? '';

function valueName(list: List, field: Field, fieldName: string): string {
  if (field.country === true) return '<codes>';
  if (field.kind === 'integer') return field.own === undefined ? '<ids>' : '<numbers>';
  return fieldName === list.searchDigits ? '<numbers>' : '<values>';
}

/** @param amount how many of the values an item must have, before their description */
function valuesOption(list: List, parameter: string, field: Field, amount = ''): Option {
  const fieldName = list.filters[parameter]?.field ?? '';
  const isInteger = field.kind === 'integer';
  const subject = isInteger ? fieldName : lowered(field.about);
  return {
    name: optionName(parameter),
    value: valueName(list, field, fieldName),
    about: `${amount}${subject}${field.known === undefined ? `, such as ${String(field.example)}` : `: ${field.known.join(', ')}, …`}`,
    many: true,
    ...(field.known !== undefined && { values: field.known }),
    ...(facetFilters(list).includes(parameter) && { facet: parameter }),
    ...(field.country === true && { countries: true }),
    sets(texts, params) {
      const values = valuesOf(texts);
      if (values.length === 0) throw new OptionFault('names no value');
      params[parameter] = isInteger ? values.map(integerOrText) : values;
    },
  };
}

function flagOption(parameter: string, about: string): Option {
  return {
    name: optionName(parameter),
    value: '[true|false]',
    values: ['true', 'false'],
    negatable: true,
    about,
    sets([text = ''], params) {
      if (text !== 'true' && text !== 'false')
        throw new OptionFault(`must be true or false, but was "${text}"`);
      params[parameter] = text === 'true';
    },
  };
}

function numberOption(parameter: string, about: string): Option {
  return {
    name: optionName(parameter),
    value: '<number>',
    about,
    sets([text = ''], params) {
      params[parameter] = text;
    },
  };
}

function boundOption(parameter: string, field: Field, side: ChargeTest): Option {
  return {
    name: optionName(parameter),
    value: field.kind === 'integer' ? '<n>' : '<charge>',
    about: `${subjectOf(field)}: ${BOUNDS[side]}, such as ${String(field.example)}`,
    sets([text = ''], params) {
      if (field.kind === 'charge' && parseCharge(text) === undefined)
        throw new OptionFault(`must be ${CHARGE_FORM}, but was "${text}"`);
      params[parameter] = field.kind === 'integer' ? integerOrText(text) : Number(text);
    },
  };
}

function timeOption(parameter: string, field: Field, side: TimeTest): Option {
  return {
    name: optionName(parameter),
    value: '<time>',
    about: `${subjectOf(field)}: ${SIDES[side]}`,
    sets([text = ''], params) {
      const time = (field.past === true ? readPastTime : readTime)(text, side);
      if (time === undefined) throw new OptionFault(`must be ${TIME_FORM}, but was "${text}"`);
      params[parameter] = time;
    },
  };
}

/** One option for all bounds of a time: `next_payment_from` and `_to` -> `--next-payment "this week"`. */
function spanOption(stem: string, field: Field): Option {
  const isPast = field.past === true;
  return {
    name: optionName(stem),
    value: '<span>',
    about: `${subjectOf(field)}: within this, such as today, "this week" or 7d${isPast ? ' (the last 7 days)' : ''}`,
    values: isPast ? PAST_SPANS : SPANS,
    sets([text = ''], params) {
      const sides = Object.keys(SIDES).map((side) => `${stem}_${side}`);
      const given = sides.filter((name) => name in params).map((name) => `--${optionName(name)}`);
      if (given.length > 0) throw new OptionFault(`cannot be combined with ${given.join(' and ')}`);
      const bounds = (isPast ? readPastSpan : readSpan)(text);
      if (bounds === undefined) throw new OptionFault(`must be ${spanForm(isPast)}, but was "${text}"`);
      for (const [side, time] of Object.entries(bounds)) params[`${stem}_${side}`] = time as string;
    },
  };
}

type OptionsOf = (list: List, parameter: string, field: Field) => Option[];

const timeOptions =
  (side: TimeTest): OptionsOf =>
  (list, parameter, field) => {
    const span = side === 'to' ? [spanOption(String(stemOf(list, parameter)), field)] : [];
    return [timeOption(parameter, field, side), ...span];
  };

const OPTIONS: Readonly<Record<Test, OptionsOf>> = {
  is: (_, parameter, field) => [
    flagOption(parameter, `${lowered(field.about)}; --no-${optionName(parameter)} for those that are not`),
  ],
  set: (list, parameter) => [
    flagOption(
      parameter,
      `there is a ${list.filters[parameter]?.field}; --no-${optionName(parameter)} for those without one`,
    ),
  ],
  any: (list, parameter, field) => [valuesOption(list, parameter, field)],
  none: (list, parameter, field) => [valuesOption(list, parameter, field, 'none of these: ')],
  after: timeOptions('after'),
  before: timeOptions('before'),
  from: timeOptions('from'),
  to: timeOptions('to'),
  first: (_, parameter) => [numberOption(parameter, 'this or a later number of the same length')],
  last: (_, parameter) => [numberOption(parameter, 'this or an earlier number of the same length')],
  min: (_, parameter, field) => [boundOption(parameter, field, 'min')],
  max: (_, parameter, field) => [boundOption(parameter, field, 'max')],
};

function filterOptions(list: List, parameter: string): Option[] {
  const { test, field } = list.filters[parameter] as Filter;
  return OPTIONS[test](list, parameter, fieldOf(list, field));
}

export function plainOption({ name, about, schema }: Parameter): Option {
  if (schema.type === 'boolean') {
    return {
      name: optionName(name),
      about: lowered(about),
      sets(_, params) {
        params[name] = true;
      },
    };
  }
  const isMany = schema.type === 'array';
  const values = (schema.items ?? schema).enum?.map(String);
  const [subject = ''] = lowered(about).split(':');
  const fallback = schema.default === undefined ? '' : `, default ${String(schema.default)}`;
  return {
    name: optionName(name),
    value: schema.type === 'integer' ? '<n>' : values === undefined ? '<text>' : '<key>',
    about: `${values === undefined ? lowered(about) : `${subject}: ${values.join(', ')}`}${fallback}`,
    ...(values !== undefined && { values }),
    ...(isMany && { many: true }),
    sets(texts, params) {
      const one = schema.type === 'integer' ? integerOrText(texts[0] ?? '') : (texts[0] ?? '');
      params[name] = isMany ? valuesOf(texts) : one;
    },
  };
}

/** In the order of the contract. */
export function listOptions(list: List, use: ListUse): OptionDefinition[] {
  const parameters = parametersOf(list, DEFAULT_MAX_PAGE_SIZE, USES[use]);
  return parameters
    .filter(({ name }) => !NOT_TYPED.includes(name))
    .flatMap((parameter) => {
      const options =
        parameter.name in list.filters ? filterOptions(list, parameter.name) : [plainOption(parameter)];
      return options.map((option) => ({ ...option, group: HEADINGS[parameter.group] ?? FILTERS }));
    });
}
