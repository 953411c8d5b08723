// Options of the commands: those that are parameters of a list, made from the contract, and how what was
// given becomes parameters again. It must not know what a command does with them.

import { DEFAULT_MAX_PAGE_SIZE } from '@linecard/client/contract';
import type { Field, List, TimeTest } from '@linecard/client/contract/list';
import { type Parameter, parametersOf } from '@linecard/client/openapi/parameters';
import { WrongUsage } from './outcome.ts';
import { readSpan, readTime, SPAN_FORM, TIME_FORM } from './times.ts';

/** An option, as the help, the completions and the documentation show it. */
export interface OptionDefinition {
  /** With dashes, without the two in front: `country-codes`. */
  readonly name: string;
  /** The heading it stands under. */
  readonly group: string;
  readonly about: string;
  /** How its value is shown: `<codes>`; in brackets where it may be left out; absent for a switch. */
  readonly value?: string;
  /** Values to offer; others may be right as well. */
  readonly values?: readonly string[];
  /** May be given again, and takes values with commas between them. */
  readonly many?: true;
  /** Has a `--no-…`. */
  readonly negatable?: true;
  /** What it sets, for an option that is made from the contract. */
  readonly sets?: Setter;
}

/**
 * Reads what was given for one option into parameters; throws a sentence to stand behind the option's name.
 */
type Setter = (texts: readonly string[], params: ListParams) => void;

/** Parameters of a list, as the client takes them. */
export type ListParams = Record<string, string | number | boolean | readonly (string | number)[]>;

/** What a command needs the parameters for. */
export type ListUse = 'list' | 'export' | 'facets';

const GROUPS_OF: Readonly<Record<ListUse, readonly Parameter['group'][]>> = {
  list: ['filter', 'search', 'order', 'page'],
  export: ['filter', 'search', 'order'],
  facets: ['filter', 'search'],
};
const FILTERS = 'Filters (all must hold; A,B is A or B)';
const HEADINGS: Readonly<Record<Parameter['group'], string>> = {
  filter: FILTERS,
  search: FILTERS,
  order: 'Order',
  page: 'Page',
  fields: 'Page',
};
/** Travels in links from page to page, and is never typed. */
const MACHINE_MADE = 'cursor';
const INTEGER = /^\d+$/;
/** How a side of a time reads in the help. */
const SIDES: Readonly<Record<TimeTest, string>> = {
  after: 'after',
  before: 'before',
  from: 'from',
  to: 'up to',
};
const SIDE = /_(?:after|before|from|to)$/;

/** `page_size` -> `page-size` */
export function optionName(parameter: string): string {
  return parameter.replaceAll('_', '-');
}

class OptionFault extends Error {}

/** Splits at commas; `\,` is a comma within a value. */
export function valuesOf(texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => text.match(/(?:\\,|[^,])+/g) ?? [])
    .map((value) => value.replaceAll('\\,', ',').trim())
    .filter((value) => value !== '');
}

/** Digits as a number; anything else stays as it is, for the server to say what is wrong with it. */
const integerOrText = (text: string) =>
  INTEGER.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;

function anyOption(parameter: string, field: Field, fieldName: string): Omit<OptionDefinition, 'group'> {
  const isInteger = field.kind === 'integer';
  const subject = isInteger ? fieldName : lowered(field.about);
  return {
    name: optionName(parameter),
    value: field.country === true ? '<codes>' : isInteger ? '<ids>' : '<values>',
    about: `${subject}${field.known === undefined ? `, such as ${String(field.example)}` : `: ${field.known.join(', ')}, …`}`,
    many: true,
    ...(field.known === undefined ? {} : { values: field.known }),
    sets(texts, params) {
      const values = valuesOf(texts);
      if (values.length === 0) throw new OptionFault('names no value');
      params[parameter] = isInteger ? values.map(integerOrText) : values;
    },
  };
}

function flagOption(parameter: string, field: Field): Omit<OptionDefinition, 'group'> {
  const name = optionName(parameter);
  return {
    name,
    value: '[true|false]',
    values: ['true', 'false'],
    negatable: true,
    about: `${lowered(field.about)}; --no-${name} for those that are not`,
    sets([text = ''], params) {
      if (text !== 'true' && text !== 'false')
        throw new OptionFault(`must be true or false, but was "${text}"`);
      params[parameter] = text === 'true';
    },
  };
}

function timeOption(parameter: string, field: Field, test: TimeTest): Omit<OptionDefinition, 'group'> {
  return {
    name: optionName(parameter),
    value: '<time>',
    about: `${subjectOf(field)}: ${SIDES[test]} this`,
    sets([text = ''], params) {
      const timestamp = readTime(text, test);
      if (timestamp === undefined) throw new OptionFault(`must be ${TIME_FORM}, but was "${text}"`);
      params[parameter] = timestamp;
    },
  };
}

