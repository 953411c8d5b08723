// The client that waits for an answer: for how long it may, and where the time of its request goes.

import { StoreUnavailable } from '../store/store-errors.ts';

/** Where the time of a request goes, in milliseconds, as far as it is known. */
export interface Stages {
  /** Waiting for a worker thread. */
  queueMs: number;
  /** Computing the answer, the database included. */
  storeMs: number;
}

export interface WaitingClient {
  /** For how many milliseconds it has been waiting. */
  readonly waitedMs: () => number;
  /** Whether it has disconnected. */
  readonly isDisconnected: () => boolean;
  /** Where its request records its stages, if anywhere. */
  readonly stages?: Stages;
}

/** How many milliseconds longer a client may wait; `undefined` where there is no limit. */
export function timeLeft(deadlineMs: number | undefined, client: WaitingClient): number | undefined {
  return deadlineMs === undefined ? undefined : Math.max(1, deadlineMs - client.waitedMs());
}

/** Records how long some work takes, without the wait for a worker thread. */
export async function timed<T>(stages: Stages | undefined, work: () => Promise<T>): Promise<T> {
  if (stages === undefined) return work();
  const start = performance.now();
  const queued = stages.queueMs;
  try {
    return await work();
  } finally {
    stages.storeMs += performance.now() - start - (stages.queueMs - queued);
  }
}

/**
 * The result of some work, if it comes in time.
 * @throws {StoreUnavailable} when it does not; the work goes on, and its result is dropped.
 */
export function inTime<T>(
  work: Promise<T>,
  deadlineMs: number | undefined,
  client: WaitingClient,
): Promise<T> {
  const timeMs = timeLeft(deadlineMs, client);
  return timeMs === undefined ? work : within(timeMs, work);
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
