// How fast an import is, and whether its memory stays flat: makes a file, imports it by the operator's own
// command into an empty embedded store, once more as it is, and with every row changed. By itself: `node
// bench/import.ts [rows] [csv|ndjson] [by-id|by-chance]`

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import type { Verdict } from './goals.ts';
import { count } from './table.ts';

const ROWS = 1_000_000;
const ROWS_PER_ACCOUNT = 100;
const SAMPLE_MILLISECONDS = 100;
/** Memory is shown for so many parts of the run. */
const PARTS = 10;
const ROWS_A_SECOND = 100_000;
/** More at the end than in the middle by this factor, and memory grows with the file. */
const FLAT = 1.15;

const MAIN = join(import.meta.dirname, '..', 'server', 'main.ts');

const COUNTRIES = [
  ['GB', 'United Kingdom', '+4420'],
  ['DE', 'Germany', '+4930'],
  ['US', 'United States', '+1415'],
  ['FR', 'France', '+331'],
] as const;
const PROVIDERS = ['Thameswire', 'Zed, Inc', 'Nordfunk', 'Bluecall'] as const;
const STATUSES = ['active', 'configuration_awaiting', 'blocked'] as const;
const COMMENTS = ['', 'Front desk', 'Support line west', 'Büro Süd', 'He said "hold"'] as const;

const of = <T>(values: readonly T[], i: number): T => values[i % values.length] as T;
const two = (n: number) => String(n).padStart(2, '0');

/** What a file is made of; by chance, ids and accounts jump about. */
interface Making {
  readonly rows: number;
  readonly format: keyof typeof FORMATS;
  readonly by_chance: boolean;
  readonly monthly: string;
}

/** The row that comes i-th, all values as texts. */
function row(i: number, making: Making): Record<string, string> {
  const { rows, by_chance, monthly } = making;
  // A prime far from any power of ten visits every place once.
  const place = by_chance ? (i * 611_953) % rows : i;
  const [country_code, country, prefix] = of(COUNTRIES, place);
  const fraction = String((place * 7_919) % 1_000_000).padStart(6, '0');
  return {
    account_id: `C${100_000 + Math.floor(place / ROWS_PER_ACCOUNT)}`,
    id: String(1_000 + place),
    did: `${prefix}${String(10_000_000 + place).slice(-8)}`,
    comment: of(COMMENTS, place % 23),
    country,
    country_code,
    provider: of(PROVIDERS, place >> 2),
    status: of(STATUSES, place),
    subscription_status: 'active',
    frequency: 'monthly',
    activation: '1.5',
    monthly,
    incoming: '0.0059',
    created_at: `2026-0${1 + (place % 9)}-${two(1 + (place % 28))}T16:04:11.${fraction}Z`,
    activated_at: `2026-02-11T08:30:00.${fraction}Z`,
    next_payment_at: '2026-12-01T00:00:00.000000Z',
    is_active_spam_check: String(place % 2 === 0),
    is_spammed: String(place % 50 === 0),
    spam_checked_at: '',
  };
}

const quoted = (cell: string) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

const PLAIN = new Set(['activation', 'monthly', 'incoming', 'id', 'is_active_spam_check', 'is_spammed']);
const json = ([name, value]: [string, string]) =>
  `"${name}":${value === '' && name.endsWith('_at') ? 'null' : PLAIN.has(name) ? value : JSON.stringify(value)}`;

const FORMATS = {
  csv: {
    header: (one: Record<string, string>) => `${Object.keys(one).join(',')}\n`,
    line: (one: Record<string, string>) => `${Object.values(one).map(quoted).join(',')}\n`,
  },
  ndjson: {
    header: () => '',
    line: (one: Record<string, string>) => `{${Object.entries(one).map(json).join(',')}}\n`,
  },
} as const;

async function writeRows(path: string, making: Making): Promise<void> {
  const { header, line } = FORMATS[making.format];
  const file = createWriteStream(path);
  let lines = header(row(0, making));
  for (let i = 0; i < making.rows; i++) {
    lines += line(row(i, making));
    if (lines.length < 1_000_000 && i < making.rows - 1) continue;
    if (!file.write(lines)) await once(file, 'drain');
    lines = '';
  }
  file.end();
  await finished(file);
}

