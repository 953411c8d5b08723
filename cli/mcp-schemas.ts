// What the tools of an agent take and give, as JSON Schema alone: from the OpenAPI document, without what
// only OpenAPI knows.

import type { List } from '@linecard/client/contract/list';
import { type OpenApiDocument, openapi } from '@linecard/client/openapi';
import { spanStems } from './options.ts';
import { VERSION } from './version.ts';

/** The largest page of a tool. */
export const MAX_PAGE_SIZE = 50;
const CURSOR = 'cursor';
const TIMES = '2026-12-01, 2026-12, today, "next week", 7d, "7d ago"';
const SPANS = 'today, "this week", 2026-12, 2026-12-01..2026-12-15, 7d (from now on), "30d ago" (up to now)';
const REFERENCE = /^#\/components\/schemas\//;

export type JsonSchema = Readonly<Record<string, unknown>>;
type Schema = OpenApiDocument['components']['schemas'][string];

const document = openapi({ version: VERSION, max_page_size: MAX_PAGE_SIZE });

/** Schemas by name that others refer to, as a schema that stands alone carries them. */
type Definitions = Record<string, unknown>;

/**
 * The same schema for JSON Schema alone: no format that only OpenAPI knows, and no reference into its
 * document.
 */
function selfContained(schema: unknown, definitions: Definitions): unknown {
  if (Array.isArray(schema)) return schema.map((one) => selfContained(one, definitions));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref } = schema as { $ref?: unknown };
  if (typeof $ref === 'string') {
    const name = $ref.replace(REFERENCE, '');
    definitions[name] ??= selfContained(document.components.schemas[name], definitions);
    return { $ref: `#/$defs/${name}` };
  }
  const members = Object.entries(schema).filter(([name, value]) => !(name === 'format' && value === 'int64'));
  return Object.fromEntries(members.map(([name, value]) => [name, selfContained(value, definitions)]));
}

function operationAt(path: string) {
  const operation = document.paths[path]?.get;
  if (operation === undefined) throw new Error(`The contract has no ${path}.`);
  return operation;
}

/** The JSON schema of what a path answers. */
export function answerSchema(path: string): JsonSchema {
  const answer = operationAt(path).responses['200'];
  const content = answer !== undefined && 'content' in answer ? answer.content : undefined;
  const $defs: Definitions = {};
  const { $ref = '' } = (content?.['application/json']?.schema ?? {}) as { $ref?: string };
  const schema = selfContained(document.components.schemas[$ref.replace(REFERENCE, '')], $defs) as JsonSchema;
  return { ...schema, $defs };
}

/**
 * What a tool takes: the parameters of a path, times as people write them, and a span for each pair of times.
 */
export function inputSchema(list: List, path: string, more: Record<string, JsonSchema> = {}): JsonSchema {
  const properties: Record<string, unknown> = {};
  for (const parameter of operationAt(path).parameters) {
    if (!('in' in parameter) || parameter.in !== 'query' || parameter.name === CURSOR) continue;
    const { name, schema, description } = parameter;
    if (list.fields[list.filters[name]?.field ?? '']?.kind === 'timestamp') {
      properties[name] = { type: 'string', description: TIMES };
    } else {
      properties[name] = { ...withoutPatterns(schema), description };
    }
  }
  for (const stem of spanStems(list)) {
    const description = `Both \`${stem}_after\` and \`${stem}_before\` at once, for a whole span: ${SPANS}.`;
    properties[stem] = { type: 'string', description };
  }
  return { type: 'object', properties: { ...properties, ...more }, additionalProperties: false };
}

/** The contract's own parser says better what is wrong with a text than a pattern does. */
function withoutPatterns(schema: Schema): object {
  const members = Object.entries(schema).filter(([name]) => name !== 'pattern' && name !== 'items');
  const alone = selfContained(Object.fromEntries(members), {}) as object;
  return schema.items === undefined ? alone : { ...alone, items: withoutPatterns(schema.items) };
}

/** A page whose items have only the fields that were chosen. */
export function pageSchemaOf(list: List): JsonSchema {
  const { $defs, ...page } = answerSchema(list.path) as { $defs: Record<string, object> };
  const items = Object.entries($defs).map(([name, schema]) => [name, { ...schema, required: [] }]);
  return { ...page, $defs: Object.fromEntries(items) };
}
