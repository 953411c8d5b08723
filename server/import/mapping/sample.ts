// The beginning of a file of which nothing is known: its encoding, its delimiter, its names and first rows,
// each with the reason why it is taken to be so.

import { closeSync, openSync, readSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';
import { trimmed } from '@linecard/client/contract/trimmed';
import { beginningFault, binaryFault } from '../beginning.ts';
import { plainName } from '../columns.ts';
import { CsvReader } from '../csv.ts';
import { DELIMITERS } from '../csv-rows.ts';
import { decoderOf } from '../encodings.ts';
import { UnreadableFile } from '../files.ts';
import { EncodingEvidence, type FoundEncoding } from './encoding.ts';
import { objectsOf } from './sample-objects.ts';

/** What is read of a file, once unpacked. */
const SAMPLE_BYTES = 524_288;
/** What is read of it to find out its encoding. */
const MAX_SCANNED_BYTES = 67_108_864;
const MAX_ROWS = 1_000;
const BY_MARK = 'by its byte order mark';
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
  /** The path of the array that has the rows, of a JSON document that is not an array itself. */
  readonly records?: string | undefined;
  /** Whether its names are paths of keys. */
  readonly isOfKeys?: boolean;
  /** As a mapping names it; `undefined` for a comma, and for JSON. */
  readonly delimiter: string | undefined;
  readonly names: readonly string[];
  /** The texts of a name, in the order of the rows. */
  readonly textsOf: (name: string) => readonly string[];
  readonly rows: number;
  readonly reasons: readonly string[];
  /** What the file leaves open before anything of it is known. */
  readonly questions: readonly string[];
}

/** The beginning of a file, unpacked, and what all of it shows of its encoding. */
function beginningOf(path: string): { readonly bytes: Buffer; readonly evidence: EncodingEvidence } {
  const file = openSync(path, 'r');
  const evidence = new EncodingEvidence();
  try {
    const buffer = Buffer.alloc(SAMPLE_BYTES);
    const begin = buffer.subarray(0, readSync(file, buffer));
    if (begin.subarray(0, GZIP_MARK.length).equals(GZIP_MARK)) {
      const unpacked = gunzipSync(begin, { finishFlush: constants.Z_SYNC_FLUSH });
      evidence.add(completeLines(unpacked, begin.length === SAMPLE_BYTES));
      return { bytes: unpacked.subarray(0, SAMPLE_BYTES), evidence };
    }
    const bytes = Buffer.from(begin);
    let rest = begin;
    for (let read = begin.length; read < MAX_SCANNED_BYTES; ) {
      const lines = completeLines(rest, true);
      evidence.add(lines);
      const open = Buffer.from(rest.subarray(lines.length));
      const more = readSync(file, buffer);
      rest = more === 0 ? open : Buffer.concat([open, buffer.subarray(0, more)]);
      read += more;
      if (more === 0 || open.length > SAMPLE_BYTES) break;
    }
    evidence.add(rest);
    return { bytes, evidence };
  } finally {
    closeSync(file);
  }
}

/** Without the last line, where that may not be complete. */
function completeLines(bytes: Buffer, isOpen: boolean): Buffer {
  const end = bytes.lastIndexOf(LINE_FEED) + 1;
  return isOpen ? bytes.subarray(0, end) : bytes;
}

const EVERY_OTHER = 'because every other byte is zero';

function encodingOf(bytes: Buffer, evidence: EncodingEvidence): FoundEncoding {
  const sure = (encoding: string, reason: string) => ({ encoding, reason, questions: [] });
  const mark = MARKS.find(([one]) => bytes.subarray(0, one.length).equals(one));
  if (mark !== undefined && mark[1] !== 'utf-8') return sure(mark[1], BY_MARK);
  const probe = [...bytes.subarray(0, PROBED_BYTES)];
  const zeros = (parity: number) => probe.filter((byte, i) => byte === 0 && i % 2 === parity).length;
  if (4 * zeros(1) > probe.length) return sure('utf-16le', EVERY_OTHER);
  if (4 * zeros(0) > probe.length) return sure('utf-16be', EVERY_OTHER);
  const { found } = evidence;
  return mark === undefined ? found : { ...found, encoding: mark[1], reason: BY_MARK };
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

function isText(text: string): boolean {
  const controls = (part: string) => part.match(CONTROLS)?.length ?? 0;
  const [header = ''] = text.split('\n', 1);
  return controls(header) === 0 && controls(text.slice(0, PROBED_CHARACTERS)) <= MAX_CONTROLS;
}

/** @throws {UnreadableFile} when there is nothing to be read. */
export function sampleOf(path: string): Sample {
  const { bytes, evidence } = beginningOf(path);
  const { encoding, reason, questions } = encodingOf(bytes, evidence);
  const isUtf16 = encoding.startsWith('utf-16');
  const isBigEndian = encoding === 'utf-16be' || (isUtf16 && bytes[0] === 0xfe);
  const decoder = decoderOf(isBigEndian ? 'utf-16be' : isUtf16 ? 'utf-16le' : encoding);
  const text = decoder.decode(isUtf16 ? bytes : completeLines(bytes, bytes.length === SAMPLE_BYTES));
  const fault =
    binaryFault(bytes) ?? (isText(text) ? (isUtf16 ? undefined : beginningFault(bytes, encoding)) : NOT_TEXT);
  if (fault !== undefined) throw new UnreadableFile(fault);
  const reasons = [`encoding ${encoding}, ${reason}`];
  const read = { encoding: encoding === 'utf-8' ? undefined : encoding, questions };
  const objects = objectsOf(text);
  if (objects !== undefined) return { ...read, ...objects, isOfKeys: true, delimiter: undefined, reasons };
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
