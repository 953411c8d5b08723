// Reads the command line of the bench.

import { parseArgs } from 'node:util';
import { JOBS } from './jobs.ts';
import { fastestLoad, LOADS } from './load.ts';
import { SYSTEMS } from './systems.ts';

/** Measured in addition to the jobs, without load. */
const EXTRAS = ['J5', 'check', 'start', 'import', 'fields'] as const;

const names = (named: readonly { readonly name: string }[]) => named.map(({ name }) => name);
const everything = [...names(JOBS), ...EXTRAS];

const HELP = `npm run bench -- [options]

Generates the data once, starts Linecard, the bare service and the peer, measures them in interleaved rounds, and prints the results.

  --postgres         Linecard on PostgreSQL and the peer on the same server, instead of the embedded store
  --systems a,b      ${names(SYSTEMS).join(', ')} (default: all)
  --jobs a,b         ${everything.join(', ')} (default: all)
  --seconds n        duration per job, system and round (default: 3)
  --rounds n         number of rounds; the median counts (default: 3)
  --scale n          compare with n times the rows: J1, J2, J4 and J6 of Linecard alone, such as 4
  --load name        ${LOADS.join(' or ')} (default: wrk if it is installed)
  --write            write the goals into docs/performance.md
  --help

TEST_POSTGRES_URL is a PostgreSQL server to use; otherwise one is started.
`;

function chosen(given: string | undefined, known: readonly string[], what: string): readonly string[] {
  if (given === undefined) return known;
  const words = given.split(',');
  const unknown = words.find((word) => !known.includes(word));
  if (unknown === undefined) return words;
  throw new Error(`There is no ${what} "${unknown}". Choose from: ${known.join(', ')}.`);
}

function positive(given: string, name: string): number {
  if (!/^[1-9]\d*$/.test(given)) throw new Error(`--${name} must be an integer from 1, but was "${given}".`);
  return Number(given);
}

/** Returns `undefined` after printing the help. */
export function readOptions(words: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...words],
    options: {
      postgres: flag,
      systems: text,
      jobs: text,
      seconds: { ...text, default: '3' },
      rounds: { ...text, default: '3' },
      scale: { ...text, default: '1' },
      load: { ...text, default: fastestLoad() },
      write: flag,
      help: flag,
    },
  });
  if (values.help) {
    console.log(HELP);
    return undefined;
  }
  const load = LOADS.find((name) => name === values.load);
  if (load === undefined) throw new Error(`--load must be ${LOADS.join(' or ')}.`);
  return {
    postgres: values.postgres,
    systems: chosen(values.systems, names(SYSTEMS), 'system'),
    jobs: chosen(values.jobs, everything, 'job'),
    seconds: positive(values.seconds, 'seconds'),
    rounds: positive(values.rounds, 'rounds'),
    scale: positive(values.scale, 'scale'),
    load,
    write: values.write,
  };
}

export type Options = NonNullable<ReturnType<typeof readOptions>>;
