// How webhooks are doing, for metrics and `doctor`: how many there are by status, and how far the slowest is
// behind.

import { WEBHOOK_STATUSES, type WebhookStatus } from '@linecard/client/contract/webhooks';
import { statement } from '../sql.ts';
import type { Store } from '../store.ts';

const MILLISECONDS_PER_SECOND = 1_000;

export interface WebhookState {
  readonly byStatus: Readonly<Record<WebhookStatus, number>>;
  /** How long ago the oldest change was committed that an active one has not been sent; 0 without any. */
  readonly oldestPendingSeconds: number;
}

/** Those of accounts that are not disabled. */
export async function readWebhookState(
  store: Pick<Store, 'read'>,
  now: number = Date.now(),
): Promise<WebhookState> {
  // A change is committed when the sequence before it ends.
  const since = `coalesce((select ended_at from revisions
    where revisions.account_id = accounts.id and revisions.sequence = from_sequence), updated_at)`;
  const [statuses, [oldest]] = await store.read(
    statement('select status, count(*) from webhooks group by status'),
    statement(`select min(${since}) from webhooks join accounts on accounts.id = webhooks.account_id
      where status = 'active' and disabled_at is null and revision <> from_revision`),
  );
  const counts = new Map(statuses.map(([status, count]) => [status, Number(count)]));
  const names = Object.keys(WEBHOOK_STATUSES) as WebhookStatus[];
  const at = (oldest?.[0] ?? null) as string | null;
  return {
    byStatus: Object.fromEntries(
      names.map((name) => [name, counts.get(name) ?? 0]),
    ) as WebhookState['byStatus'],
    oldestPendingSeconds: at === null ? 0 : Math.max(0, now - Date.parse(at)) / MILLISECONDS_PER_SECOND,
  };
}
