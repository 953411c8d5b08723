// Webhook endpoints (docs/generated/api.md, "Webhooks"): the events that one can ask for, and what its status
// means.

import { lists } from './contract.ts';
import { CHARGES_EVENT, EVENT_MEANINGS, type EventName, eventsOf } from './list.ts';

/** Sent once a day, if any payments are due. */
export const PAYMENTS_DUE = 'payments_due';

export type WebhookEvent = EventName | typeof PAYMENTS_DUE;

/** Why a list is sent as `replaced` rather than by its events. */
export const REPLACED_REASONS = ['filled', 'rebuilt', 'expired', 'restored'] as const;

export type ReplacedReason = (typeof REPLACED_REASONS)[number];

/** The type of what the operator sends to try an endpoint. */
export const TEST_TYPE = 'webhook.test';

/** Most items of a message. */
export const MAX_MESSAGE_ITEMS = 100;

/** What an endpoint can ask for, in the order of an answer. */
export const WEBHOOK_EVENTS: Readonly<Record<WebhookEvent, string>> = {
  ...EVENT_MEANINGS,
  [PAYMENTS_DUE]: 'Once a day: payments of the next 7 days, if any are due.',
};

/** What an endpoint subscribes to by default: `changed` repeats the others, and a summary is not an event. */
export function defaultEvents(charges: boolean): WebhookEvent[] {
  const others: WebhookEvent[] = ['changed', PAYMENTS_DUE];
  if (!charges) others.push(CHARGES_EVENT);
  return (Object.keys(WEBHOOK_EVENTS) as WebhookEvent[]).filter((name) => !others.includes(name));
}

type ListName = keyof typeof lists;

/** The lists of an endpoint, where none named are all. */
export const webhookLists = (names: readonly ListName[] | null): readonly ListName[] =>
  names ?? (Object.keys(lists) as ListName[]);

/** The first list of an endpoint that has an event; `undefined` if it is sent no such event. */
export function listWithEvent(
  { lists: names, charges }: { readonly lists: readonly ListName[] | null; readonly charges: boolean },
  event: WebhookEvent,
): ListName | undefined {
  if (event === CHARGES_EVENT && !charges) return undefined;
  return webhookLists(names).find((name) => event === PAYMENTS_DUE || eventsOf(lists[name]).includes(event));
}

/** The message id of a test, which says of which event it has the shape. */
export const testIdOf = (id: string, event?: WebhookEvent): string =>
  event === undefined ? id : `${id}.${event}`;

export const eventOfTest = (test_id: string): WebhookEvent | undefined =>
  (Object.keys(WEBHOOK_EVENTS) as WebhookEvent[]).find((event) => test_id.endsWith(`.${event}`));

/** `json` has the items; `text` is one sentence, for chat. */
export const WEBHOOK_FORMATS = ['json', 'text'] as const;

export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

export const WEBHOOK_STATUSES = {
  active: 'Deliveries are sent.',
  paused: 'Nothing is sent until the operator enables it; the position stays.',
  disabled: 'Nothing is sent, because of the receiver: `reason` says why. The position stays.',
} as const;

export type WebhookStatus = keyof typeof WEBHOOK_STATUSES;

/** Why an endpoint is not active, if the operator has not paused it. */
export const WEBHOOK_REASONS = {
  restored: 'The database was restored or copied, and must not send what the original sends.',
  gone: 'The receiver answered 410 Gone.',
  failing: 'No delivery has succeeded for five days.',
} as const;

export type WebhookReason = keyof typeof WEBHOOK_REASONS;

export const WEBHOOKS_PATH = '/api/v1/webhooks';
/** How many attempts a list has of each endpoint, and one endpoint alone: all that are retained. */
export const LISTED_ATTEMPTS = 3;
export const SHOWN_ATTEMPTS = 100;

export const EXAMPLE_WEBHOOK_ID = '4fTq0Vb2LxYz';

/** Without an id, the template of an OpenAPI path. */
export const webhookPath = (id = '{id}') => `${WEBHOOKS_PATH}/${id}`;

/** An attempt to deliver. */
export interface WebhookAttempt {
  readonly at: string;
  readonly message_id: string;
  readonly type: string;
  readonly status: number | null;
  readonly fault: string | null;
  readonly ms: number;
  readonly next_at: string | null;
}

/** An endpoint of an account, as its customer sees it. */
export interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly format: WebhookFormat | (string & {});
  readonly lists: readonly (ListName | (string & {}))[];
  readonly events: readonly (WebhookEvent | (string & {}))[];
  readonly fields: readonly string[] | null;
  readonly charges: boolean;
  readonly status: WebhookStatus | (string & {});
  readonly reason: WebhookReason | (string & {}) | null;
  readonly created_at: string;
  readonly succeeded_at: string | null;
  readonly failing_since: string | null;
  readonly next_at: string | null;
  readonly attempts: readonly WebhookAttempt[];
}

/** What each member of an endpoint means, in the order of an answer. */
export const WEBHOOK_MEMBERS: Readonly<Record<keyof Webhook, string>> = {
  id: 'What the operator knows it by.',
  name: 'What the operator called it; empty when it has no name.',
  url: 'Where deliveries are sent, without path and query.',
  format: '`json`: the items; `text`: one sentence, for chat.',
  lists: 'The lists that it subscribes to.',
  events: 'The events that it subscribes to, in addition to `replaced`, which is always sent.',
  fields: 'The fields of the items in deliveries, in addition to `id`; null for all.',
  charges: 'Whether deliveries have charges.',
  status: 'Whether deliveries are sent.',
  reason: 'Why it is not active; null if the operator paused it.',
  created_at: 'When it was created. What happened since is delivered.',
  succeeded_at: 'When a delivery last succeeded; null if none has.',
  failing_since: 'Since when deliveries fail; null if the last one succeeded.',
  next_at: 'When the delivery that failed is tried again.',
  attempts: `The last attempts, newest first: ${LISTED_ATTEMPTS} of each endpoint of a list, ${SHOWN_ATTEMPTS} of one.`,
};

/** An attempt with the members that everybody may see. */
export const attemptOf = ({
  at,
  message_id,
  type,
  status,
  fault,
  ms,
  next_at,
}: WebhookAttempt): WebhookAttempt => ({ at, message_id, type, status, fault, ms, next_at });

/** What each member of an attempt means, in the order of an answer. */
export const ATTEMPT_MEMBERS: Readonly<Record<keyof WebhookAttempt, string>> = {
  at: 'When it was sent.',
  message_id: 'Its `webhook-id`: the same for each attempt of one delivery.',
  type: 'What it is about, such as `virtual_numbers.spam_flagged`.',
  status: 'The HTTP status of the answer; null without an answer.',
  fault: 'Why there was no answer, or why it was no success.',
  ms: 'How long it took, in milliseconds.',
  next_at: 'When it is tried again; null if it is not.',
};
