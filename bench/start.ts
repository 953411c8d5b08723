// Measures the time to the first answer on an existing database, next to that of a program of one line that
// listens, and idle memory: from the checkout, as with `npm start`, and compiled, as published.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FOLDER, ROOT } from './deployment.ts';
import { ratioText, type Verdict, verdictOf } from './goals.ts';
import { Running } from './running.ts';
import { CHECKOUT, nextPort, startLinecard } from './systems.ts';
import { count, mebibytes, median } from './table.ts';

const STARTS = 5;
const IDLE_MILLISECONDS = 2_000;
/** The starts of bare `node:http` that one may take as long as. */
const MAX_STARTS = 10;
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

/** Milliseconds from the start of a program to its first answer. */
async function startOf(start: () => Promise<Running>): Promise<[milliseconds: number, server: Running]> {
  const begin = performance.now();
  const server = await start();
  return [performance.now() - begin, server];
}

/** The least that answers. */
function startBare(): Promise<Running> {
  const port = nextPort();
  const program = `require('node:http').createServer((_, answer) => answer.end()).listen(${port}, '127.0.0.1')`;
  return Running.start(port, ['--eval', program]);
}

export async function measureStarts(database_url: string): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const [from, main] of [
    ['the checkout', CHECKOUT],
    ['the package', packaged()],
  ] as const) {
    const starts: number[] = [];
    const bare: number[] = [];
    const idle: number[] = [];
    for (let i = 0; i < STARTS; i++) {
      const [least, empty] = await startOf(startBare);
      await empty.stop();
      const [milliseconds, server] = await startOf(() => startLinecard(database_url, { main }));
      bare.push(least);
      starts.push(milliseconds);
      await sleep(IDLE_MILLISECONDS);
      idle.push(server.mebibytes);
      await server.stop();
    }
    const what = `start to first answer, from ${from}, times that of bare node:http`;
    const verdict = verdictOf(what, median(starts) / median(bare), 'at most', MAX_STARTS, ratioText);
    verdicts.push(
      { ...verdict, measured: `${verdict.measured} (${count(median(starts))} ms)` },
      verdictOf(`idle memory, from ${from}`, median(idle), 'under', MAX_MEBIBYTES, mebibytes),
    );
  }
  return verdicts;
}
