// What follows from an attempt: when it is repeated, and when an endpoint is disabled. Pure.

import { retryAfterSeconds } from '@linecard/client/contract/retry-after';
import { timestampOf } from '@linecard/client/contract/timestamp';
import type { WebhookReason } from '@linecard/client/contract/webhooks';
import type { Webhook } from '../store/webhooks/webhooks.ts';
import type { Outcome } from './sending.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
/** The delays before the first repeats; later ones are hourly. */
const DELAYS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE];
/** Receivers that failed together are not sent to again together. */
const JITTER = 0.2;
const FAILING_MILLISECONDS = 5 * DAY;
const GONE = 410;

export function isSuccess({ status = 0 }: Outcome): boolean {
  return status >= 200 && status < 300;
}

/**
 * The usual delay, or a longer one that the answer asks for, up to a day: no receiver makes
 * attempts more frequent.
 * @param failures how often the delivery has failed, at least once.
 */
export function delayAfter(failures: number, outcome: Outcome, now: number, random = Math.random()): number {
  const usual = (DELAYS[failures - 1] ?? HOUR) * (1 - JITTER + 2 * JITTER * random);
  const wanted = SECOND * (retryAfterSeconds(outcome.retryAfter, now) ?? 0);
  return Math.round(Math.max(usual, Math.min(wanted, DAY)));
}

/** Why an endpoint is disabled after a failure, if it is. */
export function disabledAfter(
  { failing_since }: Pick<Webhook, 'failing_since'>,
  { status }: Outcome,
  now: number,
): WebhookReason | undefined {
  if (status === GONE) return 'gone';
  const isFailing = failing_since !== null && failing_since <= timestampOf(now - FAILING_MILLISECONDS);
  return isFailing ? 'failing' : undefined;
}
