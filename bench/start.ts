// How soon a process answers on a database that is there, and what it takes while idle: from the
// checkout, as `npm start` does it, and compiled, as it is published.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FOLDER, ROOT } from './deployment.ts';
import type { Verdict } from './goals.ts';
import { startLinecard } from './systems.ts';
import { count, median } from './table.ts';

const STARTS = 5;
const IDLE_MILLISECONDS = 2_000;
const LONGEST_START_MS = 500;
const MOST_MEBIBYTES = 100;
const MODULES = join(FOLDER, 'package', 'node_modules', '@linecard');
const PACKAGED = { api: 'client', server: 'server' } as const;

/**
 * Both packages as they are published, where what they depend on is found in the checkout; gives the program.
 */
export function packaged(): string {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'tools', 'build.ts')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The packages cannot be built:\n${stderr}`);
  rmSync(MODULES, { recursive: true, force: true });
  mkdirSync(MODULES, { recursive: true });
  for (const [workspace, name] of Object.entries(PACKAGED)) {
    cpSync(join(ROOT, workspace, 'dist'), join(MODULES, name), { recursive: true });
  }
  return join(MODULES, 'server', 'main.js');
}

export async function measureStarts(database_url: string): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const [from, main] of [
    ['the checkout', join(ROOT, 'tools', 'start.mjs')],
    ['the package', packaged()],
  ] as const) {
    const starts: number[] = [];
    const idle: number[] = [];
    for (let i = 0; i < STARTS; i++) {
      const begin = performance.now();
      const server = await startLinecard(database_url, { main });
      starts.push(performance.now() - begin);
      await sleep(IDLE_MILLISECONDS);
      idle.push(server.mebibytes);
      await server.stop();
    }
    verdicts.push(
      {
        what: `start to first answer, from ${from}`,
        measured: `${count(median(starts))} ms`,
        goal: `under ${LONGEST_START_MS} ms`,
        met: median(starts) < LONGEST_START_MS,
      },
      {
        what: `idle memory, from ${from}`,
        measured: `${count(median(idle))} MiB`,
        goal: `under ${MOST_MEBIBYTES} MiB`,
        met: median(idle) < MOST_MEBIBYTES,
      },
    );
  }
  return verdicts;
}
