// Measures the speed and memory of imports with the published command: into an empty store, 10,000 flags that
// change, the same file again, and every row changed. The goals compare it with the yardstick, which loads
// the same files into the same table. Stand-alone, without goals:
// `node bench/import.ts [rows] [csv|ndjson|foreign] [by-id|by-chance] [embedded|postgres]`

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type PostgresServer, query } from '../test/kit/postgres-server.ts';
import { memoryOf } from '../test/kit/process-facts.ts';
import { linecard, ROOT, startPostgres } from './deployment.ts';
import { ratioText, type Verdict, verdictOf } from './goals.ts';
import { FORMATS, MAPPING, type Making, writeFlags, writeRows } from './import-rows.ts';
import { processorSeconds, processorSecondsOfAll } from './running.ts';
import { packaged } from './start.ts';
import { count, mebibytes, rowsASecond } from './table.ts';

const ROWS = 1_000_000;
const FLAGS = 10_000;
const SAMPLE_MILLISECONDS = 100;
/** Memory is shown for this many parts of the run. */
const PARTS = 10;
/** If memory at the end exceeds that in the middle by this factor, it grows with the file. */
const FLAT = 1.15;

/** The part of its speed that an import with a mapping must have. */
const MAPPED = 0.8;

/** The parts of the speed of the yardstick that imports must have. */
const GOALS = {
  embedded: { store: 'embedded store', rows: 0.5, flags: 0.33 },
  postgres: { store: 'PostgreSQL', rows: 0.5, flags: 0.33 },
} as const;
export type StoreName = keyof typeof GOALS;
const YARDSTICK = join(ROOT, 'bench', 'yardstick.ts');

const MEBIBYTE = 1_048_576;

export interface Took {
  readonly seconds: number;
  /** Processor seconds of the command, and of PostgreSQL. */
  readonly command: number;
  readonly server: number;
  readonly said: string;
  /** The peak memory in each tenth of the run, in MiB. */
  readonly memory: readonly number[];
}

interface Target {
  readonly program: string;
  readonly folder: string;
  readonly database_url: string;
  readonly server: PostgresServer | undefined;
}

export function run(target: Target, path: string, ...options: string[]): Promise<Took> {
  const { program, database_url } = target;
  return timed(
    target,
    program,
    'import',
    'virtual-numbers',
    path,
    '--database-url',
    database_url,
    ...options,
  );
}

/** The same by the yardstick. */
function runYardstick(target: Target, what: 'load' | 'flags', path: string): Promise<Took> {
  return timed(target, YARDSTICK, target.database_url, what, path);
}

/** Runs a program to its end. */
async function timed(
  { database_url, server }: Target,
  program: string,
  ...words: readonly string[]
): Promise<Took> {
  // Otherwise PostgreSQL would do deferred work of earlier steps during this one.
  if (server !== undefined) await query(database_url, 'checkpoint');
  const serverSeconds = () => (server === undefined ? 0 : processorSecondsOfAll(server.pid));
  const before = [processorSeconds(process.pid).reaped, serverSeconds()] as const;
  const begin = performance.now();
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const samples: number[] = [];
  const sampling = setInterval(() => samples.push(memoryOf(child.pid ?? 0) / MEBIBYTE), SAMPLE_MILLISECONDS);
  const [said, [code]] = await Promise.all([
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  clearInterval(sampling);
  if (code !== 0) throw new Error(said);
  const memory = Array.from({ length: PARTS }, (_, i) =>
    Math.max(0, ...samples.slice((i * samples.length) / PARTS, ((i + 1) * samples.length) / PARTS)),
  );
  return {
    seconds: (performance.now() - begin) / 1_000,
    command: processorSeconds(process.pid).reaped - before[0],
    server: serverSeconds() - before[1],
    said: said.trim(),
    memory,
  };
}

export async function withTarget<T>(store: StoreName, use: (target: Target) => Promise<T>): Promise<T> {
  const program = packaged();
  const folder = mkdtempSync(join(tmpdir(), 'linecard-bench-'));
  const server = store === 'postgres' ? await startPostgres('durable') : undefined;
  const made = await server?.makeDatabase('c');
  const database_url = made?.url ?? `sqlite:${join(folder, 'linecard.db')}`;
  try {
    return await use({ program, folder, database_url, server });
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true });
  }
}

/** The rows a second of the same import from a file of another system. */
function measureMapped(store: StoreName, making: Making): Promise<number> {
  return withTarget(store, async (target) => {
    const path = join(target.folder, 'foreign.csv');
    writeRows(path, { ...making, format: 'foreign' });
    const { seconds } = await run(target, path, ...mappingOptions(target));
    return making.rows / seconds;
  });
}

function mappingOptions({ folder }: Target): string[] {
  const path = join(folder, 'mapping.json');
  writeFileSync(path, JSON.stringify(MAPPING));
  return ['--mapping', path];
}

interface Times {
  readonly rows: Took;
  readonly flags: Took;
}

