// Webhook endpoints (docs/generated/api.md, "Webhooks"): the events that one can ask for, and what its status
// means.

import { CHARGES_EVENT, EVENTS, type EventName } from './list.ts';

/** Told once a day, if any payments are due. */
export const PAYMENTS_DUE = 'payments_due';

export type WebhookEvent = EventName | typeof PAYMENTS_DUE;

/** What an endpoint can ask for, in the order of an answer. */
export const WEBHOOK_EVENTS: Readonly<Record<WebhookEvent, string>> = {
  ...(Object.fromEntries(Object.entries(EVENTS).map(([name, { about }]) => [name, about])) as Record<
    EventName,
    string
  >),
  [PAYMENTS_DUE]: 'Once a day: payments of the next 7 days, if any are due.',
};

/** What an endpoint is told of by default: `changed` repeats the others, and a summary is not an event. */
export function defaultEvents(charges: boolean): WebhookEvent[] {
  const others: readonly WebhookEvent[] = ['changed', PAYMENTS_DUE, ...(charges ? [] : [CHARGES_EVENT])];
  return (Object.keys(WEBHOOK_EVENTS) as WebhookEvent[]).filter((name) => !others.includes(name));
}

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
  restored: 'The database was restored or copied, and must not speak for the original.',
  gone: 'The receiver answered 410 Gone.',
  failing: 'No delivery has succeeded for five days.',
} as const;

export type WebhookReason = keyof typeof WEBHOOK_REASONS;
