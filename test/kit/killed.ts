// What a process leaves behind that is killed: the files as they are at every instant of some work.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';

/** Whatever changes a file goes through one of these. */
const CALLS = [
  [DatabaseSync.prototype, 'exec'],
  [DatabaseSync.prototype, 'close'],
  [StatementSync.prototype, 'run'],
  [fs, 'renameSync'],
  [fs, 'rmSync'],
  [fs, 'copyFileSync'],
] as const;

/**
 * Does the work, and copies a folder before each call that may change a file in it, without the shared memory
 * that a killed process leaves to nobody. Returns the copies in their order.
 */
export async function everyInstant(folder: string, work: () => unknown): Promise<string[]> {
  const copies: string[] = [];
  let isCopying = false;
  const copyFile = fs.copyFileSync;
  const copy = () => {
    if (isCopying) return;
    isCopying = true;
    const to = `${folder}-${copies.length}`;
    fs.mkdirSync(to);
    for (const name of fs.readdirSync(folder).filter((one) => !one.endsWith('-shm')))
      copyFile(join(folder, name), join(to, name));
    copies.push(to);
    isCopying = false;
  };
  const restore = CALLS.map(([of, name]) => {
    const original = Reflect.get(of, name) as (...args: unknown[]) => unknown;
    Reflect.set(of, name, function (this: unknown, ...args: unknown[]) {
      copy();
      return original.apply(this, args);
    });
    return () => Reflect.set(of, name, original);
  });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    for (const one of restore) one();
    syncBuiltinESMExports();
  }
  return copies;
}
