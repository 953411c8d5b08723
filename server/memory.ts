// How much memory there is for caches and buffers, less in a small container; and what a process gives back
// once it has started.

import { totalmem } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const MIB = 1_048_576;
/** From so much on there is enough. */
const ENOUGH = 1_024 * MIB;
/** What of it the program takes under every load at once, caches and buffers apart (the drill `memory`). */
const PROGRAM = 320 * MIB;
const SMALLEST_PART = 1 / 16;
const QUIET_MILLISECONDS = 1_000;

/** Bytes of memory of the machine, or of the container, where that has less. */
function memoryBytes(): number {
  // 0 where there is no limit, or none that can be found out.
  const limit = process.constrainedMemory();
  return limit === 0 ? totalmem() : Math.min(limit, totalmem());
}

/** What of an amount, which suits a GiB of memory and more, suits less than that. */
export function scaledToMemory(amount: number, bytes = memoryBytes()): number {
  const part = (bytes - PROGRAM) / (ENOUGH - PROGRAM);
  return Math.floor(amount * Math.min(1, Math.max(SMALLEST_PART, part)));
}

/** Collects all garbage, and gives back the memory that it took; nothing else is done for some 50 ms. */
function collectGarbage(): void {
  // A context has the function if it is made while the flag is set.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', flavor: 'last-resort' });
}

/**
 * Gives back what starting took, a tenth of what a process has then, in the first second in which nothing
 * was answered. V8 would keep it until there is much more garbage.
 * @param answers how many there have been.
 */
export function collectOnceQuiet(answers: () => number, collect = collectGarbage): void {
  let before = answers();
  const timer = setInterval(() => {
    const now = answers();
    if (now === before) {
      clearInterval(timer);
      collect();
    }
    before = now;
  }, QUIET_MILLISECONDS).unref();
}
