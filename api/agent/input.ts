// The input of the agent's tools: the API's parameters with their schemas, but one range for each time in
// place of four bounds. All faults are reported together, by the names in the tool's schema. And what a tool
// is, and how long its answer may be.

import type { ListParams } from '../client/any-list.ts';
import type { Client } from '../client/client.ts';
import { MAX_INTEGER } from '../contract/contract.ts';
import { excessOf } from '../contract/json-outline.ts';
import type { List } from '../contract/list.ts';
import { Problem } from '../contract/problems.ts';
import { boundOf, wordsOf } from '../contract/qualifiers.ts';
import { shown } from '../contract/query-faults.ts';
import { BODY_LIMITS, QueryParser } from '../contract/query-parser.ts';
import type { Use } from '../contract/rules.ts';
import { type Meant, meantBy } from '../contract/tried-names.ts';
import type { Parameter } from '../openapi/page-parameters.ts';
import { parametersOf } from '../openapi/parameters.ts';
import type { Schema } from '../openapi/schemas.ts';
import { type Bounds, readPastSpan, readSpan, spanForm, stemOf } from './times.ts';

export const MAX_PAGE_SIZE = 50;
/** In characters of JSON. */
export const MAX_ANSWER_CHARACTERS = 20_000;
/** The same of the arguments of a call, which the request thread checks. */
const MAX_INPUT_CHARACTERS = 65_536;
const MAX_REPORTED_FAULTS = 20;
const KEYWORDS = ['type', 'items', 'default', 'examples'];
const SPAN: Schema = {
  type: 'string',
  description: 'A span: today, 2026-12, 2026-12-01..2026-12-15, ..7d or 7d (the next)',
};
export const PAST_SPAN: Schema = {
  type: 'string',
  description: 'A span: this week, 2026-11, 2026-11-01..2026-11-15 or 7d (the last)',
};
/** Where the schema, or the list's, has said what it is. */
const NEXT_SPAN: Schema = { type: 'string', description: 'A span' };
const BARE_SPAN: Schema = { type: 'string' };
const SPANS: readonly (Schema | undefined)[] = [SPAN, PAST_SPAN, NEXT_SPAN, BARE_SPAN];

export type Given = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, Schema>>;

/** Unusable input, or an answer that is too long. The message says how to fix it. */
export class Refused extends Error {}

