// What an agent may read, and how an answer stays small: two tools to a list, facets first, made from the
// contract. It must not know how the protocol travels.

import type { Facet } from '@linecard/client';
import { lists } from '@linecard/client/contract';
import { facetsPath } from '@linecard/client/contract/facets';
import type { List } from '@linecard/client/contract/list';
import { Problem } from '@linecard/client/contract/problems';
import { QueryParser } from '@linecard/client/contract/query-parser';
import { nearest } from '@linecard/client/contract/suggestion';
import { columnsByWeight } from './columns.ts';
import { type AnyFacets, connect } from './connect.ts';
import { explain } from './explain.ts';
import { answerSchema, inputSchema, type JsonSchema, MAX_PAGE_SIZE, pageSchemaOf } from './mcp-schemas.ts';
import { type ListParams, spanStems } from './options.ts';
import { readSpan, readTime, SPAN_FORM } from './times.ts';

/** What one answer may weigh, in characters of JSON. */
const MAX_ANSWER_CHARACTERS = 20_000;
/** How many fields an item has where none were chosen. */
const USUAL_FIELDS = 8;
const FIELDS = 'fields';

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: JsonSchema;
  readonly output: JsonSchema;
  /** @throws {Problem} {TooHeavy} {Failed} */
  call(given: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<object>;
}

/** An answer over the limit; the message says how to ask for less. */
class TooHeavy extends Error {}

/** Times as people write them become timestamps; what is no time is left for the parser to refuse. */
function timesRead(list: List, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const read: Record<string, unknown> = { ...given };
  for (const [name, { test }] of Object.entries(list.filters)) {
    const text = read[name];
    if (test !== 'any' && test !== 'is' && test !== 'numbers' && typeof text === 'string')
      read[name] = readTime(text, test) ?? text;
  }
  for (const stem of spanStems(list)) {
    const text = read[stem];
    if (text === undefined) continue;
    const bounds = typeof text === 'string' ? readSpan(text) : undefined;
    if (bounds === undefined) throw new Problem('invalid-parameter', `${stem} must be ${SPAN_FORM}.`);
    delete read[stem];
    read[`${stem}_after`] = bounds.after;
    read[`${stem}_before`] = bounds.before;
  }
  return read;
}

/**
 * The parameters of a request, all faults reported at once by the contract's own parser.
 * @throws {Problem} `invalid-parameter`
 */
function paramsFrom(
  list: List,
  given: Readonly<Record<string, unknown>>,
  use: 'page' | 'facets',
): ListParams {
  const params = timesRead(list, given);
  new QueryParser(list, MAX_PAGE_SIZE, use).ofJson(JSON.stringify(params));
  return params as ListParams;
}

function fieldsFrom(list: List, given: unknown): string[] {
  const known = Object.keys(list.fields);
  if (given === undefined) return usualFields(list);
  const names = Array.isArray(given) ? given.map(String) : [];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined && names.length > 0) return names;
  const meant = nearest(unknown ?? '', known);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new Problem('invalid-parameter', `${FIELDS} must be a list of ${known.join(', ')}.${hint}`);
}

function usualFields(list: List): string[] {
  return [...new Set(['id', ...columnsByWeight(list).slice(0, USUAL_FIELDS)])];
}

function facetsTool(list: List): Tool {
  const things = list.title.toLowerCase();
  const path = facetsPath(list);
  return {
    name: `${list.name}_facets`,
    title: `${list.title}: what there is`,
    description: `Ask this first. How many ${things} the account has, what they cost together, what falls due within 7 and 30 days (overdue included), and the values there are to filter by, each with its count. It often answers the question by itself: how many, how much, which countries. Takes the filters of ${list.name}_list.`,
    input: inputSchema(list, path),
    output: answerSchema(path),
    async call(given, signal) {
      const params = paramsFrom(list, given, 'facets');
      return lightened(await (await connect(list)).facets(params, { signal }));
    },
  };
}

/** Facets within the limit: where there are too many values, the rarest are counted among the others. */
function lightened(facets: AnyFacets): AnyFacets {
  let light = facets;
  for (
    let most = 64;
    JSON.stringify(light).length > MAX_ANSWER_CHARACTERS && most >= 1;
    most = Math.floor(most / 2)
  ) {
    const shortened = Object.entries(light.facets).map(([name, { values, others }]): [string, Facet] => {
      const rest = values.slice(most).reduce((sum, { count }) => sum + count, 0);
      return [name, { values: values.slice(0, most), others: others + rest }];
    });
    light = { ...light, facets: Object.fromEntries(shortened) };
  }
  return light;
}

function listTool(list: List): Tool {
  const fields = Object.keys(list.fields);
  const usual = usualFields(list);
  return {
    name: `${list.name}_list`,
    title: list.title,
    description: `${list.about} One page of them: \`total\` says how many match over all pages, so never take a page for the whole; \`page\` gives the next one. Ask ${list.name}_facets first for counts, sums and the values to filter by, then filter, and choose only the \`${FIELDS}\` you need. An answer over ${MAX_ANSWER_CHARACTERS} characters is refused.`,
    input: inputSchema(list, list.path, {
      [FIELDS]: {
        type: 'array',
        items: { type: 'string', enum: fields },
        description: `Which fields each item has. Left out: ${usual.join(', ')}.`,
      },
    }),
    output: pageSchemaOf(list),
    async call({ [FIELDS]: chosen, ...given }, signal) {
      const params = paramsFrom(list, given, 'page');
      const names = fieldsFrom(list, chosen);
      const {
        data: rows,
        page: number,
        page_size,
        total,
        total_pages,
      } = await (await connect(list)).list(params, { signal });
      const items = rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null])));
      const answer = { data: items, page: number, page_size, total, total_pages };
      const weight = JSON.stringify(answer).length;
      if (weight <= MAX_ANSWER_CHARACTERS) return answer;
      const size = Math.max(1, Math.floor((items.length * MAX_ANSWER_CHARACTERS * 0.9) / weight));
      throw new TooHeavy(
        `The answer would weigh ${weight} characters, and ${MAX_ANSWER_CHARACTERS} is the limit. Ask again with page_size ${size}, or with fewer ${FIELDS}, such as ["id", "monthly"].`,
      );
    },
  };
}

/** The facets stand before the lists. */
export const tools: readonly Tool[] = [
  ...Object.values(lists).map(facetsTool),
  ...Object.values(lists).map(listTool),
];

/** What to tell an agent about an error, with the fix. */
export function explainToAgent(error: unknown): string {
  if (error instanceof TooHeavy) return error.message;
  if (error instanceof Problem && error.faults !== undefined)
    return error.faults.map(({ detail }) => detail).join('\n');
  return explain(error).message;
}
