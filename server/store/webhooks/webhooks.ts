// Webhook endpoints (docs/decisions/033-webhooks-without-a-queue.md): how they are stored and read, and their
// last attempts. One of a disabled account is silent; a test is sent whatever the status.

import { timestampOf } from '@linecard/client/contract/timestamp';
import {
  LISTED_ATTEMPTS,
  SHOWN_ATTEMPTS,
  type WebhookAttempt as ShownAttempt,
  type WebhookEvent,
  type WebhookFormat,
  type WebhookReason,
  type WebhookStatus,
} from '@linecard/client/contract/webhooks';
import { objectsOf, type Statement, separate, sql, statement } from '../sql.ts';
import type { ResultRow, Store } from '../store.ts';
import { databaseNow, latestOf, soundTime } from '../stored-times.ts';
import type { ListName, Stored } from '../tables.ts';

/** A deliverer that has not said for this long that it runs does not. */
const SEEN_MILLISECONDS = 30_000;
const FORGOTTEN_MILLISECONDS = 86_400_000;

/** What an endpoint subscribes to, and its address. */
export interface WebhookScope {
  readonly name: string;
  readonly url: string;
  readonly format: WebhookFormat;
  /** In the order of the contract; `null` for all. */
  readonly lists: readonly ListName[] | null;
  readonly events: readonly WebhookEvent[];
  /** The fields of each item, in addition to `id`; `null` for all. */
  readonly fields: readonly string[] | null;
  readonly charges: boolean;
}

/** Up to where changes are delivered, and the range that is being delivered. */
interface Position {
  /** Every change up to this sequence is delivered. */
  readonly from_sequence: number;
  readonly from_revision: string;
  /** The end of the range that is being delivered, fixed before its first attempt; null between ranges. */
  readonly to_sequence: number | null;
  readonly to_revision: string | null;
  /** The delivery of the range that is next: what it is about, and after which id; null at its start. */
  readonly step: string | null;
  readonly after_id: number | null;
}

interface Progress {
  /** How often the current delivery has failed, and when it is tried again. */
  readonly attempt: number;
  readonly next_at: string | null;
  readonly failing_since: string | null;
  readonly succeeded_at: string | null;
  /** The day of the last `payments_due`, such as `2026-11-21`. */
  readonly due_day: string | null;
  /** The message id of a test that was requested and is not sent yet. */
  readonly test_id: string | null;
  /** The deliverer that sends to it, and until when. */
  readonly claimed_by: string | null;
  readonly claimed_until: string | null;
}

export interface Webhook extends WebhookScope, Position, Progress {
  readonly id: string;
  readonly account_id: string;
  readonly status: WebhookStatus;
  readonly reason: WebhookReason | null;
  readonly secret_version: number;
  /** Until when the secret before this one signs as well. */
  readonly overlap_until: string | null;
  readonly created_at: string;
}

type ReadValue = (value: Stored) => unknown;
const asIs: ReadValue = (value) => value;
const flag: ReadValue = (value) => value === 1;
const json: ReadValue = (value) => (value === null ? null : JSON.parse(String(value)));

/** Every column, and how its value is read. */
const COLUMNS: Readonly<Record<keyof Webhook, ReadValue>> = {
  id: asIs,
  account_id: asIs,
  name: asIs,
  url: asIs,
  format: asIs,
  lists: json,
  events: json,
  fields: json,
  charges: flag,
  status: asIs,
  reason: asIs,
  secret_version: asIs,
  overlap_until: asIs,
  created_at: asIs,
  from_sequence: asIs,
  from_revision: asIs,
  to_sequence: asIs,
  to_revision: asIs,
  step: asIs,
  after_id: asIs,
  attempt: asIs,
  next_at: asIs,
  failing_since: asIs,
  succeeded_at: asIs,
  due_day: asIs,
  test_id: asIs,
  claimed_by: asIs,
  claimed_until: asIs,
};

/** All columns; the account is the second. */
export const WEBHOOK_COLUMNS = Object.keys(COLUMNS) as (keyof Webhook)[];

export function webhookOf(row: ResultRow): Webhook {
  const members = WEBHOOK_COLUMNS.map((name, i) => [name, COLUMNS[name](row[i] as Stored)]);
  return Object.fromEntries(members) as Webhook;
}

/** As it is shown: times that are void are not there. */
export function withSoundTimes(webhook: Webhook, now = Date.now()): Webhook {
  const { succeeded_at, failing_since, next_at } = webhook;
  return {
    ...webhook,
    succeeded_at: soundTime('success', succeeded_at, now),
    failing_since: soundTime('failing', failing_since, now),
    next_at: soundTime('retry', next_at, now),
  };
}

/** Some members of an endpoint. */
export type WebhookValues = Readonly<Partial<Record<keyof Webhook, Webhook[keyof Webhook]>>>;

