// Claims: of any number of deliverers one at a time sends to an endpoint, because a claim is a row that only
// its holder may change. It ends by itself, so that a deliverer that was killed keeps nobody waiting.

import { hash } from 'node:crypto';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { PAYMENTS_DUE } from '@linecard/client/contract/webhooks';
import { Values } from '../store/conditions.ts';
import { type Statement, separate } from '../store/sql.ts';
import type { Store } from '../store/store.ts';
import { latestOf, soundColumn } from '../store/stored-times.ts';
import { assigned, conditionOf } from '../store/webhooks/webhook-records.ts';
import { WEBHOOK_COLUMNS, type Webhook, type WebhookValues, webhookOf } from '../store/webhooks/webhooks.ts';

/** Longer than an attempt takes, and renewed before each. */
const CLAIM_MILLISECONDS = 60_000;
const DAY_CHARACTERS = 'YYYY-MM-DD'.length;

export const dayOf = (milliseconds: number): string => timestampOf(milliseconds).slice(0, DAY_CHARACTERS);

/** When payments were last due to be sent: today or yesterday. */
function lastDueTime(now: number, dueAtMs: number): number {
  return Date.parse(`${dayOf(now - dueAtMs)}T00:00:00.000Z`) + dueAtMs;
}

/** Whether payments are to be sent again; not on the day on which the endpoint was made. */
export function isDueToday(
  { events, due_day, created_at }: Pick<Webhook, 'events' | 'due_day' | 'created_at'>,
  now: number,
  dueAtMs: number,
): boolean {
  const time = lastDueTime(now, dueAtMs);
  // A day to come is void, as the times of stored-times.ts are.
  const isSent = due_day !== null && due_day >= dayOf(time) && due_day <= dayOf(now);
  return events.includes(PAYMENTS_DUE) && !isSent && created_at < timestampOf(time);
}

/** An endpoint that has something to be sent, and its account as it was then. */
export interface Ready {
  readonly webhook: Webhook;
  readonly sequence: number;
  readonly revision: string;
}

/** Whether the last attempt failed; a test is sent as if it had not. */
export const isFailing = ({ attempt, test_id }: Webhook) => attempt > 0 && test_id === null;

export interface LookOptions {
  readonly now: number;
  readonly dueAtMs: number;
  readonly limit: number;
  /** Of those whose last attempt failed, in addition to the others. */
  readonly failingLimit: number;
  readonly limitOfAccount: number;
  /** Accounts whose endpoints are not wanted. */
  readonly except: readonly string[];
}

const COLUMNS = WEBHOOK_COLUMNS.map((name) => `webhooks.${name}`).join(', ');
const OLDEST_FIRST = `coalesce(claim, ''), id`;

/**
 * Endpoints that nobody has claimed and that have something to send: a test, a range in flight, another
 * revision of the account, or payments. One of each account comes before the second of any, and those that
 * have waited the longest come first. Those whose last attempt failed take the place of no other.
 */
