// `linecard webhooks`: the webhook endpoints of the account, and how each is doing.

import type { Webhook } from '@linecard/client';
import { activity } from '@linecard/client/contract/activity';
import type { Item } from '@linecard/client/contract/csv';
import type { Field, List } from '@linecard/client/contract/list';
import { WEBHOOK_MEMBERS } from '@linecard/client/contract/webhooks';
import { connect } from './connect.ts';
import { printTable } from './list.ts';
import type { GivenOptions } from './options.ts';
import { printJson } from './print.ts';

const TEXTS = ['id', 'name', 'url', 'events', 'status'] as const;
const TIMES = ['succeeded_at', 'failing_since', 'next_at'] as const;

const fieldOf = (kind: Field['kind'], name: keyof Webhook): [string, Field] => [
  name,
  { kind, about: WEBHOOK_MEMBERS[name], example: '', nullable: true },
];

/** An endpoint as a row of a table. */
const ROWS: List = {
  ...activity,
  name: 'webhooks',
  title: 'Webhooks',
  one: 'webhook',
  label: 'name',
  fields: Object.fromEntries([
    ...TEXTS.map((name) => fieldOf('text', name)),
    ...TIMES.map((name) => fieldOf('timestamp', name)),
  ]),
};

function rowOf({ events, status, reason, ...webhook }: Webhook): Item {
  const { id, name, url, succeeded_at, failing_since, next_at } = webhook;
  const shown = reason === null ? status : `${status} (${reason})`;
  return { id, name, url, events: events.join(', '), status: shown, succeeded_at, failing_since, next_at };
}

/** @throws {Problem} */
export async function showWebhooks(
  output: 'table' | 'json',
  given: GivenOptions,
  signal: AbortSignal,
): Promise<void> {
  const { client } = await connect(given);
  const webhooks = await client.webhooks({ signal });
  if (output === 'json') return printJson(webhooks);
  async function* rows(): AsyncGenerator<Item, void, void> {
    for (const webhook of webhooks) yield rowOf(webhook);
  }
  const coverage =
    webhooks.length === 0
      ? 'The account has no webhooks: the operator creates them.'
      : 'Attempts: --output json.';
  await printTable(ROWS, { rows: rows(), coverage });
}
