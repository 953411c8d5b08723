// What follows from an attempt: when it is repeated, and when an endpoint is disabled. Pure.

import { timestampOf } from '@linecard/client/contract/timestamp';
import type { WebhookReason } from '@linecard/client/contract/webhooks';
import type { Webhook } from '../store/webhooks.ts';
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
const DELAY_SECONDS = /^\d{1,9}$/;

export function isSuccess({ status = 0 }: Outcome): boolean {
  return status >= 200 && status < 300;
}

/** The delay that an answer asks for (RFC 9110, 10.2.3), up to a day; undefined for none. */
function requestedDelay({ retryAfter }: Outcome, now: number): number | undefined {
  if (retryAfter === undefined) return undefined;
  const delay = DELAY_SECONDS.test(retryAfter) ? Number(retryAfter) * SECOND : Date.parse(retryAfter) - now;
  return Number.isNaN(delay) ? undefined : Math.min(Math.max(delay, DELAYS[0] as number), DAY);
}

/** @param failures how often the delivery has failed, at least once. */
export function delayAfter(failures: number, outcome: Outcome, now: number, random = Math.random()): number {
  const usual = (DELAYS[failures - 1] ?? HOUR) * (1 - JITTER + 2 * JITTER * random);
  return Math.round(requestedDelay(outcome, now) ?? usual);
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
