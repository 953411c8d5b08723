// A folder for programs that use the client: they run and compile there as a customer's do.

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './temporary-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MODULES = join(ROOT, 'node_modules');
const COMPILER = join(MODULES, 'typescript', 'bin', 'tsc');

/** Makes one, in which these packages are installed next to the client. */
export function programFolder(...packages: readonly string[]): string {
  const folder = temporaryFolder();
  const installed = join(folder, 'node_modules');
  mkdirSync(join(installed, '@linecard'), { recursive: true });
  symlinkSync(join(ROOT, 'api'), join(installed, '@linecard', 'client'));
  for (const name of packages) symlinkSync(join(MODULES, name), join(installed, name));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

/** Puts the command `linecard` into the folder, as an installation puts it on the path. */
export function installCommand(folder: string): void {
  const file = join(folder, 'linecard');
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'cli', 'start.ts')}" "$@"\n`);
  chmodSync(file, 0o755);
}

/** All programs of the folder compile, with every check of TypeScript. */
export function mustCompile(folder: string): void {
  const compilerOptions = {
    module: 'nodenext',
    target: 'esnext',
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ['node'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const { status, stdout } = spawnSync(process.execPath, [COMPILER, '-p', folder], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
}

/**
 * What a program prints that has these variables in addition. What one says that fails is the error.
 */
export async function mustRun(
  program: string,
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8', maxBuffer: 1 << 26 } as const;
  const run = promisify(execFile)(program, words, options);
  const { stdout } = await run.catch((error: unknown) => {
    const { message, stdout: out, stderr: err } = error as Error & Record<'stdout' | 'stderr', string>;
    return assert.fail(`${message}\n${out}${err}`);
  });
  return stdout;
}
