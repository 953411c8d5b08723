// How fast an import is, and whether its memory stays flat: makes a file, imports it by the operator's own command into an
// empty embedded store, once more as it is, and with every row changed. `node bench/import.ts [rows] [csv|ndjson]
// [by-id|by-chance]`

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';

const ROWS = 1_000_000;
const ROWS_PER_ACCOUNT = 100;
const SAMPLE_MILLISECONDS = 100;
/** Memory is shown for so many parts of the run. */
const PARTS = 10;

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

/** Runs one import as an operator does, and prints what it took. */
async function measure(title: string, path: string, database: string, rows: number): Promise<void> {
  const begin = performance.now();
  const words = ['import', 'virtual-numbers', path, '--database-url', `sqlite:${database}`];
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  const memory: number[] = [];
  const sampling = setInterval(() => memory.push(memoryOf(child.pid ?? 0) ?? 0), SAMPLE_MILLISECONDS);
  const [said, [code]] = await Promise.all([
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  clearInterval(sampling);
  if (code !== 0) throw new Error(said);

  const seconds = (performance.now() - begin) / 1_000;
  const parts = Array.from({ length: PARTS }, (_, i) =>
    Math.max(0, ...memory.slice((i * memory.length) / PARTS, ((i + 1) * memory.length) / PARTS)),
  );
  console.log(`\n${title}: ${Math.round(rows / seconds).toLocaleString('en')} rows a second`);
  console.log(`  ${said.trim()}`);
  console.log(`  ${seconds.toFixed(2)} s from the start of the process to its end`);
  console.log(`  memory ${parts.map(mebibytes).join(', ')} (the most in each tenth of the run)`);
}

const [rows_word = String(ROWS), format_word = 'csv', order = 'by-id'] = process.argv.slice(2);
const rows = Number(rows_word);
const known = format_word in FORMATS && /^by-(?:id|chance)$/.test(order);
if (!Number.isSafeInteger(rows) || rows < 1 || !known) {
  throw new Error('Usage: node bench/import.ts [rows] [csv|ndjson] [by-id|by-chance]');
}
const making = {
  rows,
  format: format_word as keyof typeof FORMATS,
  by_chance: order === 'by-chance',
  monthly: '2.25',
};

const folder = mkdtempSync(join(tmpdir(), 'linecard-bench-'));
try {
  const path = join(folder, `rows.${making.format}`);
  const database = join(folder, 'linecard.db');
  await writeRows(path, making);
  const bytes_a_row = Math.round(statSync(path).size / rows);
  console.log(
    `${availableParallelism()} cores, ${cpus()[0]?.model.trim()}, Node.js ${process.versions.node}`,
  );
  console.log(`${rows.toLocaleString('en')} rows of ${making.format}, ${order}, ${bytes_a_row} bytes a row`);
  await measure('into an empty database', path, database, rows);
  await measure('the same again', path, database, rows);
  await writeRows(path, { ...making, monthly: '2.5' });
  await measure('every row changed', path, database, rows);
  console.log(`\nthe database has ${mebibytes(statSync(database).size)}`);
} finally {
  rmSync(folder, { recursive: true });
}
