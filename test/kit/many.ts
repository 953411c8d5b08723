// Doing much of the same: several at a time, at random by a seed, and saying where two texts differ.

import { availableParallelism } from 'node:os';

export type Random = () => number;

/** A generator of numbers from 0 to 1 that a seed begins: mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What `TEST_SEED` repeats. */
export const testSeed = () => Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 20));

/** An integer from 0 on. */
export const below = (random: Random, end: number) => Math.floor(random() * end);

export const oneOf = <T>(random: Random, choices: readonly T[]) =>
  choices[below(random, choices.length)] as T;

/** Does work with each, one at a time for each processor. */
export async function atOnce<T>(
  each: readonly T[],
  work: (one: T, i: number) => Promise<void>,
  lanes = availableParallelism(),
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < each.length) {
      const i = next++;
      await work(each[i] as T, i);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** The first lines in which two texts differ. */
export function differenceOf(found: string, expected: string): string {
  const [a, b] = [found.split('\n'), expected.split('\n')];
  const i = a.findIndex((line, n) => line !== b[n]);
  return `line ${i + 1}: ${a[i]?.slice(0, 300)} rather than ${b[i]?.slice(0, 300)}`;
}

/** That many of them, spread evenly; all where there are fewer. */
export function spread<T>(each: readonly T[], count: number): T[] {
  if (each.length <= count) return [...each];
  return Array.from({ length: count }, (_, i) => each[Math.floor(((i + 0.5) * each.length) / count)] as T);
}
