// `npm run bench`: measures Linecard, the bare service and a peer on the same data, with the same requests in
// interleaved rounds, and prints one table: requests per second, latency, processor time, memory, and the
// goals.

import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { measureCheck } from './check.ts';
import { type Deployment, embedded, onPostgres } from './deployment.ts';
import { judge, PEER, type Verdict, verdictOf } from './goals.ts';
import { measureImport } from './import.ts';
import { JOBS } from './jobs.ts';
import { type Options, readOptions } from './options.ts';
import { measureOwnFields } from './own-fields.ts';
import { type Entrant, firstPages, measureRounds, mustAgree } from './rounds.ts';
import { machineTroubles, type Running } from './running.ts';
import { measureStarts } from './start.ts';
import { BARE_HEADERS, type Databases, SYSTEMS, type System, startLinecard } from './systems.ts';
import { count, jobsTable, table, verdictText, writeSection } from './table.ts';
import { measureWholeList } from './whole-list.ts';

/** What a job may lose with four times the rows. */
const MAX_LOSS: ReadonlyMap<string, number> = new Map([
  ['J1', 0.15],
  ['J2', 0.25],
  ['J4', 0.15],
  ['J6', 0.15],
]);
const percent = (share: number) => `${Math.round(share * 100)} %`;

const say = (sentence: string): void => console.error(sentence);

function conditions({ seconds, rounds, load, postgres, scale }: Options): string {
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), Node.js ${process.versions.node}`;
  const store = postgres && scale === 1 ? 'PostgreSQL' : 'the embedded store';
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, ${machine}. Linecard on ${store}; load by ${load}; medians of ${rounds} x ${seconds} s.`;
}

function storeOf({ postgres }: Options): 'embedded' | 'postgres' {
  return postgres ? 'postgres' : 'embedded';
}

/** Prints all parts. `--write` puts the first (conditions) and the last (goals) into the documentation. */
function show(name: string, { write }: Options, parts: readonly string[]): void {
  console.log(`\n${parts.join('\n\n')}`);
  if (write) writeSection('performance.md', name, [parts[0], parts.at(-1)?.split('\n\n')[0]].join('\n\n'));
}

/** Starts the systems. Optional ones that cannot be started on this machine are left out, with a message. */
async function startAll(systems: readonly System[], databases: Databases): Promise<Map<System, Running>> {
  const started = new Map<System, Running>();
  for (const system of systems) {
    try {
      const server = await system.start(databases);
      if (server !== undefined) started.set(system, server);
    } catch (error) {
      if (system.optional !== true) throw error;
      say(`${system.name} is left out: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return started;
}

/** The peer needs PostgreSQL even if Linecard does not. */
async function postgresFor(original: Deployment, needed: boolean, options: Options) {
  if (!needed) return undefined;
  try {
    return await onPostgres(original);
  } catch (error) {
    if (options.postgres) throw error;
    say(`PostgreSQL cannot be started, so the peer is left out: ${String(error)}`);
    return undefined;
  }
}

async function extras(options: Options, ours: Deployment): Promise<Verdict[]> {
  const { jobs, postgres } = options;
  const verdicts: Verdict[] = [];
  for (const [job, measure] of [
    ['J5', measureWholeList],
    ['check', measureCheck],
  ] as const) {
    if (!jobs.includes(job)) continue;
    const server = await startLinecard(ours.database_url);
    verdicts.push(...(await measure(server, ours)));
    await server.stop();
  }
  if (jobs.includes('start')) verdicts.push(...(await measureStarts(ours.database_url)));
  if (jobs.includes('import')) verdicts.push(...(await measureImport(postgres ? 'postgres' : 'embedded')));
  if (jobs.includes('fields')) verdicts.push(...(await measureOwnFields(options, ours)));
  return verdicts;
}

async function contest(
  options: Options,
  ours: Deployment,
  peers_url: string | undefined,
): Promise<{ tables: string[]; verdicts: Verdict[] }> {
  const systems = SYSTEMS.filter(({ name }) => options.systems.includes(name));
  const jobs = JOBS.filter(({ name }) => options.jobs.includes(name));
  if (jobs.length === 0) return { tables: [], verdicts: [] };

  // Headers and entity tags are needed before the rounds, and come from a separate server.
  const scout = await startLinecard(ours.database_url);
  const { etags, headers } = await firstPages(scout, ours);
  writeFileSync(BARE_HEADERS, JSON.stringify(headers));
  await scout.stop();

  const started = await startAll(systems, { database_url: ours.database_url, peers_url });
  const common = { deployment: ours, etags };
  const entrants = [...started].map(([system, server]): Entrant => ({ ...system, server, ...common }));
  const idle = entrants.map(({ server }) => server.mebibytes);
  await mustAgree(entrants, jobs);
  const measured = await measureRounds(entrants, { ...options, jobs });
  const memory = entrants.map(({ name, server }, i) => [name, count(idle[i] ?? 0), count(server.mebibytes)]);
  for (const { server } of entrants) await server.stop();

  const tables = [jobsTable(measured), table(['memory', 'MiB idle', 'MiB after the load'], memory)];
  return { tables, verdicts: judge(measured, storeOf(options)) };
}

async function compare(options: Options): Promise<void> {
  const original = await embedded();
  const needsPostgres = options.postgres || options.systems.includes(PEER);
  const remote = await postgresFor(original, needsPostgres, options);
  const ours = (options.postgres ? remote : undefined) ?? original;
  const { tables, verdicts } = await contest(options, ours, remote?.database_url);
  const extraVerdicts = await extras(options, ours);
  await remote?.remove();
  show(storeOf(options), options, [
    conditions(options),
    ...tables,
    verdictText([...verdicts, ...extraVerdicts]),
  ]);
}

async function compareScales(options: Options): Promise<void> {
  const { scale } = options;
  const jobs = JOBS.filter(({ name }) => MAX_LOSS.has(name));
  const entrants: Entrant[] = [];
  for (const times of [1, scale]) {
    const deployment = await embedded(times);
    const server = await startLinecard(deployment.database_url, { words: ['--cache', '0'] });
    entrants.push({ name: `times ${times}`, server, deployment, etags: new Map(), asks: () => true });
  }
  for (const entrant of entrants) await mustAgree([entrant], jobs);
  const measured = await measureRounds(entrants, { ...options, jobs });
  for (const { server } of entrants) await server.stop();
  const verdicts = jobs.map(({ name }): Verdict => {
    const [before, after] = [1, scale].map((times) => measured.get(name)?.get(`times ${times}`));
    const lost = 1 - (after?.rate ?? 0) / (before?.rate ?? 1);
    const byProcessor = 1 - (before?.processor ?? 0) / (after?.processor ?? 1);
    const what = `${name}, lost with ${scale} times the rows`;
    const verdict = verdictOf(what, lost, 'under', MAX_LOSS.get(name) ?? 0, percent);
    return { ...verdict, measured: `${verdict.measured} (by processor ${percent(byProcessor)})` };
  });
  show('scale', options, [conditions(options), jobsTable(measured), verdictText(verdicts)]);
}

function parsedOptions(): Options | undefined {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)} See --help.`);
    process.exitCode = 2;
    return undefined;
  }
}

// Handlers of `exit` stop what the bench has started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const options = parsedOptions();
if (options !== undefined) {
  for (const sentence of machineTroubles()) say(sentence);
  if (options.load === 'autocannon') {
    say(
      'Load is generated by autocannon, which bare node:http can outrun. wrk is faster: on Debian, apt-get install wrk',
    );
  }
  await (options.scale === 1 ? compare(options) : compareScales(options));
}
