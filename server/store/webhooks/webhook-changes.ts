// Changes of webhook endpoints, each with its entry in the audit log.
//
// A change that moves or ends the position takes the endpoint from the deliverer that has claimed it, whose
// outcome then is not written. It sends for at most 15 seconds more, so the claim is left for 20: no two
// attempts overlap.

import { timestampOf } from '@linecard/client/contract/timestamp';
import type { WebhookReason } from '@linecard/client/contract/webhooks';
import { Values } from '../conditions.ts';
import type { ChangeStore, EventOrigin } from '../log/audit.ts';
import { ofAccount, separate, sql } from '../sql.ts';
import { databaseNow } from '../stored-times.ts';
import { newTokenId } from '../token-text.ts';
import { lockAccount } from '../write-lock.ts';
import {
  assigned,
  conditionOf,
  deleteStatements,
  NO_RANGE,
  recordWebhooks,
  restoredPosition,
  type WebhookChoice,
} from './webhook-records.ts';
import {
  findWebhook,
  storedValues,
  type Webhook,
  type WebhookScope,
  type WebhookValues,
} from './webhooks.ts';

const RELEASED_MILLISECONDS = 20_000;

/**
 * Creates an endpoint, to which everything is delivered from now on.
 * @returns `undefined` when there is no such account, `full` when it has `max` already.
 */
export async function insertWebhook(
  store: ChangeStore,
  account_id: string,
  scope: WebhookScope,
  max: number,
  by: EventOrigin,
): Promise<Webhook | 'full' | undefined> {
  const id = newTokenId();
  const fixed = { status: 'active', secret_version: 1, attempt: 0, created_at: timestampOf() } as const;
  const given = storedValues({ id, ...scope, ...fixed });
  const values = new Values();
  const bound = given.map(([, value]) => values.bind(value));
  const account = values.bind(account_id);
  // An account without endpoints yet, or with fewer than it may have.
  const text = `insert into webhooks (${given.map(([name]) => name).join(', ')}, account_id, from_sequence, from_revision)
    select ${bound.join(', ')}, id, sequence, revision from accounts where id = ${account}
      and (select count(*) from webhooks where account_id = ${account}) < ${values.bind(max)}`;
  // Waits for a deletion of the account, and keeps it from being deleted meanwhile.
  const lock = lockAccount(store, account_id, 'key share');
  const { lockWebhooks } = store.dialect;
  if (lockWebhooks !== undefined) lock.push({ text: lockWebhooks, values: [] });
  const changes = await store.write(
    ...lock,
    separate({ text, values: values.list }),
    recordWebhooks('created', { id }, by),
  );
  if (changes[lock.length] === 1) return findWebhook(store, id);
  const [found] = await store.read(sql`select id from accounts where id = ${account_id}`);
  return found.length === 1 ? 'full' : undefined;
}

/** Assignments that take an endpoint from its deliverer. */
function released(values: Values, now: number): string[] {
  const until = values.bind(timestampOf(now + RELEASED_MILLISECONDS));
  const sooner = `case when claimed_until > ${until} then ${until} else claimed_until end`;
  return ['claimed_by = null', `claimed_until = ${sooner}`];
}

interface ChangeOptions {
  readonly isReleased?: boolean;
  /** As the audit log shows it after `webhook`. */
  readonly event: string;
}

/** Changes endpoints; returns how many there are. */
async function change(
  store: ChangeStore,
  choice: WebhookChoice,
  changes: WebhookValues,
  by: EventOrigin,
  { isReleased = false, event }: ChangeOptions,
): Promise<number> {
  const values = new Values();
  const sets = [
    ...assigned(values, changes),
    ...(isReleased ? released(values, await databaseNow(store)) : []),
  ];
  const text = `update webhooks set ${sets.join(', ')} where ${conditionOf(values, choice)}`;
  const entry = recordWebhooks(event, choice, by);
  const [, count = 0] = await store.write(entry, separate({ text, values: values.list }));
  return count;
}

const one = (id: string) => ({ id }) as const;

/** Stops sending; the position stays. What is being sent ends as it would have. */
export async function pauseWebhook(store: ChangeStore, id: string, by: EventOrigin): Promise<boolean> {
  const changes = { status: 'paused', reason: null } as const;
  return (await change(store, one(id), changes, by, { event: 'paused' })) === 1;
}

/** Goes on from the position, immediately. */
export async function enableWebhook(store: ChangeStore, id: string, by: EventOrigin): Promise<boolean> {
  const again = { attempt: 0, next_at: null, failing_since: null };
  const changes = { status: 'active', reason: null, ...again } as const;
  return (await change(store, one(id), changes, by, { event: 'enabled' })) === 1;
}

