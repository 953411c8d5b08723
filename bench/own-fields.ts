// What the operator's own fields cost: the jobs on the same data with four of them and without, a filter and
// an order by one next to those by `provider`, and an import with eight and a derivation next to one without.

import { join } from 'node:path';
import { OWN_OF_JOBS } from './data.ts';
import { type Deployment, declareOwn, embedded, linecard, onPostgres } from './deployment.ts';
import { type Measured, ratioText, type Verdict, verdictOf } from './goals.ts';
import { run, type StoreName, type Took, withTarget } from './import.ts';
import { writeRows } from './import-rows.ts';
import { JOBS, type Job, PATH } from './jobs.ts';
import { type Entrant, measureRounds, mustAgree, type Terms } from './rounds.ts';
import { asLoad, type Running } from './running.ts';
import { startLinecard } from './systems.ts';
import { count, median } from './table.ts';
import { largest, NDJSON, readExport } from './whole-list.ts';

/** The parts of the speed without own fields that must be left. */
const OF_JOBS = 0.9;
const OF_IMPORT = 0.8;
const EXPORTS = 5;
const IMPORTS = 3;
const ROWS = 200_000;
const FIELDS = 8;
const COMPARED = ['J1', 'J2', 'J3', 'J4', 'J6'];

const one = (what: string, path: Job['path']): Job => ({ name: what, kind: 'ten_thousand', path });
const value = (text: string) => encodeURIComponent(text);
/** The same by an own field and by `provider`: both have nine values. */
// biome-ignore format: a table
const PAIRS: readonly (readonly [own: Job, provider: Job])[] = [
  [
    one('filter by x_site', (random) => `${PATH}?x_site=${value(`Site ${random(9)}, Main St`)}`),
    one('filter by provider', (random) => `${PATH}?providers=${value(`Carrier ${random(9)}, Inc`)}`),
  ],
  [
    one('order by x_site', (random) => `${PATH}?sort_by=x_site&page=${1 + random(5)}`),
    one('order by provider', (random) => `${PATH}?sort_by=provider&page=${1 + random(5)}`),
  ],
];

const WITH = `with ${OWN_OF_JOBS} own fields`;
const WITHOUT = 'without';

/** The speed of one as a part of that of another, with what that is by processor. */
function partOf(
  what: string,
  [own = 0, other = 1]: readonly number[],
  [ownProcessor = 1, otherProcessor = 0]: readonly number[],
  bound: number,
): Verdict {
  const verdict = verdictOf(what, own / other, 'at least', bound, ratioText);
  return {
    ...verdict,
    measured: `${verdict.measured} (by processor ${ratioText(otherProcessor / ownProcessor)})`,
  };
}

type Of = readonly [job: string, system: string];

function verdictsOf(
  measured: Measured,
  pairs: readonly (readonly [what: string, own: Of, other: Of])[],
): Verdict[] {
  return pairs.map(([what, ...of]) => {
    const [own, other] = of.map(([job, system]) => measured.get(job)?.get(system));
    const verdict = partOf(
      what,
      [own?.rate ?? 0, other?.rate ?? 1],
      [own?.processor ?? 1, other?.processor ?? 0],
      OF_JOBS,
    );
    return { ...verdict, met: verdict.met && own?.failed === 0 && other?.failed === 0 };
  });
}

async function measured(
  servers: readonly (readonly [name: string, server: Running, deployment: Deployment])[],
  terms: Terms,
): Promise<Measured> {
  const entrants = servers.map(([name, server, deployment]): Entrant => {
    return { name, server, deployment, etags: new Map(), asks: () => true };
  });
  // What they answer differs by the own fields.
  for (const entrant of entrants) await mustAgree([entrant], terms.jobs);
  return measureRounds(entrants, terms);
}

