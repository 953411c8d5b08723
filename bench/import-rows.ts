// The files that imports are measured with: numbers of the bench in several formats and orders.

import { COLUMNS, csvCell, numberWithOwn, writeLines } from './data.ts';

const ROWS_PER_ACCOUNT = 100;
const FIRST_ID = 1_000;
/** Prime, so that flags are spread evenly over accounts and values. */
const FLAG_EVERY = 97;

/** The contents of a file; `byChance` puts ids and accounts in random order. */
export interface Making {
  readonly rows: number;
  readonly format: keyof typeof FORMATS;
  readonly byChance: boolean;
  readonly monthly: string;
  /** How many own fields each row has, in a file of CSV whose numbers are blocks, as carriers have them. */
  readonly own?: number;
}

/** Of the number at a place in the order of the ids. */
const keyOf = (place: number): [account_id: string, id: number] => [
  `C${100_000 + Math.floor(place / ROWS_PER_ACCOUNT)}`,
  FIRST_ID + place,
];

const PLAIN = new Set(['activation', 'monthly', 'incoming', 'id', 'is_active_spam_check', 'is_spammed']);
const json = ([name, value]: [string, string]) =>
  `"${name}":${value === '' && name.endsWith('_at') ? 'null' : PLAIN.has(name) ? value : JSON.stringify(value)}`;

/** Names, dates and decimals as another system has them, for an import with a mapping. */
const foreignName = (name: string) => `Feld ${name}`;
const CHARGES = new Set(['activation', 'monthly', 'incoming']);
const TIME = /^(\d{4})-(\d\d)-(\d\d)T(.{15})Z$/;

function foreign([name, value]: [string, string]): string {
  if (CHARGES.has(name)) return value.replace('.', ',');
  return csvCell(name.endsWith('_at') ? value.replace(TIME, '$3.$2.$1 $4') : value);
}

/** The mapping of a foreign file. */
export const MAPPING = {
  delimiter: ';',
  decimal: ',',
  dates: ['DD.MM.YYYY HH:mm:ss.ffffff'],
  columns: Object.fromEntries(COLUMNS.map((name) => [name, foreignName(name)])),
};

type Row = Readonly<Record<string, string>>;

export const FORMATS = {
  foreign: {
    header: [COLUMNS.map(foreignName).join(';')],
    line: (row: Row) => Object.entries(row).map(foreign).join(';'),
  },
  csv: { header: [COLUMNS.join()], line: (row: Row) => Object.values(row).map(csvCell).join() },
  ndjson: { header: [], line: (row: Row) => `{${Object.entries(row).map(json).join()}}` },
} as const;

export function writeRows(path: string, { rows, format, byChance, monthly, own }: Making): void {
  const { header, line } = FORMATS[format];
  const blockOf = (place: number) => ({ did: `+44203${String(place).padStart(7, '0')}` });
  function* lines() {
    yield* own === undefined ? header : [Object.keys(numberWithOwn('', 0, own)).join()];
    for (let i = 0; i < rows; i++) {
      // A prime far from any power of ten visits each position once.
      const place = byChance ? (i * 611_953) % rows : i;
      yield line({
        ...numberWithOwn(...keyOf(place), own ?? 0),
        monthly,
        ...(own !== undefined && blockOf(place)),
      });
    }
  }
  writeLines(path, lines());
}

/** Writes updates of spam flags for rows all over the list, all true or all false. */
export function writeFlags(path: string, { rows }: Making, flags: number, isSpammed: boolean): void {
  function* lines() {
    yield 'account_id,id,is_spammed';
    for (let i = 0; i < flags; i++) yield [...keyOf((i * FLAG_EVERY) % rows), isSpammed].join();
  }
  writeLines(path, lines());
}
