// The tools of an agent, which read the account, what has happened, and for each list facets, items, one item
// and changes; and how answers stay small. Independent of the transport (standard input, HTTP).

import { type AnyFacets, currencyOf, fieldsByWeight, type ListParams, listOf } from '../client/any-list.ts';
import { itemsByNumber } from '../client/by-number.ts';
import type { Client } from '../client/client.ts';
import { SINCE_NOW } from '../contract/changes.ts';
import { lists } from '../contract/contract.ts';
import type { Item } from '../contract/csv.ts';
import { plainNumber } from '../contract/digits.ts';
import type { Facet } from '../contract/facets.ts';
import type { List } from '../contract/list.ts';
import { ownFieldsOf, ownTitle } from '../contract/own-fields.ts';
import { Problem } from '../contract/problems.ts';
import { hasRanges } from '../contract/ranges.ts';
import type { Schema } from '../openapi/schemas.ts';
import { accountsTool, accountTool, activityTool, ofAnyAccount, webhooksTool } from './account-tools.ts';
import { checkTool } from './check-tool.ts';
import {
  isSecond,
  MAX_ANSWER_CHARACTERS,
  MAX_PAGE_SIZE,
  paramsOf,
  propertiesOf,
  Refused,
  shortPage,
  type Tool,
  takes,
  weightOf,
} from './input.ts';
import { rangesTool } from './ranges-tool.ts';

const TOO_LONG_ITEM = `The answer would weigh over ${MAX_ANSWER_CHARACTERS} characters. Ask again with fewer fields, such as ["id", "frequency"].`;
const noSuch = ({ one }: List, by: string) => `This account has no ${one} of that ${by}.`;
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

/** The names of the fields, those by default, and what the operator's own are. */
function fieldsProperty(list: List, otherwise: string): Record<string, Schema> {
  const { fields = {} } = propertiesOf(list, 'item');
  const titles = ownFieldsOf(list).map((own) => `${own.name} is ${ownTitle(own)}`);
  const description = [fields.description, `Default: ${otherwise}`, ...titles].join('. ');
  return { fields: { ...fields, description } };
}

function facetsTool(list: List): Tool {
  return {
    name: `${list.name}_facets`,
    title: `${list.title}: what there is`,
    description: `Ask this first. How many match, sums of their charges (whatever their status), what falls due within 7 and 30 days (overdue included), and the values to filter by, with counts. Takes every filter of ${list.name}_list.`,
    input: takes(propertiesOf(list, 'facets')),
    unlisted: Object.keys(list.filters).filter((name) => isSecond(list, name)),
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
    description: `${list.about} One page; \`total\` counts all matches. Ask ${list.name}_facets first, and choose few \`fields\`: over ${MAX_ANSWER_CHARACTERS} characters are refused.`,
    input: takes({
      ...propertiesOf(list, 'page'),
      ...fieldsProperty(list, usual.join(', ')),
    }),
    async read(client, given, signal) {
      const params = paramsOf(list, given, 'page');
      const [{ data, page, page_size, total, total_pages }, currency = null] = await Promise.all([
        listOf(client, list).list(params, { signal }),
        currencyOf(client, signal),
      ]);
      const items = data.map((item) => only(item, params, usual));
      const answer = { currency, data: items, page, page_size, total, total_pages };
      return shortPage(answer, ', or with fewer fields, such as ["id", "frequency"]');
    },
  };
}

const ID: Schema = { type: 'integer', minimum: 1 };
/** Their names are in the list's tool. */
const FIELDS: Schema = { type: 'array', items: { type: 'string' }, description: 'As of the list' };
const NUMBER: Schema = { type: 'string', description: 'Instead of id: a phone number, in any spelling' };

