// Bytes of an export on their way, and whether all of them came: rows are counted against what was announced,
// an archive must have its end. A download that broke off is an error and never a short list.

import { MAX_ROW_BYTES } from './body.ts';
import type { AnswerStream } from './transport.ts';

const LINE_END = 0x0a;
const QUOTE = 0x22;
/** An XLSX file is a ZIP archive, which ends with a record of at least this length (APPNOTE.TXT, 4.3.16). */
const END_RECORD_BYTES = 22;
const END_RECORD = [0x50, 0x4b, 0x05, 0x06];

type Bytes = AsyncIterable<Uint8Array>;

/** Rows to count: how they are written, and how many were announced. */
interface Announced {
  readonly isCsv: boolean;
  readonly total: number;
  readonly problem: AnswerStream['problem'];
}

/** Passes on the lines of an export; throws where they are not as many as announced, or without end. */
export async function* countRows(
  bytes: Bytes,
  { isCsv, total, problem }: Announced,
): AsyncGenerator<Uint8Array, void, void> {
  let rows = isCsv ? -1 : 0;
  let isQuoted = false;
  let rowBytes = 0;
  const countIn = (chunk: Uint8Array) => {
    for (const byte of chunk) {
      rowBytes += 1;
      // In CSV a line end between quotes is part of a text; in JSON no bare quote stands before a line end.
      if (byte === LINE_END && !isQuoted) {
        rows += 1;
        rowBytes = 0;
      } else if (byte === QUOTE && isCsv) isQuoted = !isQuoted;
    }
  };
  for await (const chunk of bytes) {
    countIn(chunk);
    if (rowBytes > MAX_ROW_BYTES) {
      throw problem('unexpected-answer', `Row ${rows + 1} of the export does not come to its end.`);
    }
    if (rows > total) break;
    yield chunk;
  }
  if (rows === total) return;
  throw problem('broken-off', `The export broke off: ${Math.max(0, rows)} of ${total} rows came.`);
}

/** Passes on an archive; throws where it has no end. */
export async function* wholeArchive(
  bytes: Bytes,
  problem: AnswerStream['problem'],
): AsyncGenerator<Uint8Array, void, void> {
  let tail = new Uint8Array();
  for await (const chunk of bytes) {
    tail = Uint8Array.from([...tail, ...chunk.subarray(-END_RECORD_BYTES)]).subarray(-END_RECORD_BYTES);
    yield chunk;
  }
  if (END_RECORD.every((byte, i) => tail[i] === byte)) return;
  throw problem('broken-off', 'The export broke off: the file has no end.');
}
