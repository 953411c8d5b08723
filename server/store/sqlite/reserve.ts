// Space on the disk that is reserved for emergencies: a token that is revoked, or an account that is
// disabled, while the disk is full. A file next to the database holds it, shortened where needed.

import { randomFillSync } from 'node:crypto';
import { appendFileSync, existsSync, statSync, truncateSync } from 'node:fs';
import { isOfFullDisk } from './errors.ts';
import { makeFile } from './files.ts';

const RESERVE_BYTES = 1_048_576;
/** What the logs of both files, and the indexes of the logs, take at most for one change. */
const STEP_BYTES = 262_144;

export function reservePath(path: string): string {
  return `${path}-reserve`;
}

/** Fills the reserve of a database up, as far as the disk has room. */
export function keepReserve(path: string): void {
  const reserve = reservePath(path);
  try {
    if (!existsSync(reserve)) makeFile(reserve, path);
    const missing = RESERVE_BYTES - statSync(reserve).size;
    // Random bytes: a file system may store zeros in no space at all.
    if (missing > 0) appendFileSync(reserve, randomFillSync(Buffer.alloc(missing)));
  } catch {
    // Without it everything works but what is done on a full disk.
  }
}

/** Gives some of it back where something has failed because the disk is full; false where there is none. */
export function useReserve(path: string, error: unknown): boolean {
  if (!isOfFullDisk(error) && !isOfFullDisk((error as Error).cause)) return false;
  const bytes = statSync(reservePath(path), { throwIfNoEntry: false })?.size ?? 0;
  if (bytes === 0) return false;
  truncateSync(reservePath(path), Math.max(0, bytes - STEP_BYTES));
  return true;
}
