// The beginning of a file of which nothing is known: its encoding, its delimiter, its names and first rows,
// each with the reason why it is taken to be so.

import { closeSync, openSync, readSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';
import { EncodingEvidence } from '@linecard/client/check/encoding';
import { decoderOf } from '@linecard/client/check/encodings';
import { binaryFault, encodingOf, isText, NOT_TEXT } from '@linecard/client/check/sniff';
import { trimmed } from '@linecard/client/contract/trimmed';
import { beginningFault } from '../beginning.ts';
import { UnreadableFile } from '../files.ts';
import { objectsOf } from './sample-objects.ts';
import { tableOf } from './sample-table.ts';
import type { Mapping } from './written.ts';

/** What is read of a file, once unpacked. */
const SAMPLE_BYTES = 524_288;
/** What is read of it to find out its encoding. */
const MAX_SCANNED_BYTES = 67_108_864;
const LINE_FEED = 10;
const GZIP_MARK = Buffer.from([0x1f, 0x8b]);
export interface Sample {
  /** As a mapping names it; `undefined` for UTF-8. */
  readonly encoding: string | undefined;
  /** The path of the array that has the rows, of a JSON document that is not an array itself. */
  readonly records?: string | undefined;
  /** Whether its names are paths of keys. */
  readonly isOfKeys?: boolean;
  /** As a mapping names it; `undefined` for a comma, and for JSON. */
  readonly delimiter: string | undefined;
  /** What else of a CSV file a mapping must say. */
  readonly form?: Pick<Mapping, 'skip' | 'header' | 'quote_escape'>;
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
  const { delimiter, names, rows, form, reasons: shown } = tableOf(text);
  if (names.length === 0) throw new UnreadableFile('There is no header row.');
  const own = delimiter === ',' ? undefined : delimiter === '\t' ? 'tab' : delimiter;
  return {
    ...read,
    delimiter: own,
    form,
    names,
    textsOf: (name) => rows.map((cells) => trimmed(cells[names.indexOf(name)] ?? '')),
    rows: rows.length,
    reasons: [...reasons, ...shown],
  };
}