/** @throws {Problem} {Refused} */
async function foundByNumber(
  list: List,
  client: Client,
  number: unknown,
  params: ListParams,
  signal: AbortSignal,
): Promise<{ items: readonly Item[]; note?: string }> {
  if (typeof number !== 'string' || plainNumber(number) === undefined)
    throw new Refused('number must be a telephone number such as +44 20 7946 0018.');
  const read = listOf(client, list);
  const { items, isAmbiguous } = await itemsByNumber(
    (query, call) => read.list(query, call),
    list,
    number,
    params,
    MAX_PAGE_SIZE,
    { signal },
  );
  if (items.length === 0) return { items, note: `${noSuch(list, 'number')} Search for a part of it with q.` };
  return isAmbiguous ? { items, note: SEVERAL } : { items };
}

/**
 * That there is none is an answer, and no error.
 * @throws {Problem} {Refused}
 */
async function foundById(
  list: List,
  client: Client,
  id: unknown,
  params: ListParams,
  signal: AbortSignal,
): Promise<{ item: Item | null; note?: string }> {
  if (!Number.isSafeInteger(id) || Number(id) < 1)
    throw new Refused('id must be an integer from 1, such as a list gives it.');
  try {
    return { item: await listOf(client, list).get(Number(id), params, { signal }) };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not-found') throw error;
    return { item: null, note: noSuch(list, 'id') };
  }
}

function getTool(list: List): Tool {
  const isByNumber = list.searchDigits !== undefined;
  const properties = { id: ID, ...(isByNumber && { number: NUMBER }), fields: FIELDS };
  const shown = (item: Item, params: ListParams) => only(item, params, Object.keys(list.fields));
  return {
    name: `${list.name}_get`,
    title: `One ${list.one}`,
    description: `The ${list.one} of an id${isByNumber ? ', or those of a telephone number' : ''}; \`note\` says where there is none.`,
    input: takes(properties, isByNumber ? [] : ['id']),
    async read(client, { id, number, ...given }, signal) {
      const params = paramsOf(list, given, 'item');
      if (id !== undefined && number !== undefined) throw new Refused('Give id or number, not both.');
      const [found, currency = null] = await Promise.all([
        number === undefined
          ? foundById(list, client, id, params, signal)
          : foundByNumber(list, client, number, params, signal),
        currencyOf(client, signal),
      ]);
      const answer =
        'items' in found
          ? { currency, ...found, items: found.items.map((item) => shown(item, params)) }
          : { currency, ...found, item: found.item && shown(found.item, params) };
      if (weightOf(answer) <= MAX_ANSWER_CHARACTERS) return answer;
      throw new Refused(TOO_LONG_ITEM);
    },
  };
}

/** One tool for both lists, without filters: each schema takes space in the agent's context. */
const changesTool = (all: readonly List[]): Tool => ({
  name: 'changes_since',
  title: 'What has changed',
  description:
    'Items that changed since a token, as they are now; item null: gone. Without `since`, a token for now. While `more`, ask again with the new `since`; then keep it.',
  input: takes(
    {
      list: { type: 'string', description: all.map(({ name }) => name).join(' or ') },
      since: { type: 'string', description: 'From the answer before' },
      fields: FIELDS,
    },
    ['list'],
  ),
  async read(client, { list: name, ...given }, signal) {
    const list = all.find((one) => one.name === name);
    if (list === undefined)
      throw new Refused(`list must be one of ${all.map((one) => one.name).join(', ')}.`);
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
});

/** The tools for lists with what is declared of them. Agents try them in this order, so facets come first. */
export const toolsOf = (all: readonly List[]): readonly Tool[] =>
  [
    accountTool,
    ...all.map(facetsTool),
    ...all.map(listTool),
    ...all.map(getTool),
    ...all.filter(hasRanges).map(rangesTool),
    checkTool,
    changesTool(all),
    activityTool,
    accountsTool,
    webhooksTool,
  ].map(ofAnyAccount);

/** Those of a deployment without own fields. */
export const tools: readonly Tool[] = toolsOf(Object.values(lists));
