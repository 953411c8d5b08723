// How much memory there is for caches and buffers: less in a small container.

import { totalmem } from 'node:os';

const MIB = 1_048_576;
/** From so much on there is enough. */
const ENOUGH = 1_024 * MIB;
/** What of it the program takes under every load at once, caches and buffers apart (the drill `memory`). */
const PROGRAM = 320 * MIB;
const SMALLEST_PART = 1 / 16;

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
