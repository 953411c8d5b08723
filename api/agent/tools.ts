// The tools of an agent, which read the account, what has happened, and for each list facets, items, one item
// and changes; and how answers stay small. Independent of the transport (standard input, HTTP).

import { type AnyFacets, currencyOf, fieldsByWeight, type ListParams, listOf } from '../client/any-list.ts';
import { type FoundByNumber, itemsByNumber } from '../client/by-number.ts';
import type { Client } from '../client/client.ts';
import { SINCE_NOW } from '../contract/changes.ts';
import { lists } from '../contract/contract.ts';
import type { Item } from '../contract/csv.ts';
import { plainNumber } from '../contract/digits.ts';
import type { Facet } from '../contract/facets.ts';
import type { List } from '../contract/list.ts';
import type { Schema } from '../openapi/schemas.ts';
import { accountsTool, accountTool, activityTool, ofAnyAccount, webhooksTool } from './account-tools.ts';
import { checkTool } from './check-tool.ts';
import {
  type Given,
  MAX_ANSWER_CHARACTERS,
  MAX_PAGE_SIZE,
  paramsOf,
  propertiesOf,
  Refused,
  type Tool,
  takes,
  weightOf,
} from './input.ts';

const TOO_LONG_ITEM = `The answer would weigh over ${MAX_ANSWER_CHARACTERS} characters. Ask again with fewer fields, such as ["id", "frequency"].`;
const SEVERAL =
  'Several numbers end with these digits: which one is meant, a number with its country code says.';
/** Fields of an item where none were chosen. */
const USUAL_FIELDS = 8;

function usualFields(list: List): string[] {
  return [...new Set(['id', ...fieldsByWeight(list).slice(0, USUAL_FIELDS)])];
}

/** An item with the chosen fields, in their order, or with default ones: those that the token sees. */
function only(item: Item, { fields }: ListParams, otherwise: readonly string[]): Item {
  const names = (fields ?? otherwise) as readonly string[];
  return Object.fromEntries(names.filter((name) => name in item).map((name) => [name, item[name] ?? null]));
}

function withFields(list: List, otherwise: string): Record<string, Schema> {
  const { fields } = propertiesOf(list, 'item');
  return { fields: { ...fields, description: `Left out: ${otherwise}` } };
}

function facetsTool(list: List): Tool {
  return {
    name: `${list.name}_facets`,
    title: `${list.title}: what there is`,
    description: `Ask this first. How many match, the sums of their charges (whatever their status), what falls due within 7 and 30 days (overdue included), and the values to filter by with counts. \`due_days\` adds every payment by day, repetitions included, in money.`,
    input: takes(propertiesOf(list, 'facets')),
    async read(client, given, signal) {
      return shortened(await listOf(client, list).facets(paramsOf(list, given, 'facets'), { signal }));
    },
  };
}

/** Where there are too many values, the rarest are added to the others. */
function shortened(facets: AnyFacets): AnyFacets {
  let short = facets;
  for (let most = 64; weightOf(short) > MAX_ANSWER_CHARACTERS && most >= 1; most = Math.floor(most / 2)) {
    const fewer = Object.entries(short.facets).map(([name, { values, others }]): [string, Facet] => {
      const rest = values.slice(most).reduce((sum, { count }) => sum + count, 0);
      return [name, { values: values.slice(0, most), others: others + rest }];
    });
    short = { ...short, facets: Object.fromEntries(fewer) };
  }
  return short;
}

function listTool(list: List): Tool {
  const usual = usualFields(list);
  return {
    name: `${list.name}_list`,
    title: list.title,
    description: `${list.about} One page: \`total\` says how many match over all pages, so never take a page for the whole. Ask ${list.name}_facets first, filter, and choose only the \`fields\` you need: over ${MAX_ANSWER_CHARACTERS} characters are refused.`,
    input: takes({
      ...propertiesOf(list, 'page'),
      ...withFields(list, usual.join(', ')),
    }),
    async read(client, given, signal) {
      const params = paramsOf(list, given, 'page');
      const [{ data, page, page_size, total, total_pages }, currency = null] = await Promise.all([
        listOf(client, list).list(params, { signal }),
        currencyOf(client, signal),
      ]);
      const items = data.map((item) => only(item, params, usual));
      const answer = { currency, data: items, page, page_size, total, total_pages };
      const weight = weightOf(answer);
      if (weight <= MAX_ANSWER_CHARACTERS) return answer;
      const size = Math.max(1, Math.floor((items.length * MAX_ANSWER_CHARACTERS * 0.9) / weight));
      throw new Refused(
        `The answer would weigh ${weight} characters, and ${MAX_ANSWER_CHARACTERS} is the limit. Ask again with page_size ${size}, or with fewer fields, such as ["id", "frequency"].`,
      );
    },
  };
}