/** Loads the rows into an empty store and sets flags there, by the yardstick. */
function measureYardstick(store: StoreName, path: string, flags: string): Promise<Times> {
  return withTarget(store, async (target) => {
    linecard('migrate', '--database-url', target.database_url);
    const rows = await runYardstick(target, 'load', path);
    return { rows, flags: await runYardstick(target, 'flags', flags) };
  });
}

/** The speed of an import as a part of that of the yardstick. */
function partOf(what: string, count: number, ours: Took, yardstick: Took, bound: number): Verdict {
  const verdict = verdictOf(what, yardstick.seconds / ours.seconds, 'at least', bound, ratioText);
  const processor = ({ command, server }: Took) => command + server;
  const details = `by processor ${ratioText(processor(yardstick) / processor(ours))}; ${rowsASecond(count / ours.seconds)}`;
  return { ...verdict, measured: `${verdict.measured} (${details})` };
}

/** Imports a million rows of CSV into an empty store, and updates 10,000 flags. */
export function measureImport(store: StoreName): Promise<Verdict[]> {
  const goal = GOALS[store];
  return withTarget(store, async (target) => {
    const making: Making = { rows: ROWS, format: 'csv', byChance: false, monthly: '2.25' };
    const [path, flags] = [join(target.folder, 'rows.csv'), join(target.folder, 'flags.csv')];
    writeRows(path, making);
    writeFlags(flags, making, FLAGS, true);
    const yardstick = await measureYardstick(store, path, flags);
    const imported = await run(target, path);
    const { seconds, memory } = imported;
    const growth = (memory.at(-1) ?? 0) / (memory[Math.floor(PARTS / 2)] || 1);
    const update = await run(target, flags, '--update');
    const mapped = (await measureMapped(store, making)) / (ROWS / seconds);
    const rows = `import of ${count(ROWS)} rows into an empty ${goal.store}, of the yardstick`;
    const flagged = `${count(FLAGS)} flags into them with --update, of the yardstick`;
    return [
      partOf(rows, ROWS, imported, yardstick.rows, goal.rows),
      verdictOf('memory at the end of the import, of that in its middle', growth, 'at most', FLAT, ratioText),
      verdictOf('an import with a mapping, of the speed without one', mapped, 'at least', MAPPED, ratioText),
      partOf(flagged, FLAGS, update, yardstick.flags, goal.flags),
    ];
  });
}

function readWords(): { making: Making; store: StoreName } {
  const [rows_word = String(ROWS), format = 'csv', order = 'by-id', store = 'embedded'] =
    process.argv.slice(2);
  const rows = Number(rows_word);
  const isKnown = format in FORMATS && /^by-(?:id|chance)$/.test(order) && store in GOALS;
  if (!Number.isSafeInteger(rows) || rows < 1 || !isKnown) {
    throw new Error(
      'Usage: node bench/import.ts [rows] [csv|ndjson|foreign] [by-id|by-chance] [embedded|postgres]',
    );
  }
  const making = { rows, format: format as Making['format'], byChance: order === 'by-chance' };
  return { making: { ...making, monthly: '2.25' }, store: store as StoreName };
}

if (import.meta.main) {
  const { making, store } = readWords();
  await withTarget(store, async (target) => {
    const isForeign = making.format === 'foreign';
    const path = join(target.folder, `rows.${isForeign ? 'csv' : making.format}`);
    const options = isForeign ? mappingOptions(target) : [];
    const flags = join(target.folder, 'flags.csv');
    const show = (title: string, rows: number, { seconds, command, server, said, memory }: Took) => {
      console.log(`\n${title}: ${rowsASecond(rows / seconds)}, ${seconds.toFixed(2)} s in all`);
      const ofServer = store === 'postgres' ? `, PostgreSQL ${server.toFixed(2)} s` : '';
      console.log(`  processor: the command ${command.toFixed(2)} s${ofServer}`);
      console.log(`  ${said}`);
      console.log(`  memory ${memory.map(mebibytes).join(', ')} (the most in each tenth of the run)`);
    };
    writeRows(path, making);
    console.log(
      `${availableParallelism()} cores, ${cpus()[0]?.model.trim()}, Node.js ${process.versions.node}, ${GOALS[store].store}`,
    );
    console.log(
      `${count(making.rows)} rows of ${making.format}, ${mebibytes(statSync(path).size / MEBIBYTE)}`,
    );
    show('into an empty database', making.rows, await run(target, path, ...options));
    const some = Math.min(FLAGS, making.rows);
    for (const isSpammed of [true, false, true]) {
      writeFlags(flags, making, some, isSpammed);
      show(`${count(some)} flags, all ${isSpammed}`, some, await run(target, flags, '--update'));
    }
    show('the same again', making.rows, await run(target, path, ...options));
    writeRows(path, { ...making, monthly: '2.5' });
    const all = ['--max-changed', 'monthly=100%'];
    show('every row changed', making.rows, await run(target, path, ...options, ...all));
  });
}
