// The operation of webhook endpoints, and the JSON Schema of its answer.

import { lists } from '../contract/contract.ts';
import {
  ATTEMPT_MEMBERS,
  EXAMPLE_WEBHOOK_ID,
  LISTED_ATTEMPTS,
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
import { ACCOUNT_REQUEST, ITEM_REQUEST } from './failures.ts';
import { ACCOUNT_HEADERS, type OpenApiParameter } from './headers.ts';
import type { AccountOperation } from './list-operations.ts';
import { exampleOf, namesOf, object, refTo, type Schema, TEXT, TIMESTAMP } from './schemas.ts';

export const WEBHOOKS_TAG = 'Webhook endpoints';

const text = (...examples: string[]): Schema => ({ ...TEXT, examples });
const time = (example: string): Schema => ({ ...TIMESTAMP, examples: [example] });
const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema.type as string, 'null'] });
const NO_TIME = orNull({ ...TIMESTAMP, examples: [null] });
const someOf = (names: readonly string[]): Schema => ({ ...namesOf(TEXT), examples: [names] });

/** Each with its example; the known values of an open set are examples. */
const ATTEMPT = {
  at: time('2026-11-21T03:12:47.190000Z'),
  message_id: text('msg_3mPzV0qk8WbT1c'),
  type: text('virtual_numbers.spam_flagged'),
  status: { type: ['integer', 'null'], format: 'int32', minimum: 0, maximum: 999, examples: [204] },
  fault: orNull({ ...TEXT, examples: [null] }),
  ms: { type: 'integer', format: 'int32', minimum: 0, examples: [120] },
  next_at: NO_TIME,
} satisfies Record<keyof WebhookAttempt, Schema>;

const WEBHOOK = {
  id: text(EXAMPLE_WEBHOOK_ID),
  name: text('CRM'),
  url: { ...text('https://crm.example.com'), format: 'uri' },
  format: text(...WEBHOOK_FORMATS),
  lists: someOf(Object.keys(lists)),
  events: someOf(Object.keys(WEBHOOK_EVENTS)),
  fields: { ...namesOf(TEXT), type: ['array', 'null'], examples: [['did', 'is_spammed']] },
  charges: { type: 'boolean', examples: [true] },
  status: text(...Object.keys(WEBHOOK_STATUSES)),
  reason: orNull({ ...TEXT, examples: [null, ...Object.keys(WEBHOOK_REASONS)] }),
  created_at: time('2026-11-02T09:14:00.000000Z'),
  succeeded_at: orNull(time('2026-11-21T03:12:47.310000Z')),
  failing_since: NO_TIME,
  next_at: NO_TIME,
  attempts: { type: 'array', maxItems: SHOWN_ATTEMPTS },
} satisfies Record<keyof Webhook, Schema>;

/** Members with their descriptions. */
const described = (members: Readonly<Record<string, Schema>>, about: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name, { description: about[name] ?? '', ...schema }]),
  );

export const attemptSchema = object(described(ATTEMPT, ATTEMPT_MEMBERS), {
  title: 'WebhookAttempt',
  description: 'An attempt to deliver.',
});
const webhookSchema = object(
  described({ ...WEBHOOK, attempts: { ...WEBHOOK.attempts, items: refTo(attemptSchema) } }, WEBHOOK_MEMBERS),
  { title: 'Webhook', description: 'A webhook endpoint, and how it is doing.' },
);
/** As many as an operator can allow an account. */
const MAX_WEBHOOKS = 100;
const ABOUT = 'The webhook endpoints of the account, the oldest first.';

const webhooksSchema = object(
  { data: { description: ABOUT, type: 'array', maxItems: MAX_WEBHOOKS, items: refTo(webhookSchema) } },
  { title: 'Webhooks', description: ABOUT },
);

const meanings = (of: Readonly<Record<string, string>>) =>
  Object.entries(of)
    .map(([name, about]) => `- \`${name}\`: ${about}`)
    .join('\n');

const STATES = `\`status\`:\n${meanings(WEBHOOK_STATUSES)}\n\n\`reason\`:\n${meanings(WEBHOOK_REASONS)}`;
const EXAMPLES = { webhooks: { summary: 'One endpoint', value: exampleOf(webhooksSchema) } };

export const webhooksOperation: AccountOperation = {
  operationId: 'list_webhooks',
  tag: WEBHOOKS_TAG,
  summary: 'The webhook endpoints',
  description: `${ABOUT} The operator creates them; the answer says how each is doing. What the token may not see is left out; each has its last ${LISTED_ATTEMPTS} attempts.\n\n${STATES}`,
  answers: jsonAnswers(webhooksSchema, [...ACCOUNT_HEADERS, 'ETag'], EXAMPLES),
  codes: ACCOUNT_REQUEST,
};

const ID: OpenApiParameter = {
  name: 'id',
  in: 'path',
  description: 'The `id` of the endpoint. One that is not of the account is not found.',
  required: true,
  schema: TEXT,
  example: EXAMPLE_WEBHOOK_ID,
};

export const webhookOperation: AccountOperation = {
  operationId: 'get_webhook',
  tag: WEBHOOKS_TAG,
  summary: 'One webhook endpoint',
  description: `One endpoint of the account by its id, with its last ${SHOWN_ATTEMPTS} attempts. Of those that it has, the token sees what it may see.\n\n${STATES}`,
  parameters: [ID],
  answers: jsonAnswers(webhookSchema, [...ACCOUNT_HEADERS, 'ETag'], {
    webhook: { summary: 'The endpoint', value: exampleOf(webhookSchema) },
  }),
  codes: ITEM_REQUEST,
};