/** The columns of these members, each with what is stored in it. */
export function storedValues(values: WebhookValues): [column: string, value: Stored][] {
  return Object.entries(values).map(([name, value]) => {
    if (typeof value === 'boolean') return [name, Number(value)];
    return [name, typeof value === 'object' && value !== null ? JSON.stringify(value) : value];
  });
}

const SELECT = `select ${WEBHOOK_COLUMNS.join(', ')} from webhooks`;

/** All endpoints, or those of some accounts, by account and age. */
export async function listWebhooks(store: Pick<Store, 'dialect' | 'read'>, accounts?: readonly string[]) {
  const where = accounts && `where ${store.dialect.among('account_id', '$1', 'text')}`;
  const text = `${SELECT} ${where ?? ''} order by account_id, created_at, id`;
  const [rows] = await store.read({ text, values: accounts === undefined ? [] : [accounts] });
  return rows.map(webhookOf);
}

export async function findWebhook(store: Pick<Store, 'read'>, id: string): Promise<Webhook | undefined> {
  const [[row]] = await store.read(statement(`${SELECT} where id = $1`, id));
  return row && webhookOf(row);
}

/** An attempt to deliver, with its endpoint. */
export interface WebhookAttempt extends ShownAttempt {
  /** Begins with the microseconds at which it was sent (`newId` in audit.ts). */
  readonly id: string;
  readonly webhook_id: string;
  readonly account_id: string;
}

export const ATTEMPT_COLUMNS = [
  'id',
  'webhook_id',
  'account_id',
  'at',
  'message_id',
  'type',
  'status',
  'fault',
  'ms',
  'next_at',
] as const satisfies readonly (keyof WebhookAttempt)[];

export function attemptOf(row: ResultRow): WebhookAttempt {
  return objectsOf<WebhookAttempt>(ATTEMPT_COLUMNS, [row])[0] as WebhookAttempt;
}

/**
 * What follows `select` for the last attempts of each endpoint, newest first. They are read endpoint by
 * endpoint, of each no more than that: far more are retained.
 * @param where which endpoints
 * @param visible a condition of an attempt
 */
export function lastAttempts(
  most: number,
  where: string,
  visible: (attempt: string) => string = () => 'true',
): string {
  const isOf = (attempt: string) => `${attempt}.webhook_id = webhooks.id and ${visible(attempt)}`;
  return `${ATTEMPT_COLUMNS.map((name) => `attempt.${name}`).join(', ')}
    from webhooks cross join webhook_attempts as attempt
    where ${where} and ${isOf('attempt')}
      and attempt.id >= coalesce((select last.id from webhook_attempts as last
        where ${isOf('last')} order by last.id desc limit 1 offset ${most - 1}), '')
    order by attempt.id desc`;
}

/** The last attempts of an endpoint, newest first. */
export async function readAttempts(store: Pick<Store, 'read'>, webhook: string): Promise<WebhookAttempt[]> {
  const of = lastAttempts(SHOWN_ATTEMPTS, 'webhooks.id = $1');
  const [rows] = await store.read(statement(`select ${of}`, webhook));
  return rows.map(attemptOf);
}

/** The last few attempts of all endpoints, or of those of some accounts, newest first, by endpoint. */
export async function listAttempts(
  store: Pick<Store, 'dialect' | 'read'>,
  accounts?: readonly string[],
): Promise<ReadonlyMap<string, WebhookAttempt[]>> {
  const where = accounts === undefined ? 'true' : store.dialect.among('webhooks.account_id', '$1', 'text');
  const values = accounts === undefined ? [] : [accounts];
  const [rows] = await store.read({ text: `select ${lastAttempts(LISTED_ATTEMPTS, where)}`, values });
  return Map.groupBy(rows.map(attemptOf), ({ webhook_id }) => webhook_id);
}

/** A process that sends. */
export interface Deliverer {
  readonly id: string;
  /** The user and the machine that it runs as. */
  readonly actor: string;
  readonly started_at: string;
}

/** The statements that record that a deliverer runs, every ten seconds or so, and delete those long gone. */
export function recordDeliverer({ id, actor, started_at }: Deliverer, now = Date.now()): Statement[] {
  return [
    sql`insert into deliverers (id, actor, started_at, seen_at)
      values (${id}, ${actor}, ${started_at}, ${timestampOf(now)})
      on conflict (id) do update set seen_at = excluded.seen_at`,
    sql`delete from deliverers where seen_at < ${timestampOf(now - FORGOTTEN_MILLISECONDS)}`,
  ].map(separate);
}

export function forgetDeliverer(id: string): Statement {
  return separate(sql`delete from deliverers where id = ${id}`);
}

export async function readDeliverers(store: Pick<Store, 'dialect' | 'read'>): Promise<Deliverer[]> {
  const now = await databaseNow(store);
  const [rows] = await store.read(sql`select id, actor, started_at from deliverers
    where seen_at >= ${timestampOf(now - SEEN_MILLISECONDS)} and seen_at <= ${latestOf('deliverer', now)}
    order by started_at`);
  return rows.map(([id, actor, started_at]) => ({ id, actor, started_at }) as Deliverer);
}