/** Exports of the largest account, of one and the other alternately. */
async function measureExports(
  servers: readonly (readonly [server: Running, deployment: Deployment])[],
): Promise<Verdict> {
  const took = servers.map(() => ({ rate: [] as number[], processor: [] as number[] }));
  for (let i = 0; i < EXPORTS; i++)
    for (const [at, [server, deployment]] of servers.entries()) {
      const { token, numbers } = largest(deployment);
      const before = server.processor_seconds;
      const { seconds } = await readExport(server, token, NDJSON);
      took[at]?.rate.push(numbers / seconds);
      took[at]?.processor.push(server.processor_seconds - before);
    }
  const middle = (of: 'rate' | 'processor') => took.map((all) => median(all[of]));
  return partOf(`J5 as NDJSON ${WITH}, of that without`, middle('rate'), middle('processor'), OF_JOBS);
}

async function measureImports(store: StoreName): Promise<Verdict> {
  const took: [Took[], Took[]] = [[], []];
  for (let i = 0; i < IMPORTS; i++)
    for (const [at, own] of [FIELDS, 0].entries())
      await withTarget(store, async (target) => {
        const path = join(target.folder, 'rows.csv');
        writeRows(path, { rows: ROWS, format: 'csv', byChance: false, monthly: '2.25', own });
        const where = ['--database-url', target.database_url];
        linecard('migrate', ...where);
        declareOwn(target.database_url, own);
        const type = ['virtual-numbers', 'x_type', '--kind', 'text', '--derive', 'number-type'];
        if (own > 0) linecard('field', 'add', ...type, ...where);
        took[at]?.push(await run(target, path));
      });
  const middle = (of: (one: Took) => number) => took.map((all) => median(all.map(of)));
  return partOf(
    `import of ${count(ROWS)} rows with ${FIELDS} own fields and a derivation, of one without`,
    middle(({ seconds }) => 1 / seconds),
    middle(({ command, server }) => command + server),
    OF_IMPORT,
  );
}

type Servers = Readonly<Record<'own' | 'plain' | 'scanning', Running>>;

async function measureJobs(
  { own, plain, scanning }: Servers,
  data: { readonly own: Deployment; readonly plain: Deployment },
  terms: Omit<Terms, 'jobs'>,
): Promise<Verdict[]> {
  const jobs = JOBS.filter(({ name }) => COMPARED.includes(name));
  const both = [
    [WITH, own, data.own],
    [WITHOUT, plain, data.plain],
  ] as const;
  const byJob = await measured(both, { ...terms, jobs });
  const systems = [
    ['by index', own, data.own],
    ['without index', scanning, data.own],
  ] as const;
  const byPair = await measured(systems, { ...terms, jobs: PAIRS.flat() });
  return [
    ...verdictsOf(
      byJob,
      COMPARED.map((job) => [`${job} ${WITH}, of that without`, [job, WITH], [job, WITHOUT]]),
    ),
    await asLoad(() => measureExports(both.map(([, server, deployment]) => [server, deployment]))),
    ...verdictsOf(
      byPair,
      PAIRS.flatMap(([mine, provider]) =>
        systems.map(([how]) => {
          const what = `${mine.name} ${how}, of that by provider`;
          return [what, [mine.name, how], [provider.name, how]] as const;
        }),
      ),
    ),
  ];
}

/** @param plain has no own fields. */
export async function measureOwnFields(
  { postgres, ...terms }: Omit<Terms, 'jobs'> & { readonly postgres: boolean },
  plain: Deployment,
): Promise<Verdict[]> {
  const file = await embedded(1, OWN_OF_JOBS);
  const copied = postgres ? await onPostgres(file) : undefined;
  const own = copied ?? file;
  const start = ({ database_url }: Deployment, ...words: string[]) =>
    startLinecard(database_url, { words: ['--cache', '0', ...words] });
  const servers: Servers = {
    own: await start(own),
    plain: await start(plain),
    scanning: await start(own, '--indexes', '0'),
  };
  const verdicts = await measureJobs(servers, { own, plain }, terms);
  for (const one of Object.values(servers)) await one.stop();
  await copied?.remove();
  return [...verdicts, await measureImports(postgres ? 'postgres' : 'embedded')];
}
