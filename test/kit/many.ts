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

/** How many files a test makes at random. */
export const filesAtRandom = (usual: number) => Number(process.env['TEST_FILES'] ?? usual);

/** An integer from 0 on. */
export const below = (random: Random, end: number) => Math.floor(random() * end);

export const oneOf = <T>(random: Random, choices: readonly T[]) =>
  choices[below(random, choices.length)] as T;

/** Bytes that are no text, or have a meaning of their own in one. */
const ODD_BYTES = [0x00, 0x1b, 0x7f, 0x80, 0xc0, 0xed, 0xff];

/** The same bytes, one to three of them changed, put in, doubled or taken out; `pieces` is what is put in. */
export function mutated(bytes: Buffer, random: Random, pieces: readonly string[]): Buffer {
  let changed = bytes;
  for (let n = 0; n <= below(random, 3); n++) {
    const at = () => below(random, changed.length);
    const [from, to] = [at(), at()].toSorted((a, b) => a - b) as [number, number];
    const put = (piece: Buffer | readonly number[], skip = 0) =>
      Buffer.concat([changed.subarray(0, from), Buffer.from(piece), changed.subarray(from + skip)]);
    const printable = () => put([0x20 + below(random, 0x5f)], 1);
    const kinds: readonly (() => Buffer)[] = [
      () => put(Buffer.from(oneOf(random, pieces))),
      () => put([below(random, 256)], 1),
      () => put([oneOf(random, ODD_BYTES)], 1),
      () => put([], 1 + below(random, 3)),
      () => put([], to - from),
      () => put(changed.subarray(from, to)),
      () => put([(changed[from] ?? 0) ^ (1 << below(random, 8))], 1),
      () => changed.subarray(0, from),
      // Something else to read, which may be as good.
      printable,
      printable,
      printable,
    ];
    changed = oneOf(random, kinds)();
  }
  return changed;
}

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

/** The value that a share of them do not exceed; they are in order. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
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
