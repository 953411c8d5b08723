// Files as systems and spreadsheets write them, by a writer that knows nothing of how Linecard reads: totals,
// brackets, names of months, days of spreadsheets, padded cells, NULL. What it writes comes in as its rows,
// or is refused with the line.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readMapped } from './mapped-read.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const two = (n: number) => String(n).padStart(2, '0');
const SHORT = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const GERMAN = 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(
  ' ',
);

interface Parts {
  readonly ms: number;
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

function partsOf(ms: number): Parts {
  const at = new Date(ms);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  return { ms, year, month, day, hour: at.getUTCHours(), minute: at.getUTCMinutes() };
}

const clock = ({ hour, minute }: Parts) => `${two(hour)}:${two(minute)}`;
/** By the form that a mapping has for it. */
const DATES: Readonly<Record<string, (at: Parts) => string>> = {
  'D MMM YYYY HH:mm': (at) => `${at.day} ${SHORT[at.month]} ${at.year} ${clock(at)}`,
  'DD-MMM-YY HH:mm': (at) =>
    `${two(at.day)}-${SHORT[at.month]?.toUpperCase()}-${two(at.year % 100)} ${clock(at)}`,
  'D. MMMM YYYY, HH:mm': (at) => `${at.day}. ${GERMAN[at.month]} ${at.year}, ${clock(at)}`,
  'M/D/YYYY h:mm a': (at) =>
    `${at.month + 1}/${at.day}/${at.year} ${at.hour % 12 || 12}:${two(at.minute)} ${at.hour < 12 ? 'AM' : 'PM'}`,
  'YYYY-MM-DD HH:mmZ': (at) => {
    const east = partsOf(at.ms + 90 * MINUTE);
    return `${east.year}-${two(east.month + 1)}-${two(east.day)} ${clock(east)}+0130`;
  },
  'DD.MM.YYYY HH:mm': (at) => {
    // Midnight may be the end of the day before.
    const eve = partsOf(at.ms - DAY);
    return at.hour + at.minute === 0
      ? `${two(eve.day)}.${two(eve.month + 1)}.${eve.year} 24:00`
      : `${two(at.day)}.${two(at.month + 1)}.${at.year} ${clock(at)}`;
  },
  rfc2822: (at) => new Date(at.ms).toUTCString().replace('GMT', '+0000'),
  iso: (at) => `${at.year}-${two(at.month + 1)}-${two(at.day)}T${clock(at)}`,
  unix: (at) => String(at.ms / 1_000),
  unix_ms: (at) => String(at.ms),
  excel: (at) => String((at.ms - Date.UTC(1899, 11, 30)) / DAY),
  excel_1904: (at) => String((at.ms - Date.UTC(1904, 0, 1)) / DAY),
};

const grouped = (whole: string, sign: string) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, sign);
const indian = (whole: string) =>
  whole.length <= 3
    ? whole
    : `${whole.slice(0, -3).replaceAll(/\B(?=(?:\d{2})+$)/g, ',')},${whole.slice(-3)}`;

/** Charges in cents: with a point, or with a comma where its name says so. */
const CHARGES: Readonly<Record<string, (whole: string, cents: string, isNegative: boolean) => string>> = {
  dollars: (whole, cents, isNegative) =>
    isNegative ? `$ (${grouped(whole, ',')}.${cents})` : `$ ${grouped(whole, ',')}.${cents} `,
  brackets: (whole, cents, isNegative) => (isNegative ? `(${whole}.${cents})` : `${whole}.${cents}`),
  'euros,': (whole, cents, isNegative) => `${isNegative ? '−' : ''}${grouped(whole, '.')},${cents} €`,
  'sap,': (whole, cents, isNegative) => `${grouped(whole, '.')},${cents}${isNegative ? '-' : ''}`,
  swiss: (whole, cents, isNegative) => `CHF ${isNegative ? '-' : ''}${grouped(whole, '’')}.${cents}`,
  india: (whole, cents, isNegative) => `${isNegative ? '-' : ''}${indian(whole)}.${cents}`,
  zeros: (whole, cents, isNegative) => `${isNegative ? '-' : ''}${whole}.${cents}000000`,
};

