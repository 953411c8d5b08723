// How long the client of a request waits for the database, where there is a limit.

import type { Awaitable } from '../awaitable.ts';
import { StoreUnavailable } from '../store/store-errors.ts';

/** Where the time of a request goes, in milliseconds, as far as it is known. */
export interface Stages {
  /** Waiting for a worker thread. */
  queueMs: number;
  /** Having the answer worked out, the database included. */
  storeMs: number;
}

/** The client that waits for an answer. */
export interface WaitingClient {
  /** For how many milliseconds it has been waiting. */
  readonly waitedMs: () => number;
  /** Whether it has left. */
  readonly isGone: () => boolean;
  /** What is noted of its request, if anything is. */
  readonly stages?: Stages;
}

/** How many milliseconds longer a client may wait; `undefined` where there is no limit. */
export function timeLeft(deadlineMs: number | undefined, client: WaitingClient): number | undefined {
  return deadlineMs === undefined ? undefined : Math.max(1, deadlineMs - client.waitedMs());
}

/** Works, and notes how long that took without what was spent waiting for a worker thread. */
export function timed<T>(stages: Stages | undefined, work: () => Awaitable<T>): Awaitable<T> {
  if (stages === undefined) return work();
  const begin = performance.now();
  const queued = stages.queueMs;
  const note = () => {
    stages.storeMs += performance.now() - begin - (stages.queueMs - queued);
  };
  let result: Awaitable<T> | undefined;
  try {
    result = work();
    return result instanceof Promise ? result.finally(note) : result;
  } finally {
    if (!(result instanceof Promise)) note();
  }
}

/**
 * The result of some work, if it comes in time.
 * @throws {StoreUnavailable} when it does not; the work comes to its own end, and its result is dropped.
 */
export function inTime<T>(
  work: Awaitable<T>,
  deadlineMs: number | undefined,
  client: WaitingClient,
): Awaitable<T> {
  const timeMs = timeLeft(deadlineMs, client);
  return timeMs === undefined || !(work instanceof Promise) ? work : within(timeMs, work);
}

async function within<T>(timeMs: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(StoreUnavailable.late()), timeMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
