// A cgroup that limits memory, as a container has it: made for the run where that is permitted. Node.js takes
// its limit for the size of the machine and keeps its heaps small: without one, another program is measured.

import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';

/** Where the groups of each version of cgroups are, and the file of a group's limit. */
const VERSIONS = [
  { root: ROOT, limit: 'memory.max' },
  { root: join(ROOT, 'memory'), limit: 'memory.limit_in_bytes' },
] as const;

/** The folder of a group with a limit in bytes, for this process; `undefined` where none can be made. */
export function memoryCgroup(maxBytes: number): string | undefined {
  for (const { root, limit } of VERSIONS) {
    const folder = join(root, `linecard-test-${process.pid}`);
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    try {
      // Where it is no more than a folder, the kernel has put nothing into it.
      if (existsSync(join(folder, limit))) {
        writeFileSync(join(folder, limit), String(maxBytes));
        process.once('exit', () => remove(folder));
        return folder;
      }
    } catch {
      // This version does not control memory here.
    }
    remove(folder);
  }
  return undefined;
}

function remove(folder: string): void {
  try {
    if (existsSync(folder)) rmdirSync(folder);
  } catch {
    // A process is still in it.
  }
}