const ID: Schema = { type: 'integer', minimum: 1 };
const NUMBER: Schema = { type: 'string', description: 'Instead of id: a phone number, in any spelling' };

/**
 * The item of an id, or all that have a telephone number.
 * @throws {Problem} {Refused}
 */
async function foundBy(
  list: List,
  client: Client,
  { id, number }: Given,
  params: ListParams,
  signal: AbortSignal,
): Promise<FoundByNumber> {
  if (number === undefined) {
    if (!Number.isSafeInteger(id) || Number(id) < 1)
      throw new Refused('id must be an integer from 1, such as a list gives it.');
    return { items: [await listOf(client, list).get(Number(id), params, { signal })], isAmbiguous: false };
  }
  if (id !== undefined) throw new Refused('Give id or number, not both.');
  if (typeof number !== 'string' || plainNumber(number) === undefined)
    throw new Refused('number must be a telephone number such as +44 20 7946 0018.');
  const found = await itemsByNumber(client, list, number, params, MAX_PAGE_SIZE, signal);
  if (found.items.length > 0) return found;
  throw new Refused(`No ${list.one} of this account has that number. Search for a part of it with q.`);
}

function getTool(list: List): Tool {
  const isByNumber = list.searchDigits !== undefined;
  const properties = { id: ID, ...(isByNumber && { number: NUMBER }), ...withFields(list, 'all') };
  return {
    name: `${list.name}_get`,
    title: `One ${list.one}`,
    description: `The ${list.one} of an id${isByNumber ? ', or those of a telephone number' : ''}.`,
    input: takes(properties, isByNumber ? [] : ['id']),
    async read(client, { id, number, ...given }, signal) {
      const params = paramsOf(list, given, 'item');
      const [found, currency = null] = await Promise.all([
        foundBy(list, client, { id, number }, params, signal),
        currencyOf(client, signal),
      ]);
      const items = found.items.map((item) => only(item, params, Object.keys(list.fields)));
      const answer = {
        currency,
        ...(number === undefined ? { item: items[0] } : { items }),
        ...(found.isAmbiguous && { note: SEVERAL }),
      };
      if (weightOf(answer) <= MAX_ANSWER_CHARACTERS) return answer;
      throw new Refused(TOO_LONG_ITEM);
    },
  };
}

/** One tool for both lists, without filters: each schema takes space in the agent's context. */
const changesTool: Tool = {
  name: 'changes_since',
  title: 'What has changed',
  description:
    'Which items have changed since a token, as they are now; item null: gone. Without `since`, a token for now. Where `more` is true, ask again with its `since`; else keep that for next time.',
  input: takes(
    {
      list: { type: 'string', enum: Object.keys(lists) },
      since: { type: 'string', description: 'From the answer before' },
      fields: { type: 'array', items: { type: 'string' }, description: 'Left out: as of the list' },
    },
    ['list'],
  ),
  async read(client, { list: name, ...given }, signal) {
    const list = Object.values<List>(lists).find((one) => one.name === name);
    if (list === undefined) throw new Refused(`list must be one of ${Object.keys(lists).join(', ')}.`);
    const params = paramsOf(list, { since: SINCE_NOW, ...given }, 'changes');
    for (let page_size = MAX_PAGE_SIZE; ; page_size = Math.floor(page_size / 2)) {
      const page = await listOf(client, list).changes({ ...params, page_size }, { signal });
      const data = page.data.map(({ id, item }) => ({
        id,
        item: item && only(item, params, usualFields(list)),
      }));
      const answer = { since: page.since, more: page.more, total: page.total, data };
      if (weightOf(answer) <= MAX_ANSWER_CHARACTERS) return answer;
      if (page_size === 1) throw new Refused(TOO_LONG_ITEM);
    }
  },
};

/** Agents try tools in this order, so facets come first. */
export const tools: readonly Tool[] = [
  accountTool,
  ...Object.values(lists).map(facetsTool),
  ...Object.values(lists).map(listTool),
  ...Object.values(lists).map(getTool),
  checkTool,
  changesTool,
  activityTool,
  accountsTool,
  webhooksTool,
].map(ofAnyAccount);
