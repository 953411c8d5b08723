// The `webhooks` of the document: every message that an endpoint is sent, and what it answers.

import { REPLACED } from '../contract/activity.ts';
import { EVENT_MEANINGS, type EventRule, eventsOf, fieldOf, type List } from '../contract/list.ts';
import {
  MAX_MESSAGE_ITEMS,
  PAYMENTS_DUE,
  REPLACED_REASONS,
  TEST_TYPE,
  WEBHOOK_EVENTS,
} from '../contract/webhooks.ts';
import { inPascalCase, itemName } from '../contract/wording.ts';
import type { Content } from './answers.ts';
import { dueSchema } from './facet-schemas.ts';
import { type OpenApiParameter, parameterRef, type Reference } from './headers.ts';
import {
  COUNT,
  exampleOf,
  fieldSchema,
  INTEGER,
  itemExample,
  itemSchema,
  object,
  refTo,
  type Schema,
  TEXT,
  TIMESTAMP,
} from './schemas.ts';

/** A message that a receiver is sent, as an operation of its own. */
export interface WebhookOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly [];
  readonly parameters: readonly Reference[];
  readonly requestBody: { readonly required: true; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

const HEADERS: Readonly<Record<string, readonly [about: string, example: string]>> = {
  'webhook-id': ['The same for each attempt of one message: ignore one that you know.', 'msg_3mPzV0qk8WbT1c'],
  'webhook-timestamp': [
    'When it is sent, in seconds since 1970: refuse one of more than 5 minutes ago.',
    '1795229567',
  ],
  'webhook-signature': [
    'HMAC-SHA256 of id, timestamp and body (Standard Webhooks); two while the secret is changed, of which one must match.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
};

export const messageParameters: Readonly<Record<string, OpenApiParameter>> = Object.fromEntries(
  Object.entries(HEADERS).map(([name, [description, example]]) => [
    name,
    { name, in: 'header', required: true, description, schema: TEXT, example },
  ]),
);
const parameters = Object.keys(messageParameters).map(parameterRef);

const RESPONSES = {
  '2XX': { description: 'The message was taken: answer within 15 seconds, and work on it afterwards.' },
  410: { description: 'The endpoint is disabled.' },
  default: { description: 'The message is sent again, at the latest within an hour, for five days.' },
};

const ACCOUNT: Schema = { description: 'The id of the account.', ...TEXT, examples: ['harbour-dental'] };
const WHEN: Schema = {
  description: 'When it happened.',
  ...TIMESTAMP,
  examples: ['2026-11-21T03:12:46.000000Z'],
};

/** Of one kind of message: what its `data` is, and an example of it. */
interface Kind {
  readonly type: string;
  readonly about: string;
  readonly data: Schema;
  readonly example: object;
}

/** What fields of an event were. */
function fromSchema(list: List): Schema {
  const names = Object.values<EventRule>(list.events).flatMap(({ fields }) => fields);
  const was = object(Object.fromEntries(names.map((name) => [name, fieldSchema(fieldOf(list, name))])), {
    title: `${itemName(list)}MessageFrom`,
    description: `Fields of a ${list.one}, as they were.`,
    required: [],
  });
  return {
    description:
      'With an event of fields: those that changed, as they were before the imports that this message is about.',
    ...refTo(was),
  };
}

function itemsSchema(list: List): Schema {
  const item = `The ${list.one} as it is when this is sent; \`null\` where the list does not have it any more.`;
  const one = object(
    {
      id: { description: `The \`id\` of the ${list.one}.`, ...INTEGER },
      item: { description: item, anyOf: [refTo(itemSchema(list)), { type: 'null' }] },
      from: fromSchema(list),
      label: { description: `The \`${list.label}\` that it was known by; with \`removed\`.`, ...TEXT },
    },
    {
      title: `${itemName(list)}MessageItem`,
      description: `A ${list.one} of a message.`,
      required: ['id', 'item'],
    },
  );
  return { type: 'array', maxItems: MAX_MESSAGE_ITEMS, items: refTo(one) };
}

/** With what is sent to try an endpoint alone, and so not required. */
const TEST: Schema = {
  description: 'Whether the operator tries the endpoint: nothing happened.',
  type: 'boolean',
};
const more: Schema = { description: 'Whether the next message has more of them.', type: 'boolean' };
const required = ['account', 'count', 'items', 'more'];

/** The kinds of a list: its events, `replaced`, and `payments_due`. */
function kindsOf(list: List): Kind[] {
  const name = inPascalCase(list.title);
  const things = list.title.toLowerCase();
  const many = { description: `How many ${things} it is about.`, ...COUNT };
  const items = { description: `The first ${MAX_MESSAGE_ITEMS} of them.`, ...itemsSchema(list) };
  const event = object(
    { account: ACCOUNT, count: many, items, more, test: TEST },
    { title: `${name}EventData`, description: `What happened to ${things}.`, required },
  );
  const replaced = object(
    {
      account: ACCOUNT,
      list: { description: 'The list.', ...TEXT, examples: [list.name] },
      total: { description: 'How many items it has now.', ...COUNT },
      reason: { description: 'Why it is not sent by its events.', ...TEXT, examples: REPLACED_REASONS },
    },
    { title: 'ReplacedData', description: 'A list that is to be read again.' },
  );
  const due = object(
    { account: ACCOUNT, count: many, due: dueSchema(list), items, more, test: TEST },
    {
      title: `${name}PaymentsData`,
      description: `Payments of ${things} that are due.`,
      required: [...required, 'due'],
    },
  );
  const item = itemExample(list);
  const example = { account: 'harbour-dental', count: 1, items: [{ id: item['id'], item }], more: false };
  return [
    ...eventsOf(list).map((one) => ({
      type: `${list.name}.${one}`,
      about: EVENT_MEANINGS[one],
      data: event,
      example,
    })),
    {
      type: `${list.name}.${REPLACED}`,
      about:
        'An import filled the list, or changed most of it, or the log of changes does not reach back: read the list again.',
      data: replaced,
      example: { account: 'harbour-dental', list: list.name, total: 46, reason: REPLACED_REASONS[0] },
    },
    {
      type: `${list.name}.${PAYMENTS_DUE}`,
      about: WEBHOOK_EVENTS[PAYMENTS_DUE],
      data: due,
      example: { ...example, due: { 7: { count: 1, monthly: 2.25 }, 30: { count: 3, monthly: 6.75 } } },
    },
  ];
}

const TEST_DATA = object({ account: ACCOUNT }, { title: 'TestData', description: 'Of a test.' });

const kindsOfAll = (lists: readonly List[]): readonly Kind[] => [
  ...lists.flatMap(kindsOf),
  {
    type: TEST_TYPE,
    about: 'The operator tests the endpoint.',
    data: TEST_DATA,
    example: exampleOf(TEST_DATA),
  },
];

const nameOf = (type: string) => inPascalCase(type.replaceAll(/[._]/g, ' '));

function messageSchema({ type, about, data }: Kind): Schema {
  return object(
    {
      type: { description: 'What the message is about.', type: 'string', const: type },
      timestamp: WHEN,
      data: refTo(data),
    },
    { title: `${nameOf(type)}Message`, description: about },
  );
}

/** By type, as an endpoint of the format `json` receives them. */
export const webhookMessages = (
  tag: string,
  lists: readonly List[],
): Readonly<Record<string, { readonly post: WebhookOperation }>> =>
  Object.fromEntries(
    kindsOfAll(lists).map((kind): [string, { post: WebhookOperation }] => {
      const { type, about, example } = kind;
      const value = { type, timestamp: WHEN.examples?.[0], data: example };
      const examples = { message: { summary: about, value } };
      const content = { 'application/json': { schema: refTo(messageSchema(kind)), examples } };
      const post: WebhookOperation = {
        operationId: `receive_${type.replaceAll('.', '_')}`,
        tags: [tag],
        summary: type,
        description: `${about} Sent to endpoints of the format \`json\`; those of \`text\` are sent one sentence for chat.`,
        security: [],
        parameters,
        requestBody: { required: true, content },
        responses: RESPONSES,
      };
      return [type, { post }];
    }),
  );