const row = fc.record({
  account: fc.integer({ min: 1, max: 30 }).map((n) => `C${n}`),
  comment: fc.stringMatching(/^[a-zäöüéñ0-9 ,;|"'.]{0,10}$/).map((text) => `x${text}x`),
  cents: fc.integer({ min: -20_000_000, max: 300_000_000 }),
  minute: fc.integer({ min: Date.UTC(1975, 0) / MINUTE, max: Date.UTC(2060, 0) / MINUTE }),
  hasComment: fc.boolean(),
  kind: fc.constantFrom('row', 'row', 'row', 'total', 'stock', 'again', 'blank'),
});
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

const style = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  encoding: fc.constantFrom('utf-8', 'mark', 'windows-1252', 'utf-16'),
  newline: fc.constantFrom('\n', '\r\n'),
  title: fc.array(fc.constantFrom('Report', '', 'all "numbers" of 2026', ';;;', 'Stand: 1. Mai;x'), {
    maxLength: 3,
  }),
  isSkipped: fc.boolean(),
  date: fc.constantFrom(...Object.keys(DATES)),
  charge: fc.constantFrom(...Object.keys(CHARGES)),
  pad: fc.constantFrom('', ' ', '  ', '\u00a0'),
  nothing: fc.constantFrom('NULL', 'n/a', '\\N', ''),
  stock: fc.constantFrom('0', 'NULL', ''),
  isTrailing: fc.boolean(),
  hasEscape: fc.boolean(),
  hasControlZ: fc.boolean(),
  /** Whether the file says its delimiter. */
  hasSep: fc.boolean(),
  /** Which row has a cell that is none. */
  spoilt: fc.option(
    fc.record({ at: fc.nat(20), how: fc.constantFrom('charge', 'date', 'account', 'cells') }),
    { nil: undefined },
  ),
});
type Style = typeof style extends fc.Arbitrary<infer T> ? T : never;

/** What a windows-1252 file cannot have. */
const fits = ({ encoding }: Style, text: string) => encoding !== 'windows-1252' || !text.includes('−');

interface Written {
  readonly text: string;
  readonly mapping: object;
  readonly rows: readonly (readonly unknown[])[];
  readonly leftOut: number;
  /** The line of the row that is spoilt. */
  readonly line: number | undefined;
}

const NAMES = ['Kunde', 'Rufnummer', 'Text', 'Preis', 'Ab', 'Typ'];