export async function readReady(
  store: Pick<Store, 'dialect' | 'read'>,
  { now, dueAtMs, limit, failingLimit, limitOfAccount, except }: LookOptions,
): Promise<Ready[]> {
  const values = new Values();
  const time = values.bind(timestampOf(now));
  const due = lastDueTime(now, dueAtMs);
  const payments = `events like '%"${PAYMENTS_DUE}"%'
    and (due_day is null or due_day < ${values.bind(dayOf(due))} or due_day > ${values.bind(dayOf(now))})
    and webhooks.created_at < ${values.bind(timestampOf(due))}`;
  const claim = soundColumn('claim', values.bind(latestOf('claim', now)));
  const retry = soundColumn('retry', values.bind(latestOf('retry', now)));
  const number = (value: number) => `cast(${values.bind(value)} as bigint)`;
  const wanted =
    except.length === 0 ? 'true' : `not ${store.dialect.among('account_id', values.bind(except), 'text')}`;
  const ready = `select ${COLUMNS}, sequence, revision, ${claim} as claim,
      case when attempt > 0 and test_id is null then 1 else 0 end as failing
    from webhooks join accounts on accounts.id = account_id
    where coalesce(${claim}, '') <= ${time} and ${wanted}
      and (test_id is not null or (status = 'active' and coalesce(${retry}, '') <= ${time}))
      and (test_id is not null or (disabled_at is null
        and (to_sequence is not null or revision <> from_revision or (${payments}))))`;
  // With Citus accounts are on nodes and webhooks are not: what is ready is ranked once it is read.
  const text = `with ready as materialized (${ready}), of_accounts as (
      select ready.*, row_number() over (partition by account_id, failing order by ${OLDEST_FIRST}) as nth from ready
    ), in_order as (
      select of_accounts.*, row_number() over (partition by failing order by nth, ${OLDEST_FIRST}) as place
      from of_accounts where nth <= ${limitOfAccount}
    ) select ${WEBHOOK_COLUMNS.join(', ')}, sequence, revision from in_order
    where place <= case failing when 1 then ${number(failingLimit)} else ${number(limit)} end
    order by failing, place`;
  const [found] = await store.read({ text, values: values.list });
  return found.map((row) => {
    const [sequence, revision] = row.slice(WEBHOOK_COLUMNS.length);
    return { webhook: webhookOf(row), sequence: Number(sequence), revision: String(revision) };
  });
}

/**
 * Claims an endpoint that was found ready, and fixes where its range ends, unless that is fixed already; it
 * changes no row if another deliverer was faster.
 */
export function claimStatement(
  { webhook, sequence, revision }: Ready,
  holder: string,
  now: number,
): Statement {
  const values = new Values();
  const { id, from_sequence, to_sequence } = webhook;
  const range: WebhookValues = to_sequence === null ? { to_sequence: sequence, to_revision: revision } : {};
  const changes = { claimed_by: holder, claimed_until: timestampOf(now + CLAIM_MILLISECONDS), ...range };
  const claim = soundColumn('claim', values.bind(latestOf('claim', now)));
  const free = `coalesce(${claim}, '') <= ${values.bind(timestampOf(now))}`;
  const asFound = `from_sequence = ${values.bind(from_sequence)} and to_sequence is ${to_sequence === null ? 'null' : 'not null'}`;
  const text = `update webhooks set ${assigned(values, changes).join(', ')} where id = ${values.bind(id)} and ${free} and ${asFound}`;
  return separate({ text, values: values.list });
}

/**
 * Changes an endpoint whose claim still holds, and renews the claim or ends it; otherwise no row.
 * @param found changes it only if it has these values.
 */
export function heldStatement(
  { id, holder, now }: { readonly id: string; readonly holder: string; readonly now: number },
  changes: WebhookValues,
  isLast: boolean,
  found: WebhookValues = {},
): Statement {
  const values = new Values();
  const claim = isLast
    ? { claimed_by: null, claimed_until: timestampOf(now) }
    : { claimed_until: timestampOf(now + CLAIM_MILLISECONDS) };
  const text = `update webhooks set ${assigned(values, { ...changes, ...claim }).join(', ')}
    where ${conditionOf(values, { ...found, id })} and claimed_by = ${values.bind(holder)}`;
  return separate({ text, values: values.list });
}

const ID_CHARACTERS = 32;

/**
 * The `webhook-id` of a delivery: the same for each repeat, and another for anything else. The revisions at
 * both ends are in it, because a restored database counts the same sequences again.
 */
export function messageId(webhook: Webhook, type: string, last: number | string): string {
  const { id, from_sequence, from_revision, to_sequence, to_revision } = webhook;
  const parts = [id, from_sequence, from_revision, to_sequence, to_revision, type, last];
  return `msg_${hash('sha256', JSON.stringify(parts), 'base64url').slice(0, ID_CHARACTERS)}`;
}
