// The tools of an agent for the account and those below it, and the argument by which each tool reads one of
// them.

import { accounts } from '../contract/accounts.ts';
import { accountsParameters } from '../openapi/parameters.ts';
import type { Schema } from '../openapi/schemas.ts';
import { brief, MAX_PAGE_SIZE, Refused, type Tool, takes } from './input.ts';

export const accountTool: Tool = {
  name: 'account',
  title: 'The account',
  description: 'Whose account it is, its currency, how many items it has, when anything last changed.',
  input: takes({}),
  read: (client, _given, signal) => client.account({ signal }),
};

export const accountsTool: Tool = {
  name: accounts.name,
  title: 'The accounts below',
  description: 'The accounts directly below, by id: how many items and accounts each has.',
  input: takes(
    Object.fromEntries(accountsParameters(MAX_PAGE_SIZE).map(({ name, schema }) => [name, brief(schema)])),
  ),
  async read(client, given, signal) {
    const { data, page, page_size, total, total_pages } = await client.accounts(given, { signal });
    return { data, page, page_size, total, total_pages };
  },
};

export const webhooksTool: Tool = {
  name: 'webhooks',
  title: 'Webhooks',
  description: 'Webhook endpoints: events, status, last attempts.',
  input: takes({}),
  read: async (client, _given, signal) => ({ data: await client.webhooks({ signal }) }),
};

/** Explained by the instructions, because every tool has it. */
const ACCOUNT: Schema = { type: 'string' };

/** The tool with the argument that names the account. */
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
