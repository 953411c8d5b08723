// `--scale N`: the same jobs on the rows and on N times the rows, side by side, and what each job loses
// by it.

import { embedded } from './deployment.ts';
import type { Measured, Verdict } from './goals.ts';
import { JOBS } from './jobs.ts';
import { type Entrant, measureRounds, mustAgree, type Terms } from './rounds.ts';
import { startLinecard } from './systems.ts';

/** What costs the same however many rows there are, or should. */
const SCALED_JOBS = ['J1', 'J2', 'J4', 'J6'];
const MOST_LOST = 0.15;
const percent = (share: number) => `${Math.round(share * 100)} %`;

/** Figures under the names `times 1` and `times N`, and the losses. */
export async function measureScale(
  scale: number,
  terms: Omit<Terms, 'jobs'>,
): Promise<{ measured: Measured; verdicts: Verdict[] }> {
  const jobs = JOBS.filter(({ name }) => SCALED_JOBS.includes(name));
  const entrants: Entrant[] = [];
  for (const times of [1, scale]) {
    const deployment = await embedded(times);
    const server = await startLinecard(deployment.database_url, { words: ['--cache', '0'] });
    entrants.push({ name: `times ${times}`, server, deployment, etags: new Map(), asks: () => true });
  }
  for (const entrant of entrants) await mustAgree([entrant], jobs);
  const measured = await measureRounds(entrants, { ...terms, jobs });
  for (const { server } of entrants) await server.stop();
  const verdicts = jobs.map(({ name }): Verdict => {
    const [before, after] = [1, scale].map((times) => measured.get(name)?.get(`times ${times}`));
    const lost = 1 - (after?.rate ?? 0) / (before?.rate ?? 1);
    const byProcessor = 1 - (before?.processor ?? 0) / (after?.processor ?? 1);
    return {
      what: `${name}, lost with ${scale} times the rows`,
      measured: `${percent(lost)} (by processor ${percent(byProcessor)})`,
      goal: `under ${percent(MOST_LOST)}`,
      met: lost < MOST_LOST,
    };
  });
  return { measured, verdicts };
}
