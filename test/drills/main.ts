// Runs the drills: all of them, or those named, one after the other, and prints what was counted. `npm run
// drills -- --help` says how.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PostgresServer } from '../kit/postgres-server.ts';
import { type Drill, type DrillResult, type DrillSize, drillNamed, drillNames } from './drill.ts';
import { type DrillRun, isWrong, withResults } from './results.ts';

const CHILD = join(import.meta.dirname, 'child.ts');
const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'reliability.md');
/** A drill that takes longer has hung. */
const LONGEST_DRILL_MS = 1_200_000;
const LONGEST_FULL_DRILL_MS = 7_200_000;
/** A fault may hold a whole request. */
const MAX_LINE_LENGTH = 1_000;
const COMPILED = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'linecard-tests');

const HELP = `npm run drills [-- [NAME…] [options]]

Breaks what a service stands on, again and again, and counts what does not come out as it must.
Without a name all drills are run. The exit status is 0 where nothing was wrong, and 1 otherwise.

  --list    print the names of all drills, and what each proves
  --short   run the short form of each, as \`npm run test:long\` does
  --full    break everything that there is to break, where that takes longer than all others together
  --json    print the results as JSON on standard output
  --write   with --full: write the results into docs/reliability.md
  --help    print this
`;

function options() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        list: { type: 'boolean' },
        short: { type: 'boolean' },
        full: { type: 'boolean' },
        json: { type: 'boolean' },
        write: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function refuse(reason: string): never {
  process.stderr.write(`${reason}\n\n${HELP}`);
  process.exit(2);
}

const say = (line: string) => process.stderr.write(`${line}\n`);

/** Runs one drill in a process of its own, and says how it goes. */
async function run(name: string, size: DrillSize, env: NodeJS.ProcessEnv): Promise<DrillRun> {
  const begin = performance.now();
  const elapsed = () => (performance.now() - begin) / 1_000;
  say(`${name}: begins`);
  const child = spawn(process.execPath, [CHILD, name, size], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // The services that it has started end with it, whatever ends it.
    detached: true,
  });
  const kill = () => process.kill(-(child.pid as number), 'SIGKILL');
  const interrupt = () => {
    kill();
    process.exit(130);
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  let results: readonly DrillResult[] = [];
  child.on('message', (message: { line?: string; results?: readonly DrillResult[] }) => {
    if (message.line !== undefined) {
      say(`${name}: ${elapsed().toFixed(0)} s: ${message.line.slice(0, MAX_LINE_LENGTH)}`);
    }
    results = message.results ?? results;
  });
  const limitMs = size === 'full' ? LONGEST_FULL_DRILL_MS : LONGEST_DRILL_MS;
  const limit = setTimeout(() => {
    say(`${name}: is not over after ${limitMs / 1_000} s, and is ended`);
    kill();
  }, limitMs);
  const [status, signal] = (await once(child, 'exit')) as [number | null, string | null];
  clearTimeout(limit);
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  if (status !== 0) {
    const note = `it ended with ${status ?? signal}`;
    results = [...results, { did: 'come to its end', count: 1, wrong: 1, note }];
  }
  say(
    `${name}: ${isWrong({ name, seconds: 0, results }) ? 'WRONG' : 'well'} after ${elapsed().toFixed(0)} s`,
  );
  return { name, seconds: elapsed(), results };
}

async function list(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const { proves } = await drillNamed(name);
    process.stdout.write(`${name}\n${proves.map((sentence) => `  ${sentence}\n`).join('')}`);
  }
}

/** Writes each immediately: what follows may take long, and be stopped. */
function write(drill: Drill, done: DrillRun): void {
  writeFileSync(DOCUMENT, withResults(readFileSync(DOCUMENT, 'utf8'), drill, done));
}

const { values, positionals } = options();
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const known = drillNames();
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) refuse(`There is no drill ${unknown.join(', ')}. There are ${known.join(', ')}.`);
if (values.short && values.full) refuse('A drill is --short or --full.');
if (values.write && !values.full) refuse('What is written is counted in full: add --full.');
const names = positionals.length > 0 ? positionals : known;
if (values.list) {
  await list(names);
  process.exit(0);
}

const server = await PostgresServer.shared();
const env = { NODE_COMPILE_CACHE: COMPILED, ...process.env, TEST_POSTGRES_URL: server.url };
const begin = performance.now();
const runs: DrillRun[] = [];
const size: DrillSize = values.short ? 'short' : values.full ? 'full' : 'long';
for (const name of names) {
  const done = await run(name, size, env);
  runs.push(done);
  if (values.write) write(await drillNamed(name), done);
}
await server.stop();

const minutes = ((performance.now() - begin) / 60_000).toFixed(1);
if (values.json) process.stdout.write(`${JSON.stringify(runs, undefined, 1)}\n`);
else {
  for (const { name: drill, results } of runs) console.table(results.map((one) => ({ drill, ...one })));
  process.stdout.write(`${runs.length} drills in ${minutes} minutes\n`);
}
process.exitCode = runs.some(isWrong) ? 1 : 0;
