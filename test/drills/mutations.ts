// Mutations of the source (test/repository/source-mutations.ts): each must make a test fail. The short form
// only finds each of them in the source.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { atOnce, spread } from '../kit/many.ts';
import { copySources, runTests } from '../kit/source-tree.ts';
import { MUTATIONS, type Mutation } from '../repository/source-mutations.ts';
import { ROOT } from '../repository/sources.ts';
import { type Drill, ofSize, Tally } from './drill.ts';

/** How many of them are made: each has tests run. */
const MADE = { short: 0, long: 20, full: Number.POSITIVE_INFINITY };
/** It reports its progress after each that many. */
const SOME = 10;

/** What is wrong with a mutation, whose text must be in its file once. */
function misplaced({ file, from, to }: Mutation): string | undefined {
  const found = readFileSync(join(ROOT, file), 'utf8').split(from).length - 1;
  if (from === to) return `${file}: ${from} replaces itself`;
  return found === 1 ? undefined : `${from} is in ${file} ${found} times`;
}

const testsOf = ({ tests, only }: Mutation) => JSON.stringify({ tests, only });

export const drill: Drill = {
  name: 'mutations',
  proves: [
    'A test fails if a statement loses the owner’s predicate, a read the row guard, or changes their owner.',
    'A test fails if an order loses its tie-break, a token its checksum, a cursor its seal, or a search its escape.',
    'A test fails if an import commits that should not, or the changes of a list lose their horizon.',
    'A test fails if any limit on what one customer may take is lifted.',
  ],
  short: 'test/repository/drills.test.ts',

  async run(size, report) {
    const places = new Tally();
    for (const mutation of MUTATIONS) places.add(misplaced(mutation));
    const found = places.result('mutations found in the source');
    if (size === 'short' || found.wrong > 0) return [found];

    const chosen = spread(MUTATIONS, ofSize(MADE, size));
    const trees = Array.from({ length: availableParallelism() }, copySources);
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
      // A test that fails without a mutation proves nothing.
      const every = [...new Map(chosen.map((one) => [testsOf(one), one])).values()];
      await atOnce(every, (one) =>
        inTree(async (tree) => {
          const fault =
            (await runTests(tree, one)).passed > 0
              ? undefined
              : `${testsOf(one)} fails by itself, or is no test`;
          if (fault !== undefined) report(fault);
          baseline.add(fault);
        }),
      );
      await atOnce(chosen, (mutation) =>
        inTree(async (tree) => {
          const { file, from, to } = mutation;
          const path = join(tree, file);
          const source = readFileSync(path, 'utf8');
          writeFileSync(
            path,
            source.replace(from, () => to),
          );
          const fault =
            (await runTests(tree, mutation)).passed > 0 ? `survived: ${to} in ${file}` : undefined;
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
