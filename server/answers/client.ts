// The client that waits for an answer: its deadline, and where the time of its request is spent.

import { StoreUnavailable } from '../store/store-errors.ts';

/** Where the time of a request is spent, in milliseconds. */
export interface Stages {
  queueMs: number;
  /** Computing the answer, including database time. */
  storeMs: number;
}

export interface WaitingClient {
  readonly waitedMs: () => number;
  readonly isDisconnected: () => boolean;
  readonly stages?: Stages;
}

/** Milliseconds until the deadline of a client; `undefined` if there is none. */
export function timeLeft(deadlineMs: number | undefined, client: WaitingClient): number | undefined {
  return deadlineMs === undefined ? undefined : Math.max(1, deadlineMs - client.waitedMs());
}

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

/** @throws {StoreUnavailable} after the deadline; the work continues, and its result is discarded. */
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
