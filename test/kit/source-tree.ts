// A copy of the sources in which something is changed, and tests that are run in it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../repository/sources.ts';

/** A changed program may wait for ever; then its tests do not pass. */
const LONGEST_TEST_MS = 60_000;
const LONGEST_RUN_MS = 180_000;
const NOT_COPIED = /[\\/](?:node_modules|dist|data|coverage|\.git)$/;

/** Links a folder of packages; what is a link into the workspace there leads to the copy here. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [there, here] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(there), here);
    else if (entry.isDirectory() && entry.name.startsWith('@')) linkPackages(there, here);
    else symlinkSync(there, here);
  }
}

/** Copies the sources into a folder, which the caller removes. */
export function copySources(): string {
  const tree = mkdtempSync(join(tmpdir(), 'linecard-sources-'));
  cpSync(ROOT, tree, { recursive: true, filter: (path) => !NOT_COPIED.test(path) });
  linkPackages(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  for (const folder of ['api', 'cli', 'console', 'server']) {
    for (const inside of ['node_modules', 'dist']) {
      const there = join(ROOT, folder, inside);
      try {
        if (readdirSync(there).length > 0) symlinkSync(there, join(tree, folder, inside));
      } catch {
        // Not every workspace has them.
      }
    }
  }
  return tree;
}

/** Puts a text after another one, which is in the file once. */
export function insertAfter(tree: string, file: string, text: string, more: string): void {
  const path = join(tree, file);
  const parts = readFileSync(path, 'utf8').split(text);
  if (parts.length !== 2) throw new Error(`${file} has this text ${parts.length - 1} times: ${text}`);
  writeFileSync(path, parts.join(text + more));
}

/** Which tests of a tree are run; without `only`, all of their files. */
export interface ChosenTests {
  readonly tests: readonly string[];
  readonly only?: string;
}

/** Runs tests in a tree; returns how many have passed, 0 where one has not, and what they printed. */
export async function runTests(
  tree: string,
  { tests, only }: ChosenTests,
  more: Readonly<Record<string, string>> = {},
): Promise<{ passed: number; said: string }> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const named = only === undefined ? [] : [`--test-name-pattern=${only}`];
  // A test that fails may leave open what would keep its process.
  const words = ['--test', '--test-force-exit', `--test-timeout=${LONGEST_TEST_MS}`, ...named, ...tests];
  const child = spawn(process.execPath, words, {
    cwd: tree,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: LONGEST_RUN_MS,
    killSignal: 'SIGKILL',
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [status] = (await once(child, 'close')) as [number | null];
  const passed = status === 0 ? Number(/^(?:# |ℹ )pass (\d+)$/m.exec(said)?.[1] ?? 0) : 0;
  return { passed, said };
}
