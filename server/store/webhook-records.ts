// The entries of webhook endpoints in the audit log, and what is deleted with an endpoint.

import { randomUUID } from 'node:crypto';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { type EventOrigin, newId } from './audit.ts';
import { Values } from './conditions.ts';
import { type Statement, separate, statement } from './sql.ts';
import { storedValues, type WebhookValues } from './webhooks.ts';

/** What became of an endpoint; `restored` pauses it, and `disabled` is because of its receiver. */
export type WebhookChange =
  | 'created'
  | 'updated'
  | 'paused'
  | 'enabled'
  | 'rotated'
  | 'replayed'
  | 'disabled'
  | 'restored'
  | 'deleted';

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

export type WebhookChoice = { readonly id: string } | { readonly account_id: string } | 'all';

export function conditionOf(values: Values, choice: WebhookChoice): string {
  if (choice === 'all') return 'true';
  return 'id' in choice ? `id = ${values.bind(choice.id)}` : `account_id = ${values.bind(choice.account_id)}`;
}

/** The statement that records what becomes of endpoints that exist. */
export function recordWebhooks(
  event: WebhookChange,
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

/** The statements that delete endpoints with their attempts; the second deletes the endpoints. */
export function deleteStatements(choice: Exclude<WebhookChoice, 'all'>, by: EventOrigin): Statement[] {
  const [column, value] = 'id' in choice ? ['webhook_id', choice.id] : ['account_id', choice.account_id];
  return [
    recordWebhooks('deleted', choice, by),
    separate(statement(`delete from webhooks where ${Object.keys(choice)[0]} = $1`, value)),
    separate(statement(`delete from webhook_attempts where ${column} = $1`, value)),
  ];
}
