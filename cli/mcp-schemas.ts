// What the tools of an agent take, as JSON Schema made from the contract, in few words: an agent reads all
// of it before its first question. Times have one argument each, which takes a whole span.

import { DEFAULT_PAGE_SIZE } from '@linecard/client/contract';
import type { Field, List } from '@linecard/client/contract/list';
import { spanStems, stemOf } from './list-options.ts';

/** The largest page of a tool. */
export const MAX_PAGE_SIZE = 50;
export const FIELDS = 'fields';
const SPAN = 'today, this week, 2026-12, 2026-12-01..2026-12-15, ..7d or 7d';

export type JsonSchema = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, JsonSchema>>;

/** An object with these members and no others. */
export function takes(properties: Properties, required: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

function hintOf(list: List, field: Field, fieldName: string): { description?: string } {
  if (field.country === true) return { description: 'ISO 3166-1 alpha-2, upper case' };
  if (fieldName === list.searchDigits) return { description: 'However they are written' };
  return field.known === undefined ? {} : { description: `Such as ${field.known.join(', ')}` };
}

function valuesSchema(list: List, name: string): JsonSchema {
  const fieldName = list.filters[name]?.field ?? '';
  const field = list.fields[fieldName];
  if (field === undefined) return {};
  if (field.kind === 'flag') return { type: 'boolean' };
  const type = field.kind === 'integer' ? 'integer' : 'string';
  return { type: 'array', items: { type }, ...hintOf(list, field, fieldName) };
}

/** The filters of a list and its search. */
export function filterProperties(list: List): Properties {
  const named = Object.keys(list.filters).filter((name) => stemOf(list, name) === undefined);
  const spans = spanStems(list);
  return {
    ...Object.fromEntries(named.map((name) => [name, valuesSchema(list, name)])),
    ...Object.fromEntries(spans.map((stem) => [stem, { type: 'string', description: `A span: ${SPAN}` }])),
    q: { type: 'string', description: `Text within ${list.search.join(' or ')}` },
  };
}

export function fieldsProperty(list: List, usual: string): Properties {
  return {
    [FIELDS]: {
      type: 'array',
      items: { type: 'string', enum: Object.keys(list.fields) },
      description: `Left out: ${usual}`,
    },
  };
}

/** The order of a list, and which page of it. */
export function pageProperties(list: List): Properties {
  const integer = { type: 'integer', minimum: 1 };
  return {
    sort_by: { type: 'string', enum: Object.keys(list.sorts) },
    sort_order: { type: 'string', enum: ['asc', 'desc'] },
    page: integer,
    page_size: { ...integer, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE },
  };
}
