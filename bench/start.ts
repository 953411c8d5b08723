// Measures the time to the first answer on an existing database, and idle memory: from the checkout, as with
// `npm start`, and compiled, as published.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FOLDER, ROOT } from './deployment.ts';
import { type Verdict, verdictOf } from './goals.ts';
import { startLinecard } from './systems.ts';
import { count, mebibytes, median } from './table.ts';

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
    const milliseconds = (n: number) => `${count(n)} ms`;
    verdicts.push(
      verdictOf(`start to first answer, from ${from}`, median(starts), 'under', MAX_START_MS, milliseconds),
      verdictOf(`idle memory, from ${from}`, median(idle), 'under', MAX_MEBIBYTES, mebibytes),
    );
  }
  return verdicts;
}