/**
 * One option for both sides of a time: `next_payment_after` and `_before` -> `--next-payment "this week"`.
 */
function spanOption(stem: string, field: Field): Omit<OptionDefinition, 'group'> {
  const name = optionName(stem);
  return {
    name,
    value: '<span>',
    about: `${subjectOf(field)}: within this, such as today, "this week" or 7d`,
    values: ['today', 'tomorrow', 'this-week', 'next-week', 'this-month', 'next-month', '7d', '30d'],
    sets([text = ''], params) {
      const [after, before] = [`${stem}_after`, `${stem}_before`];
      if (after in params || before in params) {
        throw new OptionFault(`must not stand beside --${optionName(after)} or --${optionName(before)}`);
      }
      const bounds = readSpan(text);
      if (bounds === undefined) throw new OptionFault(`must be ${SPAN_FORM}, but was "${text}"`);
      params[after] = bounds.after;
      params[before] = bounds.before;
    },
  };
}

/** The names of times that have both an `_after` and a `_before`: `next_payment`. */
export function spanStems(list: List): string[] {
  return Object.entries(list.filters)
    .filter(([, { test }]) => test === 'before')
    .map(([parameter]) => parameter.replace(SIDE, ''))
    .filter((stem) => `${stem}_after` in list.filters);
}

function filterOptions(list: List, parameter: string): Omit<OptionDefinition, 'group'>[] {
  const filter = list.filters[parameter];
  const field = list.fields[filter?.field ?? ''];
  if (filter === undefined || field === undefined) return [];
  if (filter.test === 'any' || filter.test === 'numbers') return [anyOption(parameter, field, filter.field)];
  if (filter.test === 'is') return [flagOption(parameter, field)];
  const option = timeOption(parameter, field, filter.test);
  const stem = parameter.replace(SIDE, '');
  return filter.test === 'before' && spanStems(list).includes(stem)
    ? [option, spanOption(stem, field)]
    : [option];
}

/** A first sentence without its mark-up, to stand in a row of the help. */
function lowered(markdown: string): string {
  const [sentence = ''] = markdown.split(/\.(?:\s|$)/);
  return sentence.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase()).replaceAll('`', '');
}

/** The meaning of a field, without the meaning of null. */
const subjectOf = ({ about }: Field) => lowered(about).split(';')[0];

function plainOption({ name, about, schema }: Parameter): Omit<OptionDefinition, 'group'> {
  const values = schema.enum?.map(String);
  const [subject = ''] = lowered(about).split(':');
  const fallback = schema.default === undefined ? '' : `, default ${String(schema.default)}`;
  return {
    name: optionName(name),
    value: schema.type === 'integer' ? '<n>' : values === undefined ? '<text>' : '<key>',
    about: `${values === undefined ? lowered(about) : `${subject}: ${values.join(', ')}`}${fallback}`,
    ...(values === undefined ? {} : { values }),
    sets([text = ''], params) {
      params[name] = schema.type === 'integer' ? integerOrText(text) : text;
    },
  };
}

/** The options that are parameters of a list, in the order of the contract, for each use. */
export function listOptions(list: List): Readonly<Record<ListUse, OptionDefinition[]>> {
  const all = parametersOf(list, DEFAULT_MAX_PAGE_SIZE).filter(({ name }) => name !== MACHINE_MADE);
  const made = all.map((parameter) => {
    const options =
      parameter.group === 'filter' ? filterOptions(list, parameter.name) : [plainOption(parameter)];
    const group = HEADINGS[parameter.group];
    return { usedAs: parameter.group, options: options.map((option) => ({ ...option, group })) };
  });
  const optionsFor = (use: ListUse) =>
    made.flatMap(({ usedAs, options }) => (GROUPS_OF[use].includes(usedAs) ? options : []));
  return { list: optionsFor('list'), export: optionsFor('export'), facets: optionsFor('facets') };
}

/** What was given on the command line: the texts by the name of the option, in order. */
export type GivenOptions = ReadonlyMap<string, readonly string[]>;

/** The text of an option that is given once at most. */
export function textOf(given: GivenOptions, name: string): string | undefined {
  return given.get(name)?.[0];
}

/**
 * The parameters that the options stand for.
 * @throws {WrongUsage} with every fault there is.
 */
export function paramsOf(options: readonly OptionDefinition[], given: GivenOptions): ListParams {
  const params: ListParams = {};
  const faults: string[] = [];
  for (const { name, many, sets } of options) {
    const texts = given.get(name);
    if (texts === undefined) continue;
    try {
      if (many !== true && texts.length > 1) throw new OptionFault('must be given once, but was given twice');
      sets?.(texts, params);
    } catch (error) {
      if (!(error instanceof OptionFault)) throw error;
      faults.push(`--${name} ${error.message}.`);
    }
  }
  if (faults.length > 0) throw new WrongUsage(faults.join('\n'));
  return params;
}
