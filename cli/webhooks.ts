// `linecard webhooks`: the webhook endpoints of the account, and how each is doing.

import type { Webhook } from '@linecard/client';
import { activity } from '@linecard/client/contract/activity';
import type { Item } from '@linecard/client/contract/csv';
import type { Field, List } from '@linecard/client/contract/list';
import { visibleJson } from '@linecard/client/contract/printable';
import { WEBHOOK_MEMBERS } from '@linecard/client/contract/webhooks';
import { clientOf } from './connect.ts';
import { printTable } from './list.ts';
import { print } from './print.ts';
import { currentSignIn } from './sign-in.ts';

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
  account: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const webhooks = await clientOf(await currentSignIn(), { account }).webhooks({ signal });
  if (output === 'json') {
    const json = `${JSON.stringify(webhooks, null, 2)}\n`;
    return print([process.stdout.isTTY ? visibleJson(json) : json]);
  }
  async function* rows(): AsyncGenerator<Item, void, void> {
    for (const webhook of webhooks) yield rowOf(webhook);
  }
  const coverage =
    webhooks.length === 0
      ? 'The account has no webhooks: the operator creates them.'
      : 'Attempts: --output json.';
  await printTable(ROWS, undefined, { rows: rows(), coverage }, Promise.resolve(undefined));
}
