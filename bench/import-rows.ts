// Generates the files that imports are measured with.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

const ROWS_PER_ACCOUNT = 100;
const FIRST_ID = 1_000;
/** Prime, so that flags are spread evenly over accounts and values. */
const FLAG_EVERY = 97;

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

/** The contents of a file; `byChance` puts ids and accounts in random order. */
export interface Making {
  readonly rows: number;
  readonly format: keyof typeof FORMATS;
  readonly byChance: boolean;
  readonly monthly: string;
}

function row(i: number, making: Making): Record<string, string> {
  const { rows, byChance, monthly } = making;
  // A prime far from any power of ten visits each position once.
  const place = byChance ? (i * 611_953) % rows : i;
  const [country_code, country, prefix] = of(COUNTRIES, place);
  const fraction = String((place * 7_919) % 1_000_000).padStart(6, '0');
  return {
    account_id: `C${100_000 + Math.floor(place / ROWS_PER_ACCOUNT)}`,
    id: String(FIRST_ID + place),
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

/** Names, dates and decimals as another system has them, for an import with a mapping. */
const foreignName = (name: string) => `Feld ${name}`;
const CHARGES = new Set(['activation', 'monthly', 'incoming']);
const TIME = /^(\d{4})-(\d\d)-(\d\d)T(.{15})Z$/;

function foreign([name, value]: [string, string]): string {
  if (CHARGES.has(name)) return value.replace('.', ',');
  return quoted(name.endsWith('_at') ? value.replace(TIME, '$3.$2.$1 $4') : value);
}

/** The mapping of a foreign file. */
export const mappingOf = (making: Making): object => ({
  delimiter: ';',
  decimal: ',',
  dates: ['DD.MM.YYYY HH:mm:ss.ffffff'],
  columns: Object.fromEntries(Object.keys(row(0, making)).map((name) => [name, foreignName(name)])),
});

export const FORMATS = {
  foreign: {
    header: (one: Record<string, string>) => `${Object.keys(one).map(foreignName).join(';')}\n`,
    line: (one: Record<string, string>) => `${Object.entries(one).map(foreign).join(';')}\n`,
  },
  csv: {
    header: (one: Record<string, string>) => `${Object.keys(one).join(',')}\n`,
    line: (one: Record<string, string>) => `${Object.values(one).map(quoted).join(',')}\n`,
  },
  ndjson: {
    header: () => '',
    line: (one: Record<string, string>) => `{${Object.entries(one).map(json).join(',')}}\n`,
  },
} as const;

export async function writeRows(path: string, making: Making): Promise<void> {
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

/** Writes updates of spam flags for rows all over the list, all true or all false. */
export async function writeFlags(
  path: string,
  making: Making,
  flags: number,
  isSpammed: boolean,
): Promise<void> {
  const file = createWriteStream(path);
  file.write('account_id,id,is_spammed\n');
  for (let i = 0; i < flags; i++) {
    const place = (i * FLAG_EVERY) % making.rows;
    file.write(`C${100_000 + Math.floor(place / ROWS_PER_ACCOUNT)},${FIRST_ID + place},${isSpammed}\n`);
  }
  file.end();
  await finished(file);
}
