// What an agent may read, and how an answer stays small: the account, and of each list facets, items and one
// item, and what has changed, made from the contract.

import type { Facet } from '@linecard/client';
import { lists, virtual_numbers } from '@linecard/client/contract';
import type { Item } from '@linecard/client/contract/csv';
import type { List } from '@linecard/client/contract/list';
import { columnsByWeight } from './columns.ts';
import { type AnyFacets, connect } from './connect.ts';
import { explain } from './explain.ts';
import {
  fieldsFrom,
  type Given,
  idFrom,
  listFrom,
  mustBeTaken,
  paramsFrom,
  sinceFrom,
  WrongArguments,
} from './mcp-arguments.ts';
import {
  FIELDS,
  fieldsProperty,
  filterProperties,
  type JsonSchema,
  MAX_PAGE_SIZE,
  pageProperties,
  takes,
} from './mcp-schemas.ts';

/** What one answer may weigh, in characters of JSON. */
const MAX_ANSWER_CHARACTERS = 20_000;
const TOO_HEAVY_ITEM = `The answer would weigh over ${MAX_ANSWER_CHARACTERS} characters. Ask again with fewer ${FIELDS}, such as ["id", "monthly"].`;
/** How many fields an item has where none were chosen. */
const USUAL_FIELDS = 8;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: JsonSchema;
  /** @throws {Problem} {TooHeavy} {WrongArguments} {Failed} */
  call(given: Given, signal: AbortSignal): Promise<object>;
}

/** An answer over the limit; the message says how to ask for less. */
class TooHeavy extends Error {}

function weightOf(answer: object): number {
  return JSON.stringify(answer).length;
}

function usualFields(list: List): string[] {
  return [...new Set(['id', ...columnsByWeight(list).slice(0, USUAL_FIELDS)])];
}

const only = (item: Item, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, item[name] ?? null]));

function facetsTool(list: List): Tool {
  return {
    name: `${list.name}_facets`,
    title: `${list.title}: what there is`,
    description: `Ask this first. How many ${list.title.toLowerCase()} match, the sums of their charges (of all that match, whatever their status), what falls due within 7 and 30 days (overdue included), and the values to filter by with their counts.`,
    input: takes(filterProperties(list)),
    async call(given, signal) {
      const params = paramsFrom(list, given, 'facets');
      const { items } = await connect(list);
      return lightened(await items.facets(params, { signal }));
    },
  };
}

/** Facets within the limit: where there are too many values, the rarest are counted among the others. */
function lightened(facets: AnyFacets): AnyFacets {
  let light = facets;
  for (let most = 64; weightOf(light) > MAX_ANSWER_CHARACTERS && most >= 1; most = Math.floor(most / 2)) {
    const shortened = Object.entries(light.facets).map(([name, { values, others }]): [string, Facet] => {
      const rest = values.slice(most).reduce((sum, { count }) => sum + count, 0);
      return [name, { values: values.slice(0, most), others: others + rest }];
    });
    light = { ...light, facets: Object.fromEntries(shortened) };
  }
  return light;
}

function listTool(list: List): Tool {
  const usual = usualFields(list);
  return {
    name: `${list.name}_list`,
    title: list.title,
    description: `${list.about} One page: \`total\` says how many match over all pages, so never take a page for the whole. Ask ${list.name}_facets first, then filter, and choose only the \`${FIELDS}\` you need: over ${MAX_ANSWER_CHARACTERS} characters are refused.`,
    input: takes({
      ...filterProperties(list),
      ...pageProperties(list),
      ...fieldsProperty(list, usual.join(', ')),
    }),
    async call({ [FIELDS]: chosen, ...given }, signal) {
      const params = paramsFrom(list, given, 'page');
      const names = fieldsFrom(list, chosen, usual);
      const connection = await connect(list);
      const [page, currency = null] = await Promise.all([
        connection.items.list(params, { signal }),
        connection.currency({ signal }),
      ]);
      const { data, page: number, page_size, total, total_pages } = page;
      const items = data.map((item) => only(item, names));
      const answer = { currency, data: items, page: number, page_size, total, total_pages };
      const weight = weightOf(answer);
      if (weight <= MAX_ANSWER_CHARACTERS) return answer;
      const size = Math.max(1, Math.floor((items.length * MAX_ANSWER_CHARACTERS * 0.9) / weight));
      throw new TooHeavy(
        `The answer would weigh ${weight} characters, and ${MAX_ANSWER_CHARACTERS} is the limit. Ask again with page_size ${size}, or with fewer ${FIELDS}, such as ["id", "monthly"].`,
      );
    },
  };
}

