// What a drill is: a fault or an abuse that is produced for real, again and again, and counted.

import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Random, randomOf } from '../kit/many.ts';
import { type StoreKind, stores } from '../kit/service.ts';

/** What was done so often, and how often it did not come out as it must. */
export interface DrillResult {
  readonly did: string;
  readonly count: number;
  readonly wrong: number;
  /** A figure that was measured, or the first of what was wrong. */
  readonly note?: string;
}

/**
 * As in `npm run test:long`; as in `npm run drills`, all of which take less than 20 minutes; and, where
 * there is more to break than that leaves time for, all of it.
 */
export type DrillSize = 'short' | 'long' | 'full';

/** How much of something there is in each size; in full as much as in long where that is all. */
export interface BySize<T = number> {
  readonly short: T;
  readonly long: T;
  readonly full?: T;
}

export function ofSize<T>({ short, long, full = long }: BySize<T>, size: DrillSize): T {
  return { short, long, full }[size];
}

export interface Drill {
  /** The name of its file: `overload` is test/drills/overload.ts, which exports it as `drill`. */
  readonly name: string;
  /** What must hold, sentence by sentence. */
  readonly proves: readonly string[];
  /**
   * The ordinary test that does the same in short, where there is one: the short form is not run in addition.
   */
  readonly short?: string;
  run(size: DrillSize, report: (line: string) => void): Promise<readonly DrillResult[]>;
}

/** The files of this folder that are no drill. */
const MACHINERY = new Set(['child', 'drill', 'main', 'results', 'rounds']);

/** The names of all drills, in order. What several of them use is not here but in test/. */
export function drillNames(): string[] {
  const files = globSync('*.ts', { cwd: import.meta.dirname, exclude: ['*.test.ts'] });
  const names = files.map((file) => basename(file, '.ts'));
  return names.filter((name) => !MACHINERY.has(name)).toSorted();
}

export async function drillNamed(name: string): Promise<Drill> {
  const { drill } = (await import(join(import.meta.dirname, `${name}.ts`))) as { drill?: Drill };
  if (drill?.name !== name) throw new Error(`test/drills/${name}.ts must export a \`drill\` of that name.`);
  return drill;
}

/** Does the same on every store, in short on the embedded one alone; all results. */
export async function onStores(
  size: DrillSize,
  run: (kind: StoreKind) => Promise<readonly DrillResult[]>,
): Promise<DrillResult[]> {
  const results: DrillResult[] = [];
  for (const kind of size === 'short' ? stores.slice(0, 1) : stores) results.push(...(await run(kind)));
  return results;
}

/** That many tallies, for one thing each. */
export const tallies = <N extends readonly string[]>(...names: N) =>
  Object.fromEntries(names.map((name) => [name, new Tally()])) as Record<N[number], Tally>;

/**
 * Runs a drill with random numbers: always the same in short. What was wrong is reported with the seed by
 * which it comes again.
 */
export async function atRandom(
  size: DrillSize,
  report: (line: string) => void,
  run: (random: Random) => Promise<readonly DrillResult[]>,
): Promise<readonly DrillResult[]> {
  const seed = size !== 'short' ? Math.floor(Math.random() * 2 ** 31) : 1;
  const results = await run(randomOf(seed));
  for (const { did, wrong, note } of results) if (wrong > 0) report(`${did}: ${note} (seed ${seed})`);
  return results;
}

/** Counts how often something was done and did not come out as it must, and keeps the first reason. */
export class Tally {
  count = 0;
  wrong = 0;
  #first: string | undefined;

  /** Counts one, or more; `fault` says what is wrong with it, `undefined` that nothing is. */
  add(fault?: string, count = 1): void {
    this.count += count;
    if (fault === undefined || count === 0) return;
    this.wrong += count;
    this.#first ??= fault;
  }

  /** Counts what another has counted. */
  with(other: Tally): this {
    this.count += other.count;
    this.wrong += other.wrong;
    this.#first ??= other.#first;
    return this;
  }

  result(did: string, note?: string): DrillResult {
    const said = this.#first === undefined ? note : `first: ${this.#first.slice(0, 300)}; ${note ?? ''}`;
    return { did, count: this.count, wrong: this.wrong, ...(said === undefined ? {} : { note: said }) };
  }
}
