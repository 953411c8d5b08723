// `linecard webhooks`: the webhook endpoints of the account, and how each is doing.

import type { Webhook } from '@linecard/client';
import { activity } from '@linecard/client/contract/activity';
import type { Item } from '@linecard/client/contract/csv';
import type { Field, List } from '@linecard/client/contract/list';
import { ATTEMPT_MEMBERS, WEBHOOK_MEMBERS } from '@linecard/client/contract/webhooks';
import { connect } from './connect.ts';
import { printTable } from './list.ts';
import type { GivenOptions } from './options.ts';
import { printJson } from './print.ts';

const TEXTS = ['id', 'name', 'url', 'events', 'status'] as const;
const TIMES = ['succeeded_at', 'failing_since', 'next_at'] as const;
const ATTEMPT = ['at', 'type', 'status', 'fault', 'ms', 'next_at', 'message_id'] as const;
const KINDS: Readonly<Record<string, Field['kind']>> = {
  at: 'timestamp',
  next_at: 'timestamp',
  ms: 'integer',
};

const fieldOf = (kind: Field['kind'], about: string): Field => ({ kind, about, example: '', nullable: true });

const tableOf = (name: string, title: string, one: string, fields: List['fields']): List => ({
  ...activity,
  name,
  title,
  one,
  label: Object.keys(fields)[1] ?? '',
  fields,
});

/** An endpoint as a row of a table. */
const ROWS = tableOf(
  'webhooks',
  'Webhooks',
  'webhook',
  Object.fromEntries([
    ...TEXTS.map((name) => [name, fieldOf('text', WEBHOOK_MEMBERS[name])] as const),
    ...TIMES.map((name) => [name, fieldOf('timestamp', WEBHOOK_MEMBERS[name])] as const),
  ]),
);

/** An attempt. */
const ATTEMPTS = tableOf(
  'attempts',
  'Attempts',
  'attempt',
  Object.fromEntries(ATTEMPT.map((name) => [name, fieldOf(KINDS[name] ?? 'text', ATTEMPT_MEMBERS[name])])),
);

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
      : 'The attempts of one: linecard webhooks ID.';
  await printTable(ROWS, { rows: rows(), coverage });
}

/** @throws {Problem} */
export async function showWebhook(
  id: string,
  output: 'table' | 'json',
  given: GivenOptions,
  signal: AbortSignal,
): Promise<void> {
  const { client } = await connect(given);
  const webhook = await client.webhook(id, { signal });
  if (output === 'json') return printJson(webhook);
  const { attempts, name, url, events, status } = webhook;
  async function* rows(): AsyncGenerator<Item, void, void> {
    for (const attempt of attempts) yield { ...attempt, status: String(attempt.status ?? '') };
  }
  const called = name === '' ? url : `${name} (${url})`;
  const coverage = `${attempts.length} attempts of ${called}, ${status}: ${events.join(', ')}`;
  await printTable(ATTEMPTS, { rows: rows(), coverage });
}
