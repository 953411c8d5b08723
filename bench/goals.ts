// The goals of the bench as data, and whether the measurements reach them. Pure.

import type { Round } from './load.ts';

/** The measurements of a job on a system: medians over the rounds, and the sum of failures. */
export type Statistics = Round;
export type Measured = ReadonlyMap<string, ReadonlyMap<string, Statistics>>;

export interface Verdict {
  readonly what: string;
  readonly measured: string;
  readonly goal: string;
  readonly met: boolean;
}

interface Ratio {
  readonly what: string;
  readonly of: readonly [job: string, system: string];
  readonly against: readonly [job: string, system: string];
  readonly at_least: number;
  readonly on?: 'embedded' | 'postgres';
}

const [FRESH, INSTALLED, TWO] = ['linecard', 'linecard-installed', 'linecard-two'];
/** The yardsticks: without caches, and with cached callers and pages. */
export const [BARE, BARE_CACHED] = ['bare', 'bare-cached'];
/** What a user would write instead. */
export const PEER = 'fastify-kysely';
const half = (job: string): Ratio => ({
  what: `${job}, of J1`,
  of: [job, FRESH],
  against: ['J1', FRESH],
  at_least: 0.5,
  on: 'embedded',
});

// biome-ignore format: a table
const RATIOS: readonly Ratio[] = [
  { what: 'J1, of bare', of: ['J1', FRESH], against: ['J1', BARE], at_least: 0.75, on: 'embedded' },
  { what: 'J1 as installed, of bare-cached', of: ['J1', INSTALLED], against: ['J1', BARE_CACHED], at_least: 0.58, on: 'embedded' },
  { what: 'J7 as installed, of bare-cached', of: ['J7', INSTALLED], against: ['J7', BARE_CACHED], at_least: 0.58, on: 'embedded' },
  { what: 'J1, times the peer', of: ['J1', FRESH], against: ['J1', PEER], at_least: 6, on: 'embedded' },
  { what: 'J1 on PostgreSQL, times the peer', of: ['J1', FRESH], against: ['J1', PEER], at_least: 3, on: 'postgres' },
  { what: 'J2 on PostgreSQL, times the peer', of: ['J2', FRESH], against: ['J2', PEER], at_least: 2, on: 'postgres' },
  { what: 'J1 of two processes, of one', of: ['J1', TWO], against: ['J1', FRESH], at_least: 1 },
  half('J2'),
  half('J4'),
  half('J6'),
  { what: 'J3, times the peer', of: ['J3', FRESH], against: ['J3', PEER], at_least: 20 },
];

/** A ratio for people: 0.37, 3.4, 120. */
export function ratioText(ratio: number): string {
  if (ratio >= 100) return Math.round(ratio).toLocaleString('en');
  return ratio.toFixed(ratio >= 10 ? 1 : 2);
}

export function judge(measured: Measured, store: 'embedded' | 'postgres'): Verdict[] {
  return RATIOS.flatMap(({ what, of, against, at_least, on = store }) => {
    const [mine, theirs] = [of, against].map(([job, system]) => measured.get(job)?.get(system));
    if (on !== store || mine === undefined || theirs === undefined) return [];
    const ratio = mine.rate / theirs.rate;
    // The peer leaves most work to PostgreSQL, so its own processor time is not comparable.
    const byProcessor =
      against[1] === PEER ? '' : ` (by processor ${ratioText(theirs.processor / mine.processor)})`;
    const measuredText = `${ratioText(ratio)}${byProcessor}`;
    const met = mine.failed === 0 && ratio >= at_least;
    return [{ what, measured: measuredText, goal: `at least ${at_least}`, met }];
  });
}

/** Whether a measurement reaches a bound. */
export function verdictOf(
  what: string,
  measured: number,
  test: 'at least' | 'at most' | 'under',
  bound: number,
  textOf: (amount: number) => string,
): Verdict {
  const met =
    test === 'at least' ? measured >= bound : test === 'at most' ? measured <= bound : measured < bound;
  return { what, measured: textOf(measured), goal: `${test} ${textOf(bound)}`, met };
}
