// The entries of webhook endpoints in the audit log, their attempts, and what is deleted with an endpoint.

import { randomUUID } from 'node:crypto';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { SHOWN_ATTEMPTS } from '@linecard/client/contract/webhooks';
import { Values } from '../conditions.ts';
import { type EventOrigin, newId } from '../log/audit.ts';
import { type Statement, separate, sql, statement } from '../sql.ts';
import { ATTEMPT_COLUMNS, storedValues, type WebhookAttempt, type WebhookValues } from './webhooks.ts';

export const WEBHOOK_EVENT_COLUMNS = [
  'id',
  'at',
  'event',
  'webhook_id',
  'account_id',
  'name',
  'origin',
  'actor',
];

/** The position between two ranges. */
export const NO_RANGE = {
  to_sequence: null,
  to_revision: null,
  step: null,
  after_id: null,
} as const satisfies WebhookValues;

/** The text of an assignment for each column. */
export const assigned = (values: Values, changes: WebhookValues): string[] =>
  storedValues(changes).map(([name, value]) => `${name} = ${values.bind(value)}`);

/**
 * The position of an endpoint whose database was restored or copied: all lists are sent as replaced when it
 * is enabled. The revision is one that no history has and no earlier delivery had in its id.
 */
export const restoredPosition = () => ({
  from_revision: `restored ${randomUUID()}`,
  ...NO_RANGE,
  attempt: 0,
  next_at: null,
  test_id: null,
});

type OneWebhook = { readonly id: string } & WebhookValues;

/** Which endpoints: one, if it has these values; those of an account; or all. */
export type WebhookChoice = OneWebhook | { readonly account_id: string } | 'all';

export function conditionOf(values: Values, choice: WebhookChoice): string {
  if (choice === 'all') return 'true';
  const conditions = storedValues(choice).map(([name, value]) =>
    value === null ? `${name} is null` : `${name} = ${values.bind(value)}`,
  );
  return conditions.join(' and ');
}

/**
 * The statement that records what becomes of endpoints that exist.
 * @param event as the audit log shows it after `webhook`: `created`.
 */
export function recordWebhooks(
  event: string,
  choice: WebhookChoice,
  { origin, actor }: EventOrigin,
): Statement {
  const values = new Values();
  // Each entry of many has an id of its own: that of the event and of the endpoint.
  const bound = [`${newId()}-`, timestampOf(), event, origin, actor].map((value) => values.bind(value));
  const [id, at, what, from, who] = bound;
  const text = `insert into webhook_events (${WEBHOOK_EVENT_COLUMNS.join(', ')})
    select cast(${id} as text) || id, ${at}, ${what}, id, account_id, name, ${from}, ${who}
    from webhooks where ${conditionOf(values, choice)}`;
  return separate({ text, values: values.list, isEntry: true });
}

/** The statements that record an attempt, if its endpoint is that, and delete those that are not retained. */
export function recordAttempt(
  attempt: WebhookAttempt,
  endpoint: OneWebhook = { id: attempt.webhook_id },
): Statement[] {
  const values = new Values();
  // The account may have been renamed since the endpoint was read.
  const bound = ATTEMPT_COLUMNS.map((name) => (name === 'account_id' ? name : values.bind(attempt[name])));
  const text = `insert into webhook_attempts (${ATTEMPT_COLUMNS.join(', ')})
    select ${bound.join(', ')} from webhooks where ${conditionOf(values, endpoint)}`;
  const { webhook_id } = attempt;
  const forget = sql`delete from webhook_attempts where webhook_id = ${webhook_id} and id <= (
    select id from webhook_attempts where webhook_id = ${webhook_id}
    order by id desc limit 1 offset ${SHOWN_ATTEMPTS})`;
  return [{ text, values: values.list }, forget].map(separate);
}

/** The statements that delete endpoints with their attempts; the second deletes the endpoints. */
export function deleteStatements(
  choice: { readonly id: string } | { readonly account_id: string },
  by: EventOrigin,
): Statement[] {
  const [column, value] = 'id' in choice ? ['webhook_id', choice.id] : ['account_id', choice.account_id];
  return [
    recordWebhooks('deleted', choice, by),
    separate(statement(`delete from webhooks where ${Object.keys(choice)[0]} = $1`, value)),
    separate(statement(`delete from webhook_attempts where ${column} = $1`, value)),
  ];
}
