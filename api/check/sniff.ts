// What the beginning of a file shows: its encoding, its delimiter, and whether it is text at all.

import { CsvReader } from './csv-reader.ts';
import type { EncodingEvidence, FoundEncoding } from './encoding.ts';

const MAX_ROWS = 1_000;
const BY_MARK = 'by its byte order mark';
const MARKS = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16'],
  [[0xfe, 0xff], 'utf-16'],
] as const;
/** Control characters that are not white space: a comment may have one, a header has none. */
const CONTROLS = /[^\P{Cc}\s]/gu;
const MAX_CONTROLS = 2;
const PROBED_CHARACTERS = 1_000;
export const NOT_TEXT =
  'The file is not text: it begins with control characters. Save the table as CSV or NDJSON in UTF-8.';
/** Zero bytes tell UTF-16 without a mark. */
const PROBED_BYTES = 200;

/** What may separate cells, what it is called, and how it is typed. */
export const DELIMITERS = [
  [',', 'commas', ','],
  [';', 'semicolons', "';'"],
  ['\t', 'tabs', 'tab'],
  ['|', 'vertical bars', "'|'"],
] as const;

/** What files are that are no text, and what to do with each. */
export const BINARY_FAULTS = {
  zip: 'The file is a ZIP archive, as workbooks (.xlsx, .ods) are: save it as CSV, or unpack what is in it.',
  old_workbook: 'The file is an old workbook (.xls): save it as CSV.',
  pdf: 'The file is a PDF: export the table as CSV from the program that made it.',
  sqlite: 'The file is a SQLite database: write the rows of a query to a CSV file, and name that.',
} as const;
export type BinaryKind = keyof typeof BINARY_FAULTS;

/** How they begin. */
const BINARY: readonly (readonly [beginning: string, kind: BinaryKind])[] = [
  ['PK\x03\x04', 'zip'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'old_workbook'],
  ['%PDF-', 'pdf'],
  ['SQLite format 3\0', 'sqlite'],
];

export const binaryKind = (bytes: Uint8Array): BinaryKind | undefined =>
  BINARY.find(([beginning]) =>
    Array.from(beginning).every((character, i) => bytes[i] === character.charCodeAt(0)),
  )?.[1];

/** What a file is that is no text, as its beginning shows it; `undefined` where it may be text. */
export function binaryFault(bytes: Uint8Array): string | undefined {
  const kind = binaryKind(bytes);
  return kind && BINARY_FAULTS[kind];
}

const EVERY_OTHER = 'because every other byte is zero';

export function encodingOf(bytes: Uint8Array, evidence: EncodingEvidence): FoundEncoding {
  const sure = (encoding: string, reason: string) => ({ encoding, reason, questions: [] });
  const mark = MARKS.find(([one]) => one.every((byte, i) => bytes[i] === byte));
  if (mark !== undefined && mark[1] !== 'utf-8') return sure(mark[1], BY_MARK);
  const probe = Array.from(bytes.subarray(0, PROBED_BYTES));
  const zeros = (parity: number) => probe.filter((byte, i) => byte === 0 && i % 2 === parity).length;
  if (4 * zeros(1) > probe.length) return sure('utf-16le', EVERY_OTHER);
  if (4 * zeros(0) > probe.length) return sure('utf-16be', EVERY_OTHER);
  const { found } = evidence;
  return mark === undefined ? found : { ...found, encoding: mark[1], reason: BY_MARK };
}

export interface Records {
  readonly delimiter: string;
  readonly typed: string;
  readonly records: readonly (readonly string[])[];
  /** How many have the number of cells of the first. */
  readonly even: number;
}

/** The records of a text by each delimiter, the likeliest first. */
export function recordsOf(text: string): Records[] {
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
  return all.toSorted((a, b) => b.even - a.even || (b.records[0]?.length ?? 0) - (a.records[0]?.length ?? 0));
}

export function isText(text: string): boolean {
  const controls = (part: string) => part.match(CONTROLS)?.length ?? 0;
  const [header = ''] = text.split('\n', 1);
  return controls(header) === 0 && controls(text.slice(0, PROBED_CHARACTERS)) <= MAX_CONTROLS;
}
