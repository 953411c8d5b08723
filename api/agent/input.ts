// What the tools of an agent take: the parameters of the API with their schemas, except that a time has one
// argument for a span instead of four for its bounds. All faults are reported together, and name arguments as
// the tool's own schema does.

import type { ListParams } from '../client/any-list.ts';
import type { List } from '../contract/list.ts';
import { Problem } from '../contract/problems.ts';
import { shown } from '../contract/query-faults.ts';
import { QueryParser } from '../contract/query-parser.ts';
import type { Use } from '../contract/rules.ts';
import { namesMeant } from '../contract/tried-names.ts';
import { type Parameter, parametersOf } from '../openapi/parameters.ts';
import type { Schema } from '../openapi/schemas.ts';
import { readSpan, SPAN_FORM, stemOf } from './times.ts';

/** The largest page of a tool. */
export const MAX_PAGE_SIZE = 50;
const KEYWORDS = ['type', 'items', 'enum', 'minimum', 'maximum', 'default', 'examples'];
const SPAN: Schema = {
  type: 'string',
  description: 'A span: today, this week, 2026-12, 2026-12-01..2026-12-15, ..7d or 7d',
};

export type Given = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, Schema>>;

/** Input that a tool cannot work with, or an answer that is too long; the message says how to fix it. */
export class Refused extends Error {}

/** An object with these members and no others. */
export function takes(properties: Properties, required: readonly string[] = []): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** A schema with these keywords only: an agent reads all schemas before its first question. */
const brief = (schema: Schema): Schema => JSON.parse(JSON.stringify(schema, KEYWORDS)) as Schema;

/** What the schema of a text does not say: how it is compared. */
function hintOf({ about, schema }: Parameter): Schema {
  const { type, examples, enum: names } = schema.items ?? schema;
  if (type !== 'string' || examples !== undefined || names !== undefined) return {};
  return { description: about.split(/[:.]/)[0]?.replaceAll('`', '') ?? '' };
}

/** The parameters of a list in these groups. */
export function propertiesOf(list: List, groups: readonly Parameter['group'][]): Properties {
  const taken = parametersOf(list, MAX_PAGE_SIZE).filter(
    ({ name, group }) => groups.includes(group) && name !== 'cursor',
  );
  return Object.fromEntries(
    taken.map((parameter) => {
      const stem = stemOf(list, parameter.name);
      if (stem !== undefined) return [stem, SPAN];
      return [parameter.name, { ...brief(parameter.schema), ...hintOf(parameter) }];
    }),
  );
}

/**
 * Arguments that the schema does not have are refused.
 * @throws {Refused}
 */
export function mustBeTaken(tool: string, { properties = {} }: Schema, given: Given): void {
  const known = Object.keys(properties);
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const faults = unknown.map((name) => {
    const meant = namesMeant(name, known).map((one) => `"${one}"`);
    const hint = meant.length === 0 ? '' : ` Did you mean ${meant.join(' or ')}?`;
    return `"${shown(name)}" is not an argument of ${tool}.${hint}`;
  });
  const all = known.length === 0 ? 'none' : known.join(', ');
  throw new Refused([...faults, `It takes ${all}.`].join('\n'));
}

/**
 * The parameters of a request: spans as the filters that bound them, all of it checked by the API's parser.
 * @throws {Refused}
 */
export function paramsOf(list: List, given: Given, use: Use): ListParams {
  const params: Record<string, unknown> = {};
  const faults: string[] = [];
  const stems = new Set(Object.keys(list.filters).map((name) => stemOf(list, name)));
  for (const [name, value] of Object.entries(given)) {
    if (!stems.has(name)) {
      params[name] = value;
      continue;
    }
    const bounds = typeof value === 'string' ? readSpan(value) : undefined;
    if (bounds === undefined) faults.push(`${name} must be ${SPAN_FORM}.`);
    for (const [side, time] of Object.entries(bounds ?? {})) params[`${name}_${side}`] = time;
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

/** @throws {Refused} */
export function idOf(given: unknown): number {
  if (Number.isSafeInteger(given) && Number(given) >= 1) return Number(given);
  throw new Refused('id must be an integer from 1, such as a list gives it.');
}