const MEBIBYTE = 1_048_576;
const mebibytes = (bytes: number) => `${Math.round(bytes / MEBIBYTE)} MiB`;

/** The memory that a process takes now, in bytes, where the system tells. */
function memoryOf(pid: number): number | undefined {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1_024;
  } catch {
    return undefined;
  }
}

/** What one import took. */
interface Took {
  readonly seconds: number;
  /** What the command said at its end. */
  readonly said: string;
  /** The most memory in each tenth of the run, in bytes. */
  readonly memory: readonly number[];
}

/** Runs one import as an operator does. */
async function run(path: string, database: string): Promise<Took> {
  const begin = performance.now();
  const words = ['import', 'virtual-numbers', path, '--database-url', `sqlite:${database}`];
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  const samples: number[] = [];
  const sampling = setInterval(() => samples.push(memoryOf(child.pid ?? 0) ?? 0), SAMPLE_MILLISECONDS);
  const [said, [code]] = await Promise.all([
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  clearInterval(sampling);
  if (code !== 0) throw new Error(said);
  const memory = Array.from({ length: PARTS }, (_, i) =>
    Math.max(0, ...samples.slice((i * samples.length) / PARTS, ((i + 1) * samples.length) / PARTS)),
  );
  return { seconds: (performance.now() - begin) / 1_000, said: said.trim(), memory };
}

/** Calls with a folder that is gone afterwards. */
async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'linecard-bench-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A million rows of CSV into an empty embedded store. */
export function measureImport(): Promise<Verdict[]> {
  return withFolder(async (folder) => {
    const path = join(folder, 'rows.csv');
    await writeRows(path, { rows: ROWS, format: 'csv', by_chance: false, monthly: '2.25' });
    const { seconds, memory } = await run(path, join(folder, 'linecard.db'));
    const rate = ROWS / seconds;
    const growth = (memory.at(-1) ?? 0) / (memory[Math.floor(PARTS / 2)] || 1);
    return [
      {
        what: `import of ${count(ROWS)} rows into an empty embedded store`,
        measured: `${count(rate)} rows a second`,
        goal: `at least ${count(ROWS_A_SECOND)}`,
        met: rate >= ROWS_A_SECOND,
      },
      {
        what: 'memory at the end of the import, of that in its middle',
        measured: growth.toFixed(2),
        goal: `at most ${FLAT}`,
        met: growth <= FLAT,
      },
    ];
  });
}

function readWords(): Making {
  const [rows_word = String(ROWS), format = 'csv', order = 'by-id'] = process.argv.slice(2);
  const rows = Number(rows_word);
  if (!Number.isSafeInteger(rows) || rows < 1 || !(format in FORMATS) || !/^by-(?:id|chance)$/.test(order)) {
    throw new Error('Usage: node bench/import.ts [rows] [csv|ndjson] [by-id|by-chance]');
  }
  const by_chance = order === 'by-chance';
  return { rows, format: format as Making['format'], by_chance, monthly: '2.25' };
}

if (import.meta.main) {
  const making = readWords();
  await withFolder(async (folder) => {
    const path = join(folder, `rows.${making.format}`);
    const database = join(folder, 'linecard.db');
    await writeRows(path, making);
    console.log(
      `${availableParallelism()} cores, ${cpus()[0]?.model.trim()}, Node.js ${process.versions.node}`,
    );
    console.log(`${count(making.rows)} rows of ${making.format}, ${mebibytes(statSync(path).size)}`);
    for (const title of ['into an empty database', 'the same again', 'every row changed']) {
      if (title === 'every row changed') await writeRows(path, { ...making, monthly: '2.5' });
      const { seconds, said, memory } = await run(path, database);
      console.log(
        `\n${title}: ${count(making.rows / seconds)} rows a second, ${seconds.toFixed(2)} s in all`,
      );
      console.log(`  ${said}`);
      console.log(`  memory ${memory.map(mebibytes).join(', ')} (the most in each tenth of the run)`);
    }
    console.log(`\nthe database has ${mebibytes(statSync(database).size)}`);
  });
}
