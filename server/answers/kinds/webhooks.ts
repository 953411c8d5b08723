// The webhook endpoints of an account, and the last attempts to deliver to each (docs/generated/api.md,
// "Webhooks"). What the caller may not see is left out.

import { lists } from '@linecard/client/contract';
import { CHARGES_EVENT, eventsOf, type List } from '@linecard/client/contract/list';
import { Problem } from '@linecard/client/contract/problems';
import {
  attemptOf,
  LISTED_ATTEMPTS,
  PAYMENTS_DUE,
  SHOWN_ATTEMPTS,
  WEBHOOKS_PATH,
  type Webhook,
  webhookLists,
} from '@linecard/client/contract/webhooks';
import { Values } from '../../store/conditions.ts';
import type { Dialect } from '../../store/dialects.ts';
import { revisionStatement } from '../../store/lists/heads.ts';
import { type Statement, separate, statementOf } from '../../store/sql.ts';
import {
  lastAttempts,
  type WebhookAttempt as StoredAttempt,
  type Webhook as StoredWebhook,
  attemptOf as storedAttempt,
  WEBHOOK_COLUMNS,
  webhookOf,
  withSoundTimes,
} from '../../store/webhooks/webhooks.ts';
import { type Answer, jsonAnswer } from '../answer.ts';
import type { Engine } from '../engine.ts';
import { type AccountQuestion, knownRow, type Owner, type WebhookQuestion } from '../question.ts';

const NO_SUCH_WEBHOOK = `There is no such webhook on this account. GET ${WEBHOOKS_PATH} has all of them.`;

/** Of an account, and of one endpoint if an id is given. */
function ownWebhooks(values: Values, { account_id }: Owner, id: string | undefined): string {
  const one = id === undefined ? '' : ` and webhooks.id = ${values.bind(id)}`;
  return `webhooks.account_id = ${values.bind(account_id)}${one}`;
}

/** The endpoints, by age. */
function webhooksStatement(owner: Owner, id: string | undefined): Statement {
  const values = new Values();
  const text = `select account_id, ${WEBHOOK_COLUMNS.join(', ')} from webhooks
    where ${ownWebhooks(values, owner, id)} order by created_at, id`;
  return separate(statementOf(owner.account_id, text, values));
}

/** The last attempts of each that a caller may see; their types are as `virtual_numbers.added`. */
function attemptsStatement(dialect: Dialect, owner: Owner, id: string | undefined): Statement {
  const values = new Values();
  const { lists: seen, charges } = owner.limits;
  const own = ownWebhooks(values, owner, id);
  const hidden = webhookLists(null)
    .filter((name) => seen?.includes(name) === false)
    .map((name) => values.bind(`${name}.`));
  const charged = charges ? [] : [values.bind(`.${CHARGES_EVENT}`)];
  const isVisible = (attempt: string) =>
    [
      'true',
      ...hidden.map((name) => `not ${dialect.begins(`${attempt}.type`, name)}`),
      ...charged.map((event) => `not ${dialect.contains(`${attempt}.type`, event)}`),
    ].join(' and ');
  const most = id === undefined ? LISTED_ATTEMPTS : SHOWN_ATTEMPTS;
  const text = `select attempt.account_id, ${lastAttempts(most, own, isVisible)}`;
  return separate(statementOf(owner.account_id, text, values));
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
async function read({ store }: Engine, owner: Owner, id?: string) {
  // The revision is last, so that no replica is read: webhooks change without it.
  const [rows, attempts, [account]] = await store.read(
    webhooksStatement(owner, id),
    attemptsStatement(store.dialect, owner, id),
    revisionStatement(owner.account_id),
  );
  const [revision] = knownRow(account);
  const all = attempts.map(storedAttempt);
  const webhooks = rows.flatMap((row) => webhookFor(withSoundTimes(webhookOf(row)), all, owner.limits));
  return { webhooks, revision: revision as string };
}

/** The endpoints of an account, by age. */
export async function readWebhooks(engine: Engine, question: AccountQuestion): Promise<Answer> {
  const { webhooks, revision } = await read(engine, question.owner);
  return jsonAnswer(question, revision, JSON.stringify({ data: webhooks }), { isOfBody: true });
}

/** @throws {Problem} `not-found`, whether there is none, it is of another account, or may not be seen. */
export async function readWebhook(engine: Engine, question: WebhookQuestion): Promise<Answer> {
  const { id, owner } = question;
  const { webhooks, revision } =
    id === undefined ? { webhooks: [], revision: '' } : await read(engine, owner, id);
  const [webhook] = webhooks;
  if (webhook === undefined) throw new Problem('not-found', NO_SUCH_WEBHOOK);
  return jsonAnswer(question, revision, JSON.stringify(webhook), { isOfBody: true });
}
