// Work that is done again and again at an even pace.

import { setTimeout as sleep } from 'node:timers/promises';

/** No timer waits longer than some weeks. */
const LONGEST_SLEEP = 86_400_000;

/** Waits until then, as `performance.now()` says it, or until the signal, whichever comes first. */
async function sleepUntil(then: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && performance.now() < then) {
    const ms = Math.min(then - performance.now(), LONGEST_SLEEP);
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Does the work now and then every so many milliseconds, counted from start to start, until the signal. Work
 * that takes longer than that is not begun twice: the starts that it misses are left out.
 */
export async function repeat(everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const begin = performance.now();
  while (!signal.aborted) {
    await work();
    const passed = Math.floor((performance.now() - begin) / everyMs);
    await sleepUntil(begin + (passed + 1) * everyMs, signal);
  }
}
