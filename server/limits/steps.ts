// Work of the request thread in steps, so that other requests are answered in between.

import { setImmediate as laterIteration } from 'node:timers/promises';
import { FairQueue } from './fair-queue.ts';

/** One step runs per iteration of the event loop, round robin among accounts. */
const queue = new FairQueue<() => void>();
let isScheduled = false;

function schedule(): void {
  if (isScheduled || queue.isEmpty) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    queue.take()?.();
    schedule();
  });
}

/** Runs a computation; each `next` is a step. */
export function inSteps<T>(account_id: string, computation: Iterator<void, T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const step = () => {
    try {
      const { done, value } = computation.next();
      if (done === true) resolve(value);
      else queue.push(account_id, step);
    } catch (error) {
      reject(error);
    }
  };
  queue.push(account_id, step);
  schedule();
  return promise;
}

/** The same, except that the first step runs immediately: what is one step waits for nothing. */
export async function inStepsFromNow<T>(account_id: string, computation: Iterator<void, T>): Promise<T> {
  const { done, value } = computation.next();
  return done === true ? value : inSteps(account_id, computation);
}

/** A computation whose result is known. */
export const oneStep = <T>(value: T): Iterator<void, T> => ({ next: () => ({ done: true, value }) });

/** Runs work on up to `size` values at a time. */
export async function forParts<T>(
  values: readonly T[],
  size: number,
  work: (part: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < values.length; start += size) {
    await work(values.slice(start, start + size));
    await laterIteration();
  }
}