function getTool(list: List): Tool {
  return {
    name: `${list.name}_get`,
    title: `One ${list.one}`,
    description: `The ${list.one} of an id.`,
    input: takes({ id: { type: 'integer', minimum: 1 }, ...fieldsProperty(list, 'all') }, ['id']),
    async call(given, signal) {
      const id = idFrom(given['id']);
      const names = fieldsFrom(list, given[FIELDS], Object.keys(list.fields));
      const connection = await connect(list);
      const [item, currency = null] = await Promise.all([
        connection.items.get(id, {}, { signal }),
        connection.currency({ signal }),
      ]);
      const answer = { currency, item: only(item, names) };
      if (weightOf(answer) <= MAX_ANSWER_CHARACTERS) return answer;
      throw new TooHeavy(TOO_HEAVY_ITEM);
    },
  };
}

/** One tool for all lists, without filters: it must not take much room in what an agent reads. */
const changesTool: Tool = {
  name: 'changes_since',
  title: 'What has changed',
  description:
    'Which items have changed since a token, as they are now; item null: gone. Without `since`, a token for now. Where `more` is true, ask again with the `since` of the answer; else keep it for next time.',
  input: takes(
    {
      list: { type: 'string', enum: Object.keys(lists) },
      since: { type: 'string', description: 'From the answer before' },
      [FIELDS]: { type: 'array', items: { type: 'string' }, description: 'Left out: as of the list' },
    },
    ['list'],
  ),
  async call(given, signal) {
    const list = listFrom(given['list']);
    const names = fieldsFrom(list, given[FIELDS], usualFields(list));
    const since = sinceFrom(given['since']);
    const { items } = await connect(list);
    for (let page_size = MAX_PAGE_SIZE; ; page_size = Math.floor(page_size / 2)) {
      const page = await items.changes({ since, page_size }, { signal });
      const data = page.data.map(({ id, item }) => ({ id, item: item && only(item, names) }));
      const answer = { since: page.since, more: page.more, total: page.total, data };
      if (weightOf(answer) <= MAX_ANSWER_CHARACTERS) return answer;
      if (page_size === 1) throw new TooHeavy(TOO_HEAVY_ITEM);
    }
  },
};

const accountTool: Tool = {
  name: 'account',
  title: 'The account',
  description:
    'Whose account it is, the currency of all its charges, how many items it has, when anything last changed.',
  input: takes({}),
  async call(_given, signal) {
    const connection = await connect(virtual_numbers);
    return connection.account({ signal });
  },
};

/** The facets stand before the lists. */
export const tools: readonly Tool[] = [
  accountTool,
  ...Object.values(lists).map(facetsTool),
  ...Object.values(lists).map(listTool),
  ...Object.values(lists).map(getTool),
  changesTool,
].map((tool) => ({
  ...tool,
  async call(given, signal) {
    mustBeTaken(tool.name, tool.input, given);
    return tool.call(given, signal);
  },
}));

/** What to tell an agent about an error, with the fix. */
export function explainToAgent(error: unknown): string {
  return error instanceof TooHeavy || error instanceof WrongArguments
    ? error.message
    : explain(error, (parameter) => parameter).message;
}
