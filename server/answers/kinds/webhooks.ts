// The webhook endpoints of an account, and the last attempts to deliver to each (docs/generated/api.md,
// "Webhooks"). What the caller may not see is left out.

import { lists } from '@linecard/client/contract';
import { CHARGES_EVENT, type List } from '@linecard/client/contract/list';
import {
  attemptOf,
  PAYMENTS_DUE,
  SHOWN_ATTEMPTS,
  type Webhook,
  webhookLists,
} from '@linecard/client/contract/webhooks';
import { eventsOf } from '../../store/activity.ts';
import { revisionStatement } from '../../store/heads.ts';
import { tables } from '../../store/tables.ts';
import {
  attemptsStatement,
  type WebhookAttempt as StoredAttempt,
  type Webhook as StoredWebhook,
  attemptOf as storedAttempt,
  webhookOf,
  webhooksStatement,
} from '../../store/webhooks.ts';
import { type Answer, jsonAnswer } from '../answer.ts';
import type { Engine } from '../engine.ts';
import { knownRow, type Owner, type Question } from '../question.ts';

/** Whether a caller may see what an attempt was about, such as `virtual_numbers.spam_flagged`. */
function isVisible(type: string, { lists: seen, charges }: Owner['limits']): boolean {
  const [list = '', event] = type.split('.');
  if (!charges && event === CHARGES_EVENT) return false;
  return seen === null || !(list in tables) || seen.some((name) => name === list);
}

/** An endpoint as a customer sees it; none where it is about lists alone that the caller may not see. */
function webhookFor(
  webhook: StoredWebhook,
  attempts: readonly StoredAttempt[],
  limits: Owner['limits'],
): Webhook[] {
  const visible = webhookLists(webhook.lists).filter((name) => limits.lists?.includes(name) ?? true);
  if (visible.length === 0) return [];
  const { id, name, url, format, events, fields, status, reason } = webhook;
  const { created_at, succeeded_at, failing_since, next_at } = webhook;
  const { charges } = limits;
  const seen = visible.map((name): List => lists[name]);
  const hasEvent = (event: string) =>
    event === PAYMENTS_DUE || seen.some((list) => eventsOf(list).some((one) => one === event));
  const hasField = (name: string) =>
    seen.some(({ fields: { [name]: field } }) => field !== undefined && (charges || field.kind !== 'charge'));
  return [
    {
      id,
      name,
      url: new URL(url).origin,
      format,
      lists: visible,
      events: events.filter((event) => hasEvent(event) && (charges || event !== CHARGES_EVENT)),
      fields: fields?.filter(hasField) ?? null,
      charges: charges && webhook.charges,
      status,
      reason,
      created_at,
      succeeded_at,
      failing_since,
      next_at,
      attempts: attempts
        .filter(({ webhook_id, type }) => webhook_id === id && isVisible(type, limits))
        .slice(0, SHOWN_ATTEMPTS)
        .map(attemptOf),
    },
  ];
}

/**
 * @throws {Problem} `unauthenticated` if the account was deleted concurrently.
 * @throws {StoreUnavailable}
 */
export async function readWebhooks({ store }: Engine, question: Question): Promise<Answer> {
  const { account_id, limits } = question.owner;
  const [[account], rows, attempts] = await store.read(
    revisionStatement(store.dialect, account_id),
    webhooksStatement(store.dialect, account_id),
    attemptsStatement(store.dialect, account_id),
  );
  const [revision] = knownRow(account);
  const all = attempts.map(storedAttempt);
  const data = rows.flatMap((row) => webhookFor(webhookOf(row), all, limits));
  return jsonAnswer(question, revision as string, JSON.stringify({ data }), { isOfBody: true });
}
