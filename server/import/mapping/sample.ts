// The beginning of a file of which nothing is known: its encoding, its delimiter, its names and first rows,
// each with the reason why it is taken to be so.

import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';
import { trimmed } from '@linecard/client/contract/trimmed';
import { beginningFault, binaryFault } from '../beginning.ts';
import { plainName } from '../columns.ts';
import { CsvReader } from '../csv.ts';
import { DELIMITERS } from '../csv-rows.ts';
import { UnreadableFile } from '../files.ts';

/** What is read of a file, once unpacked. */
const SAMPLE_BYTES = 524_288;
const MAX_ROWS = 1_000;
const LINE_FEED = 10;
const GZIP_MARK = Buffer.from([0x1f, 0x8b]);
const MARKS = [
  [Buffer.from([0xef, 0xbb, 0xbf]), 'utf-8'],
  [Buffer.from([0xff, 0xfe]), 'utf-16'],
  [Buffer.from([0xfe, 0xff]), 'utf-16'],
] as const;
/** Control characters that are not white space: a comment may have one, a header has none. */
const CONTROLS = /[^\P{Cc}\s]/gu;
const MAX_CONTROLS = 2;
const PROBED_CHARACTERS = 1_000;
const NOT_TEXT =
  'The file is not text: it begins with control characters. Save the table as CSV or NDJSON in UTF-8.';
/** Zero bytes tell UTF-16 without a mark. */
const PROBED_BYTES = 200;

export interface Sample {
  /** As a mapping names it; `undefined` for UTF-8. */
  readonly encoding: string | undefined;
  /** As a mapping names it; `undefined` for a comma, and for NDJSON. */
  readonly delimiter: string | undefined;
  readonly names: readonly string[];
  /** The texts of a name, in the order of the rows. */
  readonly textsOf: (name: string) => readonly string[];
  readonly rows: number;
  readonly reasons: readonly string[];
}

function beginningOf(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(SAMPLE_BYTES);
    const begin = bytes.subarray(0, readSync(file, bytes));
    if (!begin.subarray(0, GZIP_MARK.length).equals(GZIP_MARK)) return begin;
    const unpacked = gunzipSync(begin, { finishFlush: constants.Z_SYNC_FLUSH });
    return unpacked.subarray(0, SAMPLE_BYTES);
  } finally {
    closeSync(file);
  }
}

/** Without the last line, where that may not be complete. */
function completeLines(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(LINE_FEED) + 1;
  return end > 0 && bytes.length === SAMPLE_BYTES ? bytes.subarray(0, end) : bytes;
}

const EVERY_OTHER = 'because every other byte is zero';

function encodingOf(bytes: Buffer): readonly [encoding: string, reason: string] {
  const mark = MARKS.find(([one]) => bytes.subarray(0, one.length).equals(one));
  if (mark !== undefined) return [mark[1], 'by its byte order mark'];
  const probe = [...bytes.subarray(0, PROBED_BYTES)];
  const zeros = (parity: number) => probe.filter((byte, i) => byte === 0 && i % 2 === parity).length;
  if (4 * zeros(1) > probe.length) return ['utf-16le', EVERY_OTHER];
  if (4 * zeros(0) > probe.length) return ['utf-16be', EVERY_OTHER];
  if (isUtf8(completeLines(bytes))) return ['utf-8', 'because all of it is'];
  const letters = bytes.filter((byte) => (byte | 32) >= 0x61 && (byte | 32) <= 0x7a).length;
  const high = bytes.filter((byte) => byte >= 0xc0).length;
  return high > letters / 2
    ? ['windows-1251', 'because it is not UTF-8, and most of its letters are Cyrillic']
    : ['windows-1252', 'because it is not UTF-8; if its letters look wrong, try windows-1250'];
}

interface Records {
  readonly delimiter: string;
  readonly typed: string;
  readonly records: readonly (readonly string[])[];
  /** How many have the number of cells of the first. */
  readonly even: number;
}

function recordsOf(text: string): Records {
  const all = DELIMITERS.map(([delimiter, , typed]): Records => {
    const records: (readonly string[])[] = [];
    for (const { cells, fault } of new CsvReader(delimiter).records(text)) {
      if (fault === undefined) records.push(cells);
      if (records.length > MAX_ROWS) break;
    }
    const width = records[0]?.length ?? 0;
    const even = width > 1 ? records.filter((cells) => cells.length === width).length : 0;
    return { delimiter, typed: typed.replaceAll("'", ''), records, even };
  });
  return all.toSorted(
    (a, b) => b.even - a.even || (b.records[0]?.length ?? 0) - (a.records[0]?.length ?? 0),
  )[0] as Records;
}

type Table = Pick<Sample, 'names' | 'textsOf' | 'rows'>;

/** The rows of NDJSON as texts; a line that is no object says nothing. */
function objectsOf(text: string): Table {
  const objects = text
    .split('\n')
    .slice(0, MAX_ROWS)
    .flatMap((line) => {
      try {
        const value: unknown = JSON.parse(line);
        return typeof value === 'object' && value !== null
          ? [new Map(Object.entries(value).map(([name, one]) => [plainName(name), one]))]
          : [];
      } catch {
        return [];
      }
    });
  const textOf = (value: unknown) =>
    typeof value === 'string'
      ? trimmed(value)
      : /^(?:number|boolean)$/.test(typeof value)
        ? JSON.stringify(value)
        : '';
  const names = [...new Set(objects.flatMap((one) => [...one.keys()]))];
  return { names, textsOf: (name) => objects.map((one) => textOf(one.get(name))), rows: objects.length };
}

function isText(text: string): boolean {
  const controls = (part: string) => part.match(CONTROLS)?.length ?? 0;
  const [header = ''] = text.split('\n', 1);
  return controls(header) === 0 && controls(text.slice(0, PROBED_CHARACTERS)) <= MAX_CONTROLS;
}

/** @throws {UnreadableFile} when there is nothing to be read. */
export function sampleOf(path: string): Sample {
  const bytes = beginningOf(path);
  const [encoding, reason] = encodingOf(bytes);
  const isUtf16 = encoding.startsWith('utf-16');
  const isBigEndian = encoding === 'utf-16be' || (isUtf16 && bytes[0] === 0xfe);
  const decoder = new TextDecoder(isBigEndian ? 'utf-16be' : isUtf16 ? 'utf-16le' : encoding);
  const text = decoder.decode(isUtf16 ? bytes : completeLines(bytes));
  const fault =
    binaryFault(bytes) ?? (isText(text) ? (isUtf16 ? undefined : beginningFault(bytes, encoding)) : NOT_TEXT);
  if (fault !== undefined) throw new UnreadableFile(fault);
  const reasons = [`encoding ${encoding}, ${reason}`];
  const read = { encoding: encoding === 'utf-8' ? undefined : encoding };
  if (text.trimStart().startsWith('{')) return { ...read, ...objectsOf(text), delimiter: undefined, reasons };
  const { delimiter, typed, records, even } = recordsOf(text);
  const [header = [], ...rows] = records;
  const names = header.map(plainName);
  if (names.length === 0) throw new UnreadableFile('There is no header row.');
  if (even > 0)
    reasons.push(
      `delimiter "${typed}": ${even} of ${records.length} lines have ${names.length} cells with it`,
    );
  const textsOf = (name: string) => rows.map((cells) => trimmed(cells[names.indexOf(name)] ?? ''));
  const own = even === 0 || delimiter === ',' ? undefined : delimiter === '\t' ? 'tab' : delimiter;
  return { ...read, delimiter: own, names, textsOf, rows: rows.length, reasons };
}
