// Scales caches and buffers to the memory of the machine or container.

import { totalmem } from 'node:os';
import { setFlagsFromString } from 'node:v8';

const MIB = 1_048_576;
/** Nothing is scaled with this much memory or more. */
const ENOUGH = 1_024 * MIB;
/** What the program takes under load, not counting caches and buffers (measured by the drill `memory`). */
const PROGRAM = 352 * MIB;
const SMALLEST_PART = 1 / 16;

/** Bytes of memory of the machine, or of the container if it has a lower limit. */
function memoryBytes(): number {
  // 0 means that there is no limit or that it is unknown.
  const limit = process.constrainedMemory();
  return limit === 0 ? totalmem() : Math.min(limit, totalmem());
}

/** Scales an amount that suits 1 GiB of memory or more. */
export function scaledToMemory(amount: number, bytes = memoryBytes()): number {
  const part = (bytes - PROGRAM) / (ENOUGH - PROGRAM);
  return Math.floor(amount * Math.min(1, Math.max(SMALLEST_PART, part)));
}

/**
 * Lets the room for young objects grow no further, and begin with 4 MiB in threads that start later, for the
 * rest of the process: what streams rows fills any room, and is no faster with more.
 */
export function limitYoungObjects(): void {
  setFlagsFromString('--min-semi-space-size=4');
  setFlagsFromString('--semi-space-growth-factor=1');
}
