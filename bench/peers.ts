// Brings a peer's own packages, which nothing else needs, when the bench first runs it, and compiles what
// Node cannot run.

import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from './deployment.ts';

const COMPILER = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const INSTALLED = join('node_modules', '.package-lock.json');

function run(what: string, folder: string, command: string, ...words: string[]): void {
  const { status, stderr, stdout, error } = spawnSync(command, words, { cwd: folder, encoding: 'utf8' });
  if (status === 0) return;
  const said = `${stdout}${stderr}${error?.message ?? ''}`.trim().split('\n').slice(0, 3).join(' ');
  throw new Error(`${what} (${said}).`);
}

/** @throws {Error} when it cannot be had on this machine, as without a network. */
export function installPeer(folder: string): void {
  const name = basename(folder);
  const [lock, installed] = [join(folder, 'package-lock.json'), join(folder, INSTALLED)];
  if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
    console.error(`Installing ${name}, once ...`);
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    run('its packages cannot be installed', folder, 'npm', 'ci', ...quiet);
  }
  if (!existsSync(join(folder, 'tsconfig.json'))) return;
  run('it does not compile', folder, process.execPath, COMPILER, '-p', folder);
}
