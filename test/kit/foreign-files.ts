// Random files of billing systems, written from rows that are known, by a writer that knows nothing of how
// Linecard reads: what it writes comes in as those rows, or is refused with the line that it spoiled.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type MappedRead, readMapped } from './mapped-read.ts';

type LocalTime = Readonly<Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>>;

const two = (n: number) => String(n).padStart(2, '0');
const DATES = {
  'DD.MM.YYYY HH:mm': (t: LocalTime) =>
    `${two(t.day)}.${two(t.month)}.${t.year} ${two(t.hour)}:${two(t.minute)}`,
  'MM/DD/YYYY': (t: LocalTime) => `${t.month}/${t.day}/${t.year}`,
  'YYYY-MM-DDTHH:mm:ss': (t: LocalTime) =>
    `${t.year}-${two(t.month)}-${two(t.day)}T${two(t.hour)}:${two(t.minute)}:${two(t.second)}`,
  YYYYMMDDHHmmss: (t: LocalTime) =>
    `${t.year}${two(t.month)}${two(t.day)}${two(t.hour)}${two(t.minute)}${two(t.second)}`,
  'DD-MM-YY HH:mm:ss': (t: LocalTime) =>
    `${two(t.day)}-${two(t.month)}-${two(t.year % 100)} ${two(t.hour)}:${two(t.minute)}:${two(t.second)}`,
};

/** Zones without daylight saving time, by their offset in minutes: the writer has no calendar either. */
const ZONES = { UTC: 0, 'Asia/Tokyo': 540, 'Asia/Kolkata': 330, 'Etc/GMT+5': -300 };

/** Names that need quotes, accents and what else names have. */
const NAMES = {
  account_id: 'Kunde "Nr."',
  did: 'Rufnummer',
  comment: 'Bemerkung; usw.',
  monthly: 'Preis, €',
  created_at: 'Ab (Datum)',
  is_spammed: 'Spam | ja',
  rest: 'Verkäufer',
};
type Column = keyof typeof NAMES;

const letters = 'abcXYZ09 äöüßéñç€,;|"\'\t=+-@…';
const comment = fc
  .array(fc.constantFrom(...Array.from(letters), '\n', '""', 'www'), { maxLength: 12 })
  .map((parts) => parts.join(''))
  // What a guard against formulas looks like is read as one in every CSV file.
  .filter((text) => !/^'/.test(text) && text !== '\\N');

type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;

/** A row before it is written: charges in millionths, times as local ones. */
const known = fc.record({
  account_id: fc.integer({ min: 1, max: 30 }).map((n) => `C${n}`),
  digits: fc.integer({ min: 10_000_000, max: 999_999_999_999 }).map(String),
  comment,
  monthly: fc.oneof(
    fc.integer({ min: -3_000, max: 9_999_999 }).map((cents) => cents * 10_000),
    fc.integer({ min: 0, max: 5_000_000_000 }),
  ),
  created: fc.record({
    year: fc.integer({ min: 1970, max: 2068 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 28 }),
    hour: fc.integer({ min: 0, max: 23 }),
    minute: fc.integer({ min: 0, max: 59 }),
    second: fc.integer({ min: 0, max: 59 }),
  }),
  isSpam: fc.option(fc.boolean(), { nil: undefined }),
});
type Known = Drawn<typeof known>;

/** How a system writes its files. */
const style = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  encoding: fc.constantFrom('utf-8', 'utf-8 with mark', 'windows-1252', 'utf-16', 'utf-16be'),
  decimal: fc.constantFrom(',', '.'),
  group: fc.constantFrom('', 'sign', ' ', "'", '\u00a0'),
  date: fc.constantFrom(...(Object.keys(DATES) as (keyof typeof DATES)[])),
  zone: fc.constantFrom(...(Object.keys(ZONES) as (keyof typeof ZONES)[])),
  newline: fc.constantFrom('\n', '\r\n'),
  quotes: fc.constantFrom('all', 'needed'),
  hasLastBreak: fc.boolean(),
  isNdjson: fc.boolean(),
  order: fc.nat(),
  /** What stands for yes and for no. */
  spam: fc.constantFrom<(readonly [string, string])[]>(
    ['ja', 'nein'],
    ['X', '-'],
    ['1', '0'],
    ['wahr', 'falsch'],
  ),
});
type Style = Drawn<typeof style>;

/** What is wrong with one row on purpose, and where the fault must be. */
const SPOILED: Readonly<Record<string, (texts: Record<Column, string>, style: Style) => Column | undefined>> =
  {
    charge(texts, { decimal }) {
      texts.monthly = `2${decimal}2${decimal}5`;
      return 'monthly';
    },
    day(texts, { date }) {
      texts.created_at = DATES[date]({ year: 2026, month: 2, day: 30, hour: 0, minute: 0, second: 0 });
      return 'created_at';
    },
    number(texts) {
      texts.did = '4,42E+11';
      return 'did';
    },
    account(texts) {
      texts.account_id = '';
      return 'account_id';
    },
  };

function chargeText(millionths: number, { decimal, group }: Style): string {
  const digits = String(Math.abs(millionths)).padStart(7, '0');
  const sign = group === 'sign' ? (decimal === ',' ? '.' : ',') : group;
  let whole = '';
  for (const [i, digit] of Array.from(digits.slice(0, -6)).entries()) {
    const rest = digits.length - 6 - i;
    whole += (i > 0 && rest % 3 === 0 ? sign : '') + digit;
  }
  const fraction = digits.slice(-6).replace(/0+$/, '');
  return `${millionths < 0 ? '-' : ''}${whole}${fraction === '' ? '' : decimal + fraction}`;
}