function write(rows: readonly Row[], own: Style): Written {
  const { delimiter, newline, pad, nothing, spoilt } = own;
  const cell = (text: string) => {
    const padded = pad + text + pad;
    if (!/["\r\n]/.test(padded) && !padded.includes(delimiter)) return padded;
    return `"${own.hasEscape ? text.replaceAll('"', '\\"') : text.replaceAll('"', '""')}"`;
  };
  const end = own.isTrailing ? delimiter : '';
  const lines: string[] = [];
  const add = (...cells: string[]) => lines.push(cells.map(cell).join(delimiter) + end);
  if (own.hasSep) lines.push(`sep=${delimiter}`);
  lines.push(...own.title);
  const skip = lines.length;
  add(...NAMES);
  const expected: unknown[][] = [];
  let leftOut = 0;
  let line: number | undefined;
  const write = CHARGES[own.charge] as (typeof CHARGES)[string];
  for (const [i, one] of rows.entries()) {
    const did = `+4420${10_000_000 + i}`;
    const cents = Math.abs(one.cents);
    const charge = write(String(Math.floor(cents / 100)), two(cents % 100), one.cents < 0);
    const time = (DATES[own.date] as (at: Parts) => string)(partsOf(one.minute * MINUTE));
    const comment = one.hasComment ? one.comment : nothing;
    const cells = [one.account, did, comment, charge, time, 'in'];
    if (one.kind === 'total')
      lines.push(['Summe', '', '', charge].join('\u0000').replaceAll('\u0000', delimiter));
    else if (one.kind === 'stock') add(own.stock, ...cells.slice(1));
    else if (one.kind === 'blank') lines.push(delimiter.repeat(i % 7));
    else if (one.kind === 'again' && expected.length > 0)
      add('C9', String(expected[0]?.[1]), 'again', charge, time, 'in');
    else {
      const isSpoilt = spoilt !== undefined && line === undefined && spoilt.at <= i;
      if (isSpoilt) {
        line = lines.length + 1;
        if (spoilt.how === 'charge') cells[3] = '2.2,5.1';
        if (spoilt.how === 'date') cells[4] = '31 Foo 2026 99:99';
        if (spoilt.how === 'account') cells[0] = 'x'.repeat(300);
        if (spoilt.how === 'cells') cells.push('more');
      } else
        expected.push([
          one.account,
          did,
          one.hasComment ? one.comment : '',
          one.cents * 10_000,
          one.minute * MINUTE,
        ]);
      add(...cells);
      continue;
    }
    if (one.kind !== 'blank') leftOut += 1;
  }
  const text = lines.map((one) => one + newline).join('') + (own.hasControlZ ? '\x1a' : '');
  return { text, mapping: mappingOf(own, skip), rows: expected, leftOut, line };
}

function mappingOf(own: Style, skip: number): object {
  const isHeaderSaid = own.title.length > 0;
  return {
    ...(own.hasSep ? {} : { delimiter: own.delimiter === '\t' ? 'tab' : own.delimiter }),
    ...(own.encoding === 'mark' || own.encoding === 'utf-8' ? {} : { encoding: own.encoding }),
    ...(isHeaderSaid ? (own.isSkipped ? { skip } : { header: ['Preis', 'Kunde'] }) : {}),
    ...(own.hasEscape ? { quote_escape: '\\' } : {}),
    decimal: own.charge.endsWith(',') ? ',' : '.',
    dates: [own.date],
    empty: ['NULL', 'n/a'],
    only: [{ column: 'Kunde', not_in: ['Summe', '0', ''] }],
    unique: 'did',
    columns: {
      account_id: 'Kunde',
      did: 'Rufnummer',
      id: { from: 'Rufnummer', as: 'digits' },
      comment: 'Text',
      monthly: 'Preis',
      created_at: 'Ab',
    },
    ignore: ['Typ'],
  };
}

function encoded(text: string, encoding: string): Buffer {
  if (encoding === 'windows-1252')
    return Buffer.from(
      Array.from(text, (letter) => (letter === '€' ? 0x80 : letter === '’' ? 0x92 : letter.charCodeAt(0))),
    );
  if (encoding === 'utf-16') return Buffer.from(`\ufeff${text}`, 'utf16le');
  return Buffer.from(encoding === 'mark' ? `\ufeff${text}` : text);
}

/** Checks that odd files come in as their rows, or are refused with their line. */
export async function checkOddFiles(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 12 }), style, async (rows, own) => {
      const { text, mapping, rows: expected, leftOut, line } = write(rows, own);
      fc.pre(fits(own, text));
      const read = await readMapped(encoded(text, own.encoding), mapping, { rules: { isUpdate: true } });
      const got = read.rows.map(({ account_id, did, comment, monthly, created_at }) => [
        account_id,
        did,
        comment,
        monthly,
        Date.parse(String(created_at)),
      ]);
      const lines = [...new Set(read.faults.map((fault) => fault.split(':')[1]))];
      assert.deepEqual(lines, line === undefined ? [] : [String(line)], read.faults.join('\n'));
      // A row with a fault has no value in the place of the one that is wrong.
      const sound = got.filter((one) => expected.some((row) => row[1] === one[1]));
      assert.deepEqual([sound, read.leftOut], [expected, leftOut]);
    }),
    { numRuns },
  );
}
