// How long the client of a request waits for the database, where there is a limit.

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
export async function timed<T>(stages: Stages | undefined, work: () => T | Promise<T>): Promise<T> {
  if (stages === undefined) return work();
  const [begin, queued] = [performance.now(), stages.queueMs];
  try {
    return await work();
  } finally {
    stages.storeMs += performance.now() - begin - (stages.queueMs - queued);
  }
}

/**
 * The result of some work, if it comes in time.
 * @throws {StoreUnavailable} when it does not; the work comes to its own end, and its result is dropped.
 */
export async function inTime<T>(
  work: Promise<T>,
  deadlineMs: number | undefined,
  client: WaitingClient,
): Promise<T> {
  const timeMs = timeLeft(deadlineMs, client);
  if (timeMs === undefined) return work;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(StoreUnavailable.late()), timeMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