/** An object with these members, and open: what the tool does not take reaches it, and it explains. */
export function takes(properties: Properties, required: readonly string[] = []): Schema {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/**
 * Only what an agent has to know, which reads all schemas before its first question. Names and limits are
 * words: some agents refuse what breaks a schema, where the answer would say which name was meant.
 */
export function brief(schema: Schema, about = ''): Schema {
  const { enum: names = [], maximum = MAX_INTEGER } = { ...schema, ...schema.items };
  const limit = maximum < MAX_INTEGER ? `at most ${maximum}` : '';
  const description = [about, names.join(', '), limit].filter((one) => one !== '').join('; ');
  const text = JSON.stringify(schema, KEYWORDS);
  const short = JSON.parse(text.replace(',"default":1}', '}')) as Schema;
  return description === '' ? short : { ...short, description };
}

/** How a text is compared, or what is added to an answer, which its schema does not say. */
function hintOf({ about, schema, group }: Parameter): string {
  const { type, examples, enum: names } = schema.items ?? schema;
  if (group === 'money') return plainly(about.split('.'));
  if (type !== 'string' || examples !== undefined || names !== undefined) return '';
  return plainly(about.replace(/^Only .+?(?: that have|, )/, '').split(/[:.]/));
}

const plainly = ([first = '']: readonly string[]) => first.trim().replaceAll('`', '');

/** An exclusion takes the values of its list, and a bound a charge, which need no second description. */
export function isSecond(list: List, name: string): boolean {
  return ['none', 'first', 'last', 'min', 'max', 'set'].includes(list.filters[name]?.test ?? '');
}

/** Fields, and keys that no other one is the same as. Left out, the order is the list's own. */
function sortKeys({ sorts, fields }: List): Schema {
  const keys = Object.keys(sorts).filter((key) => sorts[key] === key || !((sorts[key] ?? '') in sorts));
  return { type: 'string', description: ['a field', ...keys.filter((key) => !(key in fields))].join(' or ') };
}

/** Not without the type of its items: agents of OpenAI and Gemini refuse such a list. */
function bare({ type = '', items }: Schema): Schema {
  return { type, ...(items && { items: { type: items.type ?? '' } }) };
}

/** A span is explained once for each kind, in the list's tool. */
function spanSchema(list: List, filter: string, use: Use): Schema {
  if (use === 'facets') return BARE_SPAN;
  const spans = Object.keys(list.filters).filter((one) => stemOf(list, one) !== undefined);
  const first = spans.find((one) => isPast(list, one) === isPast(list, filter)) ?? filter;
  if (stemOf(list, first) !== stemOf(list, filter)) return NEXT_SPAN;
  return isPast(list, filter) ? PAST_SPAN : SPAN;
}

/** @param names all of this use but the cursor without it */
export function propertiesOf(list: List, use: Use, names?: readonly string[]): Properties {
  const taken = parametersOf(list, MAX_PAGE_SIZE, use).filter(
    ({ name }) => name !== 'cursor' && (names?.includes(name) ?? true),
  );
  return Object.fromEntries(
    taken.map((parameter) => {
      const stem = stemOf(list, parameter.name);
      if (stem !== undefined) return [stem, spanSchema(list, parameter.name, use)];
      if (parameter.name === 'sort_by') return [parameter.name, sortKeys(list)];
      // The values to filter by are in the answer of facets, and what they mean is in the list's tool.
      if (isSecond(list, parameter.name) || (use === 'facets' && parameter.group !== 'money'))
        return [parameter.name, bare(parameter.schema)];
      return [parameter.name, brief(parameter.schema, hintOf(parameter))];
    }),
  );
}

/** Of a bound such as `activated_after`, the argument that takes spans, with one that has that bound. */
function spanMeant(name: string, properties: Properties): string[] | undefined {
  const [side, subject] = boundOf(wordsOf(shown(name)));
  const spans = Object.keys(properties).filter((one) => SPANS.includes(properties[one]));
  const [meant] = side === undefined ? [] : meantBy(subject.join('_'), spans);
  if (meant === undefined) return undefined;
  return [`"${meant.name}": "${side === 'after' || side === 'from' ? '2026-12-01..' : '..2026-12-01'}"`];
}

const argumentOf = ({ name, value }: Meant) => `"${name}"${value === undefined ? '' : `: ${value}`}`;

/** @throws {Refused} for arguments that the schema does not have, or too many */
export function mustBeTaken(tool: string, { properties = {} }: Schema, given: Given): void {
  const weight = weightOf(given);
  if (weight > MAX_INPUT_CHARACTERS)
    throw new Refused(
      `The arguments weigh ${weight} characters, and ${MAX_INPUT_CHARACTERS} is the limit. Ask in parts.`,
    );
  const known = Object.keys(properties);
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const faults = unknown.slice(0, MAX_REPORTED_FAULTS).map((name) => {
    const meant = spanMeant(name, properties) ?? meantBy(name, known, String(given[name])).map(argumentOf);
    const hint = meant.length === 0 ? '' : ` Did you mean ${meant.join(' or ')}?`;
    return `"${shown(name)}" is not an argument of ${tool}.${hint}`;
  });
  const all = known.length === 0 ? 'none' : known.join(', ');
  throw new Refused([...faults, `It takes ${all}.`].join('\n'));
}

const INTEGER = /^\d{1,16}$/;

/** A list that was written as JSON in a string. */
function arrayIn(text: string): unknown[] | undefined {
  try {
    const isList = text.startsWith('[') && excessOf(text, BODY_LIMITS) === undefined;
    const value: unknown = isList ? JSON.parse(text) : undefined;
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function typed({ type, items = {} }: Schema, value: unknown): unknown {
  if (type === 'array') {
    const values = typeof value === 'string' ? (arrayIn(value) ?? [value]) : [value].flat();
    return values.map((one) => typed(items, one));
  }
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return type === 'integer' && typeof value === 'string' && INTEGER.test(value) ? Number(value) : value;
}

/** Agents write null for what they leave out. */
export function withoutNulls(given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

/** Arguments by their schemas: models write a single value for a list, and flags and integers as strings. */
export function asTyped({ properties = {} }: Schema, given: Given): Given {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typed(properties[name] ?? {}, value)]),
  );
}

const isPast = (list: List, filter: string) => list.fields[list.filters[filter]?.field ?? '']?.past === true;

/** The bounds of a span, or what it must be. */
export function spanOf(value: unknown, isOfThePast: boolean): Bounds | string {
  const read = isOfThePast ? readPastSpan : readSpan;
  return (typeof value === 'string' ? read(value) : undefined) ?? spanForm(isOfThePast);
}

/**
 * The parameters of a request, checked by the API's parser; a range becomes two filters.
 * @throws {Refused}
 */
export function paramsOf(list: List, given: Given, use: Use): ListParams {
  const params: Record<string, unknown> = {};
  const faults: string[] = [];
  const filters = new Map(Object.keys(list.filters).map((name) => [stemOf(list, name), name]));
  for (const [name, value] of Object.entries(given)) {
    const filter = filters.get(name);
    if (filter === undefined) {
      params[name] = value;
      continue;
    }
    const bounds = spanOf(value, isPast(list, filter));
    if (typeof bounds === 'string') faults.push(`${name} must be ${bounds}.`);
    else for (const [side, time] of Object.entries(bounds)) params[`${name}_${side}`] = time;
  }
  try {
    new QueryParser(list, MAX_PAGE_SIZE, use).ofJson(JSON.stringify(params));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    faults.push(...(error.faults ?? [{ detail: error.message }]).map(({ detail }) => detail));
  }
  if (faults.length > 0) throw new Refused(faults.join('\n'));
  return params as ListParams;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Schema;
  /** Arguments that it takes and its schema does not show: each takes space in the agent's context. */
  readonly unlisted?: readonly string[];
  /** @throws {Problem} {Refused} */
  read(client: Client, given: Given, signal: AbortSignal): Promise<object>;
}

export function weightOf(answer: object): number {
  return JSON.stringify(answer).length;
}

/**
 * A page that is not too long.
 * @throws {Refused} that names a page size that fits
 */
export function shortPage<T extends { readonly data: readonly object[] }>(answer: T, others = ''): T {
  const weight = weightOf(answer);
  if (weight <= MAX_ANSWER_CHARACTERS) return answer;
  const size = Math.max(1, Math.floor((answer.data.length * MAX_ANSWER_CHARACTERS * 0.9) / weight));
  throw new Refused(
    `The answer would weigh ${weight} characters, and ${MAX_ANSWER_CHARACTERS} is the limit. Ask again with page_size ${size}${others}.`,
  );
}
