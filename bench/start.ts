// Measures the time to the first answer on an existing database, and idle memory: from the checkout, as with
// `npm start`, and compiled, as published.

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
const MAX_START_MS = 500;
const MAX_MEBIBYTES = 100;
const MODULES = join(FOLDER, 'package', 'node_modules', '@linecard');
const PACKAGED = { api: 'client', server: 'server' } as const;

/**
 * Builds both packages as they are published; dependencies are found in the checkout. Returns the program.
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
        goal: `under ${MAX_START_MS} ms`,
        met: median(starts) < MAX_START_MS,
      },
      {
        what: `idle memory, from ${from}`,
        measured: `${count(median(idle))} MiB`,
        goal: `under ${MAX_MEBIBYTES} MiB`,
        met: median(idle) < MAX_MEBIBYTES,
      },
    );
  }
  return verdicts;
}
