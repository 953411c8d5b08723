// The operation of webhook endpoints, and the JSON Schema of its answer.

import { lists } from '../contract/contract.ts';
import {
  ATTEMPT_MEMBERS,
  SHOWN_ATTEMPTS,
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
  WEBHOOK_MEMBERS,
  WEBHOOK_REASONS,
  WEBHOOK_STATUSES,
  type Webhook,
  type WebhookAttempt,
} from '../contract/webhooks.ts';
import { jsonAnswers } from './answers.ts';
import { ACCOUNT_REQUEST } from './failures.ts';
import { ACCOUNT_HEADERS } from './headers.ts';
import type { AccountOperation } from './list-operations.ts';
import { exactly, type Schema, TEXT, TIMESTAMP } from './schemas.ts';

export const WEBHOOKS_TAG = 'Webhook endpoints';
export const WEBHOOKS_SCHEMA = 'Webhooks';

const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema.type as string, 'null'] });
/** An open set. */
const oneOf = (names: readonly string[]): Schema => ({ ...TEXT, examples: names });
const someOf = (names: readonly string[]): Schema => ({ type: 'array', items: TEXT, examples: [names] });

const ATTEMPT = {
  at: TIMESTAMP,
  message_id: TEXT,
  type: TEXT,
  status: { type: ['integer', 'null'], minimum: 0, maximum: 999 },
  fault: orNull(TEXT),
  ms: { type: 'integer', minimum: 0 },
  next_at: orNull(TIMESTAMP),
} satisfies Record<keyof WebhookAttempt, Schema>;

const WEBHOOK = {
  id: TEXT,
  name: TEXT,
  url: { ...TEXT, format: 'uri' },
  format: oneOf(WEBHOOK_FORMATS),
  lists: someOf(Object.keys(lists)),
  events: someOf(Object.keys(WEBHOOK_EVENTS)),
  fields: { type: ['array', 'null'], items: TEXT },
  charges: { type: 'boolean' },
  status: oneOf(Object.keys(WEBHOOK_STATUSES)),
  reason: orNull(oneOf(Object.keys(WEBHOOK_REASONS))),
  created_at: TIMESTAMP,
  succeeded_at: orNull(TIMESTAMP),
  failing_since: orNull(TIMESTAMP),
  next_at: orNull(TIMESTAMP),
  attempts: { type: 'array', maxItems: SHOWN_ATTEMPTS },
} satisfies Record<keyof Webhook, Schema>;

/** Members with their descriptions. */
const described = (members: Readonly<Record<string, Schema>>, about: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name, { description: about[name] ?? '', ...schema }]),
  );

const attempt = exactly(described(ATTEMPT, ATTEMPT_MEMBERS), { title: 'WebhookAttempt' });
const webhook = exactly(
  described({ ...WEBHOOK, attempts: { ...WEBHOOK.attempts, items: attempt } }, WEBHOOK_MEMBERS),
  { title: 'Webhook' },
);
const ABOUT = 'The webhook endpoints of the account, the oldest first.';

export const webhooksSchema = exactly(
  { data: { description: ABOUT, type: 'array', items: webhook } },
  { title: WEBHOOKS_SCHEMA, description: ABOUT },
);

const EXAMPLE: Webhook = {
  id: '4fTq0Vb2LxYz',
  name: 'CRM',
  url: 'https://crm.example.com',
  format: 'json',
  lists: ['virtual_numbers'],
  events: ['spam_flagged', 'spam_cleared'],
  fields: ['did', 'is_spammed'],
  charges: true,
  status: 'active',
  reason: null,
  created_at: '2026-11-02T09:14:00.000000Z',
  succeeded_at: '2026-11-21T03:12:47.310000Z',
  failing_since: null,
  next_at: null,
  attempts: [
    {
      at: '2026-11-21T03:12:47.190000Z',
      message_id: 'msg_3mPzV0qk8WbT1c',
      type: 'virtual_numbers.spam_flagged',
      status: 204,
      fault: null,
      ms: 120,
      next_at: null,
    },
  ],
};

const meanings = (of: Readonly<Record<string, string>>) =>
  Object.entries(of)
    .map(([name, about]) => `- \`${name}\`: ${about}`)
    .join('\n');

const EXAMPLES = { webhooks: { summary: 'One endpoint', value: { data: [EXAMPLE] } } };

export const webhooksOperation: AccountOperation = {
  operationId: 'list_webhooks',
  tag: WEBHOOKS_TAG,
  summary: 'The webhook endpoints',
  description: `${ABOUT} The operator creates them; the answer says how each is doing. What the token may not see is left out.\n\n\`status\`:\n${meanings(WEBHOOK_STATUSES)}\n\n\`reason\`:\n${meanings(WEBHOOK_REASONS)}`,
  answers: jsonAnswers(ABOUT, [...ACCOUNT_HEADERS, 'ETag'], WEBHOOKS_SCHEMA, EXAMPLES),
  codes: ACCOUNT_REQUEST,
};
