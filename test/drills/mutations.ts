// Mutations of the source: each takes away one thing that keeps accounts apart, a list whole, or what one
// customer may take in bounds, and must make a test fail. In short, that each is still found in the source.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { atOnce, spread } from '../kit/many.ts';
import { MUTATIONS, type Mutation } from '../repository/source-mutations.ts';
import { ROOT } from '../repository/sources.ts';
import { type Drill, ofSize, Tally } from './drill.ts';

/** A mutated program may wait for ever; then its tests do not pass. */
const LONGEST_TEST_MS = 60_000;
const LONGEST_RUN_MS = 180_000;
/** How many of them are made: each has tests run. */
const MADE = { short: 0, long: 20, full: Number.POSITIVE_INFINITY };
/** After that many it says how far it is. */
const SOME = 10;
const FOLDERS = ['api', 'cli', 'console', 'docs', 'server', 'test', 'tools'];
const NOT_COPIED = /(?:^|[\\/])(?:node_modules|dist|\.git)$/;

/** What is wrong with the text of a mutation; `undefined` where it stands in its file once. */
function misplaced({ name, file, text, instead }: Mutation): string | undefined {
  const found = readFileSync(join(ROOT, file), 'utf8').split(text).length - 1;
  if (text === instead) return `${name}: it changes nothing`;
  return found === 1 ? undefined : `${name}: its text is in ${file} ${found} times`;
}

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

/** A copy of the sources in which a mutation is made. */
function copyTree(): string {
  const tree = mkdtempSync(join(tmpdir(), 'linecard-mutations-'));
  for (const entry of readdirSync(ROOT, { withFileTypes: true })) {
    if (entry.isFile()) cpSync(join(ROOT, entry.name), join(tree, entry.name));
  }
  for (const folder of FOLDERS) {
    cpSync(join(ROOT, folder), join(tree, folder), {
      recursive: true,
      filter: (path) => !NOT_COPIED.test(path),
    });
  }
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

/** Runs tests in a tree; whether there are any and all of them pass. */
async function passes(tree: string, { tests, only }: Pick<Mutation, 'tests' | 'only'>): Promise<boolean> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const named = only === undefined ? [] : [`--test-name-pattern=${only}`];
  // A test that fails may leave open what would keep its process.
  const words = ['--test', '--test-force-exit', `--test-timeout=${LONGEST_TEST_MS}`, ...named, ...tests];
  const child = spawn(process.execPath, words, {
    cwd: tree,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: LONGEST_RUN_MS,
    killSignal: 'SIGKILL',
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [status] = (await once(child, 'close')) as [number | null];
  const passed = Number(/^(?:# |ℹ )pass (\d+)$/m.exec(said)?.[1] ?? 0);
  return status === 0 && passed > 0;
}

const testsOf = ({ tests, only }: Mutation) => JSON.stringify({ tests, only });

export const drill: Drill = {
  name: 'mutations',
  proves: [
    'A test fails where the owner’s predicate is taken out of a statement, or the row guard, or the owner of changes.',
    'A test fails where an order loses its tie-break, a token its checksum, a cursor its seal, a search its escape.',
    'A test fails where an import is committed that should not be, or the changes of a list lose their horizon.',
    'A test fails where any of the limits on what one customer may take is lifted.',
  ],
  short: 'test/repository/drills.test.ts',

  async run(size, report) {
    const places = new Tally();
    for (const mutation of MUTATIONS) places.add(misplaced(mutation));
    const found = places.result('mutations found in the source');
    if (size === 'short' || found.wrong > 0) return [found];

    const chosen = spread(MUTATIONS, ofSize(MADE, size));
    const trees = Array.from({ length: availableParallelism() }, copyTree);
    const baseline = new Tally();
    const survivors = new Tally();
    const inTree = async <T>(work: (tree: string) => Promise<T>): Promise<T> => {
      const tree = trees.pop() as string;
      try {
        return await work(tree);
      } finally {
        trees.push(tree);
      }
    };
    try {
      // A test that fails anyway would prove nothing.
      const every = [...new Map(chosen.map((one) => [testsOf(one), one])).values()];
      await atOnce(every, (one) =>
        inTree(async (tree) => {
          const fault = (await passes(tree, one))
            ? undefined
            : `${testsOf(one)} fails by itself, or is no test`;
          if (fault !== undefined) report(fault);
          baseline.add(fault);
        }),
      );
      await atOnce(chosen, (mutation) =>
        inTree(async (tree) => {
          const { name, file, text, instead } = mutation;
          const path = join(tree, file);
          const source = readFileSync(path, 'utf8');
          writeFileSync(
            path,
            source.replace(text, () => instead),
          );
          const fault = (await passes(tree, mutation)) ? `survived: ${name}` : undefined;
          writeFileSync(path, source);
          if (fault !== undefined) report(fault);
          survivors.add(fault);
          if (survivors.count % SOME === 0) report(`${survivors.count} of ${chosen.length} mutations`);
        }),
      );
    } finally {
      for (const tree of trees) rmSync(tree, { recursive: true, maxRetries: 3 });
    }
    return [
      baseline.result('sets of tests that pass without a mutation'),
      survivors.result('mutations, each of which makes a test fail'),
    ];
  },
};
