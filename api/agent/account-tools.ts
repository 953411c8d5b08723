// The tools of an agent for the account, what has happened on it and those below it, and the argument by
// which each tool reads one of them.

import { accounts } from '../contract/accounts.ts';
import { type ActivityEntry, type ActivityQuery, activity } from '../contract/activity.ts';
import { lists } from '../contract/contract.ts';
import type { List } from '../contract/list.ts';
import { parametersOf } from '../openapi/parameters.ts';
import type { Schema } from '../openapi/schemas.ts';
import {
  brief,
  MAX_ANSWER_CHARACTERS,
  MAX_PAGE_SIZE,
  PAST_SPAN,
  paramsOf,
  propertiesOf,
  Refused,
  spanOf,
  type Tool,
  takes,
  weightOf,
} from './input.ts';

export const accountTool: Tool = {
  name: 'account',
  title: 'The account',
  description: 'Whose account it is, its currency, how many items it has, when anything last changed.',
  input: takes({}),
  read: (client, _given, signal) => client.account({ signal }),
};

/** An entry with its items in place of ids: each with what it is called, as items of its list have it. */
function withNames({ at, list, event, count, items }: ActivityEntry) {
  const name = Object.values<List>(lists).find((one) => one.name === list)?.label ?? 'label';
  const named = items.map(({ id, label, ...fromTo }) => ({
    id,
    ...(label !== undefined && { [name]: label }),
    ...fromTo,
  }));
  return { at, list, event, count, items: named };
}

/** Without `at`, everything that is known. */
export const activityTool: Tool = {
  name: 'activity',
  title: 'What has happened',
  description:
    'What happened to items, newest first, by import, and to which. `since`: from when on everything is known.',
  input: takes({
    ...propertiesOf(activity, 'activity', ['lists', 'events', 'ids']),
    at: PAST_SPAN,
    cursor: { type: 'string', description: 'From the answer before: what was earlier' },
  }),
  async read(client, { at, ...given }, signal) {
    const bounds = at === undefined ? {} : spanOf(at, true);
    if (typeof bounds === 'string') throw new Refused(`at must be ${bounds}.`);
    const params: ActivityQuery = paramsOf(activity, { ...given, ...bounds }, 'activity');
    // Entries with many items are long: the page gets smaller until it fits.
    for (let page_size = MAX_PAGE_SIZE; ; page_size = Math.floor(page_size / 2)) {
      const page = await client.activity({ ...params, page_size }, { signal });
      const { since, next: cursor } = page;
      const data = page.data.map(withNames);
      const answer = { since, ...(cursor === undefined ? {} : { cursor }), data };
      if (page_size === 1 || weightOf(answer) <= MAX_ANSWER_CHARACTERS) return answer;
    }
  },
};

export const accountsTool: Tool = {
  name: accounts.name,
  title: 'The accounts below',
  description: 'The accounts directly below, by id: how many items and accounts each has.',
  input: takes(
    Object.fromEntries(
      parametersOf(accounts, MAX_PAGE_SIZE, 'accounts').map(({ name, schema }) => [name, brief(schema)]),
    ),
  ),
  async read(client, given, signal) {
    const { data, page, page_size, total, total_pages } = await client.accounts(given, { signal });
    return { data, page, page_size, total, total_pages };
  },
};

export const webhooksTool: Tool = {
  name: 'webhooks',
  title: 'Webhooks',
  description: 'Webhooks: events, status, last attempts; more of one by `id`.',
  input: takes({ id: { type: 'string' } }),
  async read(client, { id }, signal) {
    if (id === undefined) return { data: await client.webhooks({ signal }) };
    if (typeof id !== 'string') throw new Refused('id must be the id of a webhook, as text.');
    return client.webhook(id, { signal });
  },
};

const ACCOUNT: Schema = { type: 'string', description: 'Id of one below' };

export function ofAnyAccount(tool: Tool): Tool {
  const { input } = tool;
  return {
    ...tool,
    input: { ...input, properties: { ...input.properties, account: ACCOUNT } },
    read(client, { account, ...given }, signal) {
      if (account === undefined) return tool.read(client, given, signal);
      if (typeof account !== 'string') throw new Refused('account must be the id of an account, as text.');
      return tool.read(client.account(account), given, signal);
    },
  };
}