/** Begins a new version of the secret; the old one goes on signing for the overlap, in milliseconds. */
export async function rotateWebhook(
  store: ChangeStore,
  id: string,
  overlapMs: number,
  by: EventOrigin,
): Promise<Webhook | undefined> {
  const found = await findWebhook(store, id);
  if (found === undefined) return undefined;
  const overlap_until = overlapMs === 0 ? null : timestampOf(Date.now() + overlapMs);
  const changes = { secret_version: found.secret_version + 1, overlap_until };
  await change(store, one(id), changes, by, { event: 'rotated' });
  return findWebhook(store, id);
}

/**
 * Has the deliverer send `webhook.test` with this message id, unless a test waits already.
 * @returns the message id of the one that waits; `undefined` if that was sent just now.
 */
export async function testWebhook(
  store: ChangeStore,
  id: string,
  test_id: string,
): Promise<string | undefined> {
  const [begun] = await store.write(
    separate(sql`update webhooks set test_id = ${test_id} where id = ${id} and test_id is null`),
  );
  return begun === 1 ? test_id : ((await findWebhook(store, id))?.test_id ?? undefined);
}

/** Takes back a test that was not sent. */
export async function endTest(store: ChangeStore, id: string, test_id: string): Promise<void> {
  await store.write(
    separate(sql`update webhooks set test_id = null where id = ${id} and test_id = ${test_id}`),
  );
}

/** Changes what an endpoint subscribes to, and its address, from the next delivery on. */
export async function changeScope(
  store: ChangeStore,
  id: string,
  scope: Partial<WebhookScope>,
  by: EventOrigin,
): Promise<boolean> {
  // What failed may succeed now.
  const changes = { ...scope, attempt: 0, next_at: null };
  return (await change(store, one(id), changes, by, { event: 'updated' })) === 1;
}

/** When the first import was that is delivered again; null if the position is not after that time. */
export interface Replayed {
  readonly from: string | null;
}

/**
 * Moves the position back to the first import after a time.
 * @returns `undefined` when there is no such endpoint.
 */
export async function replayWebhook(
  store: ChangeStore,
  id: string,
  time: string,
  by: EventOrigin,
): Promise<Replayed | undefined> {
  const found = await findWebhook(store, id);
  if (found === undefined) return undefined;
  // A sequence begins when the one before ends.
  const text = `select account_id, sequence, revision, ended_at from revisions
    where account_id = $1 and sequence < $2 and ended_at >= $3 order by sequence limit 1`;
  const [[row]] = await store.read(ofAccount(found.account_id, text, found.from_sequence, time));
  if (row === undefined) return { from: null };
  const [sequence, revision, ended_at] = row as readonly [number, string, string];
  const from = { from_sequence: Number(sequence), from_revision: revision };
  const changes = { ...NO_RANGE, attempt: 0, next_at: null, ...from };
  await change(store, one(id), changes, by, { event: 'replayed', isReleased: true });
  return { from: ended_at };
}

/** Moves the position to now: what has not been delivered is left out. */
export async function skipWebhook(store: ChangeStore, id: string, by: EventOrigin): Promise<boolean> {
  const found = await findWebhook(store, id);
  if (found === undefined) return false;
  const { account_id } = found;
  const text = 'select id, sequence, revision from accounts where id = $1';
  const [[row]] = await store.read(ofAccount(account_id, text));
  if (row === undefined) return false;
  const [sequence, revision] = row as readonly [number, string];
  const from = { from_sequence: Number(sequence), from_revision: revision };
  const changes = { ...NO_RANGE, attempt: 0, next_at: null, failing_since: null, ...from };
  return (await change(store, one(id), changes, by, { event: 'skipped', isReleased: true })) === 1;
}

/** Pauses endpoints because of what happened to their database. */
export function restoreWebhooks(store: ChangeStore, by: EventOrigin): Promise<number> {
  const reason = 'restored' satisfies WebhookReason;
  const changes = { ...restoredPosition(), status: 'paused', reason } as const;
  return change(store, 'all', changes, by, { event: 'restored', isReleased: true });
}

/** Deletes an endpoint with its attempts. */
export async function deleteWebhook(store: ChangeStore, id: string, by: EventOrigin): Promise<boolean> {
  const [, deleted] = await store.write(...deleteStatements(one(id), by));
  return deleted === 1;
}
