// The rows of a file of which nothing is known: CSV with any delimiter, NDJSON, a JSON array or one number a
// line, in any encoding that is recognized; each row with the line where it begins.

import { trimmed } from '../contract/trimmed.ts';
import { type CheckFault, faultText, kindOf } from './check-faults.ts';
import { CsvReader, type CsvRecord } from './csv-reader.ts';
import { EncodingEvidence } from './encoding.ts';
import { decoderOf } from './encodings.ts';
import { binaryKind, encodingOf, isText, recordsOf } from './sniff.ts';

const MAX_NAMED_OBJECTS = 1_000;

/** The file, an option or the token makes a check impossible. The message says what to do. */
export class Uncheckable extends Error {
  override readonly name = 'Uncheckable';
  readonly fault: CheckFault;
  constructor(
    kind: CheckFault['kind'],
    { values = [], ...how }: ErrorOptions & { readonly values?: CheckFault['values'] } = {},
  ) {
    const fault = { kind, values };
    super(faultText(fault), how);
    this.fault = fault;
  }
}

export interface LineFault {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** What is wrong: `faultText` follows the text and a colon. */
  readonly fault: CheckFault;
}

interface TableRow {
  readonly line: number;
  readonly cells: readonly string[];
}

export interface FileTable {
  /** The first rows: of text, the header among them, if there is one. */
  readonly sample: readonly (readonly string[])[];
  /** Whether the first row of the sample is names for certain, and none of the rows. */
  readonly isNamed: boolean;
  /** All rows; what is no row is reported. */
  rows(report: (fault: LineFault) => void): Iterable<TableRow>;
}

/** @throws {Uncheckable} */
export function textOf(bytes: Uint8Array): string {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw new Uncheckable('compressed');
  const binary = binaryKind(bytes);
  if (binary !== undefined) throw new Uncheckable(binary);
  const evidence = new EncodingEvidence();
  evidence.add(bytes);
  const { encoding } = encodingOf(bytes, evidence);
  const isBigEndian = encoding === 'utf-16' && bytes[0] === 0xfe;
  const text = decoderOf(isBigEndian ? 'utf-16be' : encoding).decode(bytes);
  if (!isText(text)) throw new Uncheckable('not_text');
  // Lines of old Macintosh programs.
  return text.includes('\n') ? text : text.replaceAll('\r', '\n');
}

const cellOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? trimmed(String(value)) : '';

type Objects = Iterable<readonly [line: number, object: unknown, text: string]>;

function* linesOf(text: string): Objects {
  let line = 0;
  for (const one of text.split('\n')) {
    line += 1;
    const json = one.trim();
    if (json === '') continue;
    try {
      yield [line, JSON.parse(json), json];
    } catch {
      yield [line, undefined, json];
    }
  }
}

function* elementsOf(text: string): Objects {
  let all: unknown;
  try {
    all = JSON.parse(text);
  } catch (cause) {
    throw new Uncheckable('not_json', { cause });
  }
  for (const [i, value] of (all as unknown[]).entries()) yield [i + 1, value, JSON.stringify(value)];
}

function jsonTable(text: string): FileTable {
  const objects = () => (text.trimStart().startsWith('[') ? elementsOf(text) : linesOf(text));
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const first: (readonly [number, unknown, string])[] = [];
  for (const object of objects()) {
    first.push(object);
    if (first.length === MAX_NAMED_OBJECTS) break;
  }
  const names = [...new Set(first.flatMap(([, value]) => (isObject(value) ? Object.keys(value) : [])))];
  // An array may also have numbers themselves.
  const cells = (value: unknown) =>
    isObject(value) ? names.map((name) => cellOf(value[name])) : [cellOf(value)];
  return {
    isNamed: names.length > 0,
    sample: [...(names.length > 0 ? [names] : []), ...first.map(([, value]) => cells(value))],
    *rows(report) {
      for (const [line, value, json] of objects()) {
        if (value === undefined) report({ line, text: json, fault: { kind: 'line_not_json', values: [] } });
        else yield { line, cells: cells(value) };
      }
    },
  };
}

/** The tables that a text may be, by each delimiter, the likeliest first; never none. */
export function tablesOf(text: string): FileTable[] {
  if (/^\s*[[{]/.test(text)) return [jsonTable(text)];
  return recordsOf(text).map(({ delimiter, records }) => ({
    sample: records.map((cells) => cells.map(trimmed)),
    isNamed: false,
    *rows(report) {
      const reader = new CsvReader(delimiter);
      const lost = ({ line, cells, fault = '' }: CsvRecord) => {
        const kind = kindOf(`cell {0} ${fault}`) ?? 'stray_quote';
        report({ line, text: cells.join(delimiter), fault: { kind, values: [cells.length + 1] } });
      };
      for (const record of reader.records(text)) {
        if (record.fault === undefined) yield record;
        else lost(record);
      }
      const rest = reader.rest();
      if (rest !== undefined) lost(rest);
    },
  }));
}
