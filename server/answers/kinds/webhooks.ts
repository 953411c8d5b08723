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
import { Values } from '../../store/conditions.ts';
import type { Dialect } from '../../store/dialects.ts';
import { revisionStatement } from '../../store/heads.ts';
import { ofAccount, type Statement, statementOf } from '../../store/sql.ts';
import {
  ATTEMPT_COLUMNS,
  type WebhookAttempt as StoredAttempt,
  type Webhook as StoredWebhook,
  attemptOf as storedAttempt,
  WEBHOOK_COLUMNS,
  webhookOf,
  withSoundTimes,
} from '../../store/webhooks.ts';
import { type Answer, jsonAnswer } from '../answer.ts';
import type { Engine } from '../engine.ts';
import { knownRow, type Owner, type Question } from '../question.ts';

/** The endpoints of an account, by age. */
function webhooksStatement(account_id: string): Statement {
  const text = `select account_id, ${WEBHOOK_COLUMNS.join(', ')} from webhooks
    where account_id = $1 order by created_at, id`;
  return { ...ofAccount(account_id, text), isCentral: true };
}

/**
 * The last attempts of each endpoint that a caller may see; their types are as `virtual_numbers.added`. Read
 * endpoint by endpoint, of each no more than are shown: far more are retained.
 */
function attemptsStatement(dialect: Dialect, { account_id, limits }: Owner): Statement {
  const values = new Values();
  const { lists: seen, charges } = limits;
  const owner = values.bind(account_id);
  const hidden = webhookLists(null)
    .filter((name) => seen?.includes(name) === false)
    .map((name) => values.bind(`${name}.`));
  const charged = charges ? [] : [values.bind(`.${CHARGES_EVENT}`)];
  const isVisible = (attempt: string) =>
    [
      `${attempt}.webhook_id = webhooks.id`,
      ...hidden.map((name) => `not ${dialect.begins(`${attempt}.type`, name)}`),
      ...charged.map((event) => `not ${dialect.contains(`${attempt}.type`, event)}`),
    ].join(' and ');
  const columns = ATTEMPT_COLUMNS.map((name) => `attempt.${name}`).join(', ');
  const text = `select attempt.account_id, ${columns}
    from webhooks cross join webhook_attempts as attempt
    where webhooks.account_id = ${owner} and ${isVisible('attempt')}
      and attempt.id >= coalesce((select last.id from webhook_attempts as last
        where ${isVisible('last')} order by last.id desc limit 1 offset ${SHOWN_ATTEMPTS - 1}), '')
    order by attempt.id desc`;
  return { ...statementOf(account_id, text, values), isCentral: true };
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
      attempts: attempts.filter(({ webhook_id }) => webhook_id === id).map(attemptOf),
    },
  ];
}

/** @throws {Problem} `unauthenticated` if the account was deleted concurrently. */
export async function readWebhooks({ store }: Engine, question: Question): Promise<Answer> {
  const { owner } = question;
  const { account_id, limits } = owner;
  // The revision is last, so that no replica is read: webhooks change without it.
  const [rows, attempts, [account]] = await store.read(
    webhooksStatement(account_id),
    attemptsStatement(store.dialect, owner),
    revisionStatement(account_id),
  );
  const [revision] = knownRow(account);
  const all = attempts.map(storedAttempt);
  const data = rows.flatMap((row) => webhookFor(withSoundTimes(webhookOf(row)), all, limits));
  return jsonAnswer(question, revision as string, JSON.stringify({ data }), { isOfBody: true });
}