function textsOf(row: Known, how: Style): Record<Column, string> {
  return {
    account_id: row.account_id,
    did: `+${row.digits}`,
    comment: row.comment,
    monthly: chargeText(row.monthly, how),
    created_at: DATES[how.date](row.created),
    is_spammed: row.isSpam === undefined ? '' : row.isSpam ? how.spam[0] : how.spam[1],
    rest: 'Ute',
  };
}

/** What the row must become; a form without hours or seconds has none. */
function expectedOf(row: Known, { date, zone }: Style) {
  const { year, month, day, hour, minute, second } = row.created;
  const clock = [
    date.includes('HH') ? hour : 0,
    date.includes('mm') ? minute : 0,
    date.includes('ss') ? second : 0,
  ];
  const utc = Date.UTC(year, month - 1, day, clock[0], (clock[1] ?? 0) - ZONES[zone], clock[2]);
  return {
    account_id: row.account_id,
    id: Number(row.digits),
    did: `+${row.digits}`,
    comment: row.comment.trim(),
    monthly: row.monthly,
    created_at: new Date(utc).toISOString().replace('Z', '000Z'),
    is_spammed: row.isSpam ?? false,
  };
}

const CONSTANTS = { status: 'active', subscription_status: 'active', frequency: 'monthly' };

function mappingOf(how: Style): object {
  const { rest, ...columns } = NAMES;
  return {
    ...(how.isNdjson ? {} : { delimiter: how.delimiter === '\t' ? 'tab' : how.delimiter }),
    encoding: how.encoding.replace(' with mark', ''),
    decimal: how.decimal,
    dates: [how.date],
    time_zone: how.zone,
    columns: { ...columns, id: { from: NAMES.did, as: 'digits' } },
    constants: CONSTANTS,
    values: { is_spammed: { [how.spam[0]]: 'true', [how.spam[1]]: 'false' } },
    ignore: [rest],
  };
}

/** Bytes of the euro sign and the dots in windows-1252, which Latin-1 has not. */
const WINDOWS = { '€': 0x80, '…': 0x85 };

function encoded(text: string, { encoding }: Style): Buffer {
  if (encoding === 'utf-16') return Buffer.from(`\ufeff${text}`, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'utf-8 with mark') return Buffer.from(`\ufeff${text}`);
  return Buffer.from(Array.from(text, (one) => WINDOWS[one as '€'] ?? one.charCodeAt(0)));
}

/** The text of a file, and the line where each row begins. */
function written(rows: readonly Record<Column, string>[], how: Style): { text: string; lines: number[] } {
  const names = (Object.keys(NAMES) as Column[]).toSorted(
    (a, b) => ((a.length * 31 + how.order) % 7) - ((b.length * 31 + how.order) % 7),
  );
  const lines: number[] = [];
  if (how.isNdjson) {
    const objects = rows.map((row, i) => {
      lines.push(i + 1);
      return JSON.stringify(Object.fromEntries(names.map((name) => [NAMES[name], row[name]])));
    });
    return { text: objects.map((one) => one + how.newline).join(''), lines };
  }
  const cell = (text: string) =>
    how.quotes === 'all' || /["\r\n]/.test(text) || text.includes(how.delimiter)
      ? `"${text.replaceAll('"', '""')}"`
      : text;
  let text = names.map((name) => cell(NAMES[name])).join(how.delimiter);
  for (const row of rows) {
    text += how.newline;
    lines.push(text.split('\n').length);
    text += names.map((name) => cell(row[name])).join(how.delimiter);
  }
  return { text: how.hasLastBreak ? text + how.newline : text, lines };
}

const oneCase = fc.record({
  rows: fc.uniqueArray(known, { minLength: 1, maxLength: 8, selector: ({ digits }) => digits }),
  how: style,
  spoil: fc.option(fc.record({ what: fc.constantFrom(...Object.keys(SPOILED)), row: fc.nat({ max: 7 }) }), {
    nil: undefined,
  }),
});

async function check({ rows, how, spoil }: Drawn<typeof oneCase>): Promise<void> {
  const texts = rows.map((row) => textsOf(row, how));
  const at = spoil === undefined ? -1 : spoil.row % rows.length;
  const column = spoil && SPOILED[spoil.what]?.(texts[at] as Record<Column, string>, how);
  const { text, lines } = written(texts, how);
  const ending = how.isNdjson ? '.ndjson' : '.csv';
  const read: MappedRead = await readMapped(encoded(text, how), mappingOf(how), {
    ending,
    takesOpenEnd: true,
  });
  if (column === undefined) {
    assert.deepEqual(read.faults, []);
    assert.deepEqual(
      read.rows,
      rows.map((row) => ({ ...expectedOf(row, how), ...CONSTANTS })),
    );
    return;
  }
  assert.ok(read.faults.length > 0);
  // A number that is none is no id either.
  for (const fault of read.faults) {
    assert.ok(
      fault.startsWith(`billing${ending}:${lines[at]}: ${JSON.stringify(NAMES[column]).slice(1, -1)} (`),
      fault,
    );
  }
}

/** Writes that many random files and reads them. */
export async function checkForeignFiles(files: number): Promise<void> {
  await fc.assert(fc.asyncProperty(oneCase, check), { numRuns: files });
}
