// Webhook endpoints as data: what one is created and changed with, and what is shown of one and of its
// attempts.

import {
  ATTEMPT_MEMBERS,
  EXAMPLE_WEBHOOK_ID,
  SHOWN_ATTEMPTS,
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
  WEBHOOK_MEMBERS,
  WEBHOOK_REASONS,
  WEBHOOK_STATUSES,
  type WebhookAttempt,
  type WebhookEvent,
  webhookLists,
} from '@linecard/client/contract/webhooks';
import { type Webhook, withSoundTimes } from '../store/webhooks/webhooks.ts';
import {
  durationField,
  type Field,
  nameField,
  oneOfField,
  orNull,
  pastTimeField,
  required,
  type Schema,
  Wrong,
  withDefault,
} from './field.ts';
import {
  accountId,
  answered,
  chargesField,
  EXAMPLE_TIME,
  LIST_NAMES,
  TIME,
  TIME_OR_NULL,
} from './members.ts';
import { type Shape, shapeSchema } from './shape.ts';
import { addressFaults, itemFields, namesField } from './webhook-scope.ts';

const HOOK = 'https://crm.example.com/hook';
const SECRET = 'whsec_…';

const url = (allow: readonly string[]): Field<string> => ({
  about: 'Where deliveries are sent: https, without user name and fragment.',
  example: HOOK,
  schema: { type: 'string', format: 'uri' },
  read(given) {
    const faults = typeof given === 'string' ? addressFaults(given, allow) : ['must be a text'];
    return faults.length === 0 ? new URL(given as string).href : new Wrong(...faults);
  },
});

const name = nameField({ about: 'A name to recognize it by.', example: 'CRM' });
const format = oneOfField(WEBHOOK_FORMATS, { about: WEBHOOK_MEMBERS.format, example: 'json' });
const lists = namesField(LIST_NAMES, {
  about: 'The lists that it is about; null for all.',
  example: ['virtual_numbers'],
});
const events = namesField(Object.keys(WEBHOOK_EVENTS) as WebhookEvent[], {
  about: 'What it receives, in addition to `replaced`; all but `changed` and `payments_due` if left out.',
  example: ['spam_flagged'],
});
const fields = itemFields({ about: WEBHOOK_MEMBERS.fields, example: ['did', 'is_spammed'] });
const charges = { ...chargesField, about: WEBHOOK_MEMBERS.charges };

/** What may be changed of an endpoint. */
export const changeOf = (allow: readonly string[]) => ({
  url: url(allow),
  name,
  format,
  lists: orNull(lists),
  events,
  fields: orNull(fields),
  charges,
});

/** What a new one is created with. */
export function newOf(allow: readonly string[]) {
  const change = changeOf(allow);
  return {
    account_id: required(accountId('The account that it is of.')),
    url: required(change.url),
    name: withDefault(change.name, ''),
    format: withDefault(change.format, 'json'),
    lists: withDefault(change.lists, null),
    events: change.events,
    fields: withDefault(change.fields, null),
    charges: withDefault(change.charges, true),
  };
}

export const OVERLAP = durationField(
  { about: 'How long the old secret also signs; 0m for not at all, and 24h if left out.', example: '7d' },
  true,
);
export const REPLAY_FROM = required(
  pastTimeField({
    about: 'Since when everything is delivered again: a timestamp, a date, or how long ago, such as 12h.',
    example: '2026-11-20',
  }),
  'is missing: say since when, such as 2026-11-20 or 12h',
);

const TEXT: Schema = { type: 'string' };
const INTEGER: Schema = { type: 'integer' };
const oneOf = (values: object, orNone = false): Schema => ({
  type: orNone ? ['string', 'null'] : 'string',
  enum: [...Object.keys(values), ...(orNone ? [null] : [])],
});
const about = WEBHOOK_MEMBERS;
const time = (text: string) => answered(text, TIME_OR_NULL, null);

/** An endpoint as operators see it. */
const WEBHOOK = {
  id: answered('Its id.', TEXT, EXAMPLE_WEBHOOK_ID),
  account_id: answered('The account that it is of.', TEXT, 'C1001'),
  name: answered(name.about, name.schema, name.example),
  url: answered('Where deliveries are sent.', { type: 'string', format: 'uri' }, HOOK),
  format: answered(format.about, format.schema, 'json'),
  lists: answered(about.lists, lists.schema, LIST_NAMES),
  events: answered(about.events, events.schema, events.example),
  fields: answered(about.fields, { ...fields.schema, type: ['array', 'null'] }, null),
  charges: answered(about.charges, charges.schema, true),
  status: answered(about.status, oneOf(WEBHOOK_STATUSES), 'active'),
  reason: answered(about.reason, oneOf(WEBHOOK_REASONS, true), null),
  created_at: answered(about.created_at, TIME, EXAMPLE_TIME),
  succeeded_at: time(about.succeeded_at),
  failing_since: time(about.failing_since),
  next_at: time(about.next_at),
  secret_version: answered('How often its secret was replaced, plus one.', INTEGER, 1),
  overlap_until: time('Until when the secret before this one signs as well; null if it does not.'),
} satisfies Partial<Record<keyof Webhook, unknown>>;

export type WebhookView = Pick<Webhook, Exclude<keyof typeof WEBHOOK, 'lists'>> & {
  readonly lists: ReturnType<typeof webhookLists>;
};

/** An endpoint as operators see it. */
export function webhookView(stored: Webhook): WebhookView {
  const webhook = withSoundTimes(stored);
  const shown = { ...webhook, lists: webhookLists(webhook.lists) };
  return Object.fromEntries(
    (Object.keys(WEBHOOK) as (keyof typeof WEBHOOK)[]).map((member) => [member, shown[member]]),
  ) as WebhookView;
}

const ATTEMPT_SCHEMAS: Readonly<Record<keyof WebhookAttempt, readonly [schema: Schema, example: unknown]>> = {
  at: [TIME, EXAMPLE_TIME],
  message_id: [TEXT, 'msg_2f7c1e'],
  type: [TEXT, 'virtual_numbers.spam_flagged'],
  status: [{ type: ['integer', 'null'] }, 204],
  fault: [{ type: ['string', 'null'] }, null],
  ms: [INTEGER, 87],
  next_at: [TIME_OR_NULL, null],
};
export const ATTEMPT: Shape = Object.fromEntries(
  Object.entries(ATTEMPT_SCHEMAS).map(([member, [schema, example]]) => [
    member,
    answered(ATTEMPT_MEMBERS[member as keyof WebhookAttempt], schema, example),
  ]),
);

/** The schemas of answers. */
export const VIEW = shapeSchema(WEBHOOK, 'WebhookEndpoint');
export const SHOWN = shapeSchema(
  {
    ...WEBHOOK,
    attempts: answered(
      `The last attempts, newest first: at most ${SHOWN_ATTEMPTS}.`,
      { type: 'array', items: shapeSchema(ATTEMPT) },
      [],
    ),
  },
  'WebhookWithAttempts',
);
export const WITH_SECRET = shapeSchema(
  { ...WEBHOOK, secret: answered('With which the receiver verifies; no other answer has it.', TEXT, SECRET) },
  'WebhookWithSecret',
);
export const REPLAYED = shapeSchema(
  {
    ...WEBHOOK,
    replayed_from: time(
      'When the first import was that is delivered again; null if all since then is still to come.',
    ),
  },
  'ReplayedWebhook',
);
export const LIST = shapeSchema(
  { data: answered('The endpoints.', { type: 'array', items: SHOWN }, []) },
  'WebhookList',
);
