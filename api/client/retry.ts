// When to retry, and how long to wait first (RFC 9110, section 10.2.3; full jitter). All requests of a client
// are safe to repeat.

import { Problem } from '../contract/problems.ts';
import { isUnreachable, isWrongAddress } from './failure.ts';

/** The ceiling of the first wait; it doubles with each further one. */
const BASE_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;
/** Spreads clients that got the same `Retry-After`. */
const SPREAD_MS = 250;
/** A deployment that never answered is given up after this time; the waits until then are short. */
const GIVE_UP_MS = 1_500;
const SHORT_WAIT_MS = 300;
/** A timer for longer ends immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Another attempt that is about to be made. */
export interface Retry {
  /** Why the last one failed. */
  readonly problem: Problem;
  /** Which further attempt it is, from 1. */
  readonly attempt: number;
  /** How many further attempts there are at most. */
  readonly retries: number;
  /** How long the client waits before it. */
  readonly wait_ms: number;
}

/** How long a client goes on trying. */
export interface Patience {
  /** How many times to retry. */
  readonly retries: number;
  /** The longest `Retry-After` that is waited for. */
  readonly max_wait_ms: number;
}

function isPassing({ code, status }: Problem): boolean {
  if (code === 'network' || code === 'timeout' || code === 'broken-off') return true;
  return (
    status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501 && status !== 505)
  );
}

/**
 * How many milliseconds to wait before the next attempt, after attempt number `attempt` (from 1) failed.
 * @throws {Problem} the same, where a retry is no use or is not allowed any more
 */
export function waitAfter(problem: Problem, attempt: number, patience: Patience): number {
  if (!isPassing(problem) || attempt > patience.retries) throw problem;
  const backoff = Math.random() * Math.min(MAX_BACKOFF_MS, BASE_MS * 2 ** (attempt - 1));
  if (problem.retry_after === undefined) return backoff;
  const wanted = problem.retry_after * 1_000;
  if (wanted > patience.max_wait_ms) throw unwilling(problem, patience);
  return Math.min(MAX_TIMER_MS, Math.max(wanted + Math.random() * SPREAD_MS, backoff));
}

/**
 * The same where no attempt of the client ever reached the deployment: most likely there is no network or the
 * address is wrong, and a person is waiting.
 * @param elapsedMs since the first attempt
 * @throws {Problem} as `waitAfter`
 */
export function waitUnreached(
  problem: Problem,
  attempt: number,
  patience: Patience,
  elapsedMs: number,
): number {
  const wait = waitAfter(problem, attempt, patience);
  if (isWrongAddress(problem.cause)) throw problem;
  if (!isUnreachable(problem.cause)) return wait;
  const short = Math.min(wait, SHORT_WAIT_MS);
  if (elapsedMs + short > GIVE_UP_MS) throw problem;
  return short;
}

function unwilling(problem: Problem, { max_wait_ms }: Patience): Problem {
  const { status, faults, request_id, retry_after } = problem;
  const detail = `${problem.message} It asks to wait ${retry_after} seconds, and \`max_wait_ms\` allows ${max_wait_ms / 1_000}.`;
  return new Problem(problem.code as 'rate-limited', detail, {
    status,
    request_id,
    retry_after,
    ...(faults && { faults }),
  });
}

/** @throws {Problem} `aborted` */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(abortedBy(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
  });
}

/** @throws {Problem} `aborted` */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortedBy(signal);
}

function abortedBy(signal: AbortSignal | undefined): Problem {
  return new Problem('aborted', 'The call was aborted.', { cause: signal?.reason });
}
