// Long computations on the request thread: one step of a few milliseconds in each iteration of the event
// loop, and the accounts in round robin, so that the requests of others are answered in between.

import { FairQueue } from '../fair-queue.ts';

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

/** The result of a computation; each `next` of it is a step. */
export function inSteps<T>(account_id: string, computation: Generator<void, T>): Promise<T> {
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
