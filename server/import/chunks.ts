// The text of a file in chunks: of complete lines, or of any part of a document.

import { isUtf8 } from 'node:buffer';
import { createReadStream, type ReadStream, read } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Decoder, decoderOf } from '@linecard/client/check/encodings';
import { BIG_ENDIAN_MARK, beginningFault, withoutMark } from './beginning.ts';
import {
  COMPRESSED,
  FileTooLarge,
  type ImportFile,
  STANDARD_INPUT,
  UnreadableFile,
  UnreadableLine,
  unreadable,
} from './files.ts';

/** The longest line; beyond it something other than a list is being read. */
export const MAX_LINE_BYTES = 1_048_576;
const CHUNK_BYTES = 65_536;

const LINE_FEED = 10;
const CONTROL_Z = 26;
export const CUT_OFF =
  'The last line does not end with a line break, as where the rest is missing. If nothing is, add a line break at the end.';
const GZIP_MARK = Buffer.from([0x1f, 0x8b]);
export const isGzip = (bytes: Buffer): boolean => bytes.subarray(0, GZIP_MARK.length).equals(GZIP_MARK);
const REPLACEMENT = '\ufffd';
/** Half a surrogate pair: no valid UTF-8 gives one, so it marks what was not valid. */
const NOT_UTF_8 = '\udcff';

/** Decodes complete lines; in a line that is not valid UTF-8, what is wrong becomes half a surrogate pair. */
function decode(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let start = 0; start < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const line = bytes.subarray(start, feed < 0 ? bytes.length : feed + 1);
    const decoded = line.toString('utf8');
    text += isUtf8(line) ? decoded : decoded.replaceAll(REPLACEMENT, NOT_UTF_8);
    start += line.length;
  }
  return text;
}

/** The same bytes, cut after line ends; what comes after the last one is refused, or comes last. */
async function* completeLines(
  stream: AsyncIterable<Buffer>,
  encoding: string,
  takesOpenEnd = false,
): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let isFirst = true;
  const mustBegin = (bytes: Buffer) => {
    const fault = isFirst ? beginningFault(bytes, encoding) : undefined;
    if (fault !== undefined) throw new UnreadableFile(fault);
    isFirst = false;
  };
  for await (const chunk of stream) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      const lines = Buffer.concat([...rest, chunk.subarray(0, end)]);
      mustBegin(lines);
      yield lines;
      rest = [];
      restBytes = 0;
    }
    rest.push(chunk.subarray(end));
    restBytes += chunk.length - end;
    if (restBytes > MAX_LINE_BYTES) {
      mustBegin(Buffer.concat(rest));
      throw new UnreadableLine(
        `A line is longer than ${MAX_LINE_BYTES} bytes; the rest of the file was not read.`,
      );
    }
  }
  if (restBytes === 0) return;
  const last = Buffer.concat(rest);
  // A control-Z ends texts of DOS.
  if (last.every((byte) => byte === CONTROL_Z)) return;
  mustBegin(last);
  if (takesOpenEnd) yield last;
  else throw new UnreadableLine(CUT_OFF);
}

/** The same bytes, cut between characters, which have at most four bytes. */
async function* completeCharacters(stream: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  let isFirst = true;
  for await (const chunk of stream) {
    const bytes = Buffer.concat([rest, chunk]);
    const fault = isFirst ? beginningFault(bytes, encoding) : undefined;
    if (fault !== undefined) throw new UnreadableFile(fault);
    isFirst = false;
    let end = bytes.length;
    while (end > 0 && bytes.length - end < 3 && isContinuation(bytes[end - 1])) end -= 1;
    // What begins a character may lack the rest of it.
    if (end > 0 && (bytes[end - 1] as number) >= 0xc0) end -= 1;
    else end = bytes.length;
    rest = bytes.subarray(end);
    yield bytes.subarray(0, end);
  }
  if (rest.length > 0) yield rest;
}

/** The bytes of a source, decompressed where they are gzip by their beginning, or by their name. */
async function decompressed(source: Readable, isCompressed: boolean): Promise<AsyncIterable<Buffer>> {
  const chunks = source.iterator() as AsyncIterator<Buffer>;
  let beginning = Buffer.alloc(0);
  while (beginning.length < GZIP_MARK.length) {
    const next = await chunks.next();
    if (next.done === true) break;
    beginning = Buffer.concat([beginning, next.value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    if (beginning.length > 0) yield beginning;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  if (!isCompressed && !isGzip(beginning)) return all();
  // An error of the one stream ends the other, so that it is thrown where the lines are read.
  return pipeline(Readable.from(all()), createGunzip({ chunkSize: CHUNK_BYTES }), () => undefined);
}

/** The same text as UTF-8. */
async function* transcoded(stream: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  let decoder: Decoder | undefined;
  try {
    for await (const chunk of stream) {
      // Without a mark UTF-16 is taken to begin with the lower byte, as Windows writes it.
      const isBigEndian = encoding === 'utf-16' && chunk.subarray(0, 2).equals(BIG_ENDIAN_MARK);
      decoder ??= decoderOf(isBigEndian ? 'utf-16be' : encoding, { fatal: true });
      yield Buffer.from(decoder.decode(chunk, { stream: true }));
    }
    yield Buffer.from(decoder?.decode() ?? '');
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UnreadableFile(`The file is not ${encoding}; say what it is with --encoding.`, {
      cause: error,
    });
  }
}

/** The same bytes, as long as there are not too many. */
async function* bounded(stream: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new FileTooLarge(`There are more than ${maxBytes} bytes once unpacked.`);
    yield chunk;
  }
}

const isContinuation = (byte: number | undefined) => byte !== undefined && byte >= 0x80 && byte < 0xc0;

/**
 * The bytes of a file, unpacked where it is gzip.
 * @throws {UnreadableFile} when it cannot be read on.
 */
export async function* unpackedBytes(
  file: Pick<ImportFile, 'name' | 'descriptor' | 'isCompressed'>,
  stdin: Readable,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  const { name, isCompressed = COMPRESSED.test(name) } = file;
  const source = name === STANDARD_INPUT ? stdin : fileStream(name, file);
  try {
    yield* bounded(await decompressed(source, isCompressed), maxBytes);
  } catch (error) {
    throw unreadable(error);
  } finally {
    source.destroy();
  }
}

export interface ReadOptions extends Pick<ImportFile, 'descriptor' | 'isCompressed'> {
  /** How its bytes are text, where it is not UTF-8. */
  readonly encoding?: string | undefined;
  /** How many bytes it may have, once unpacked. */
  readonly maxBytes?: number | undefined;
  /** How much of it is read at a time, if less than usual. */
  readonly chunkBytes?: number | undefined;
  /** Whether a last line without a line break is given as the last chunk. */
  readonly takesOpenEnd?: boolean;
  /** Whether it is a document, whose lines mean nothing. */
  readonly isDocument?: boolean;
}

/** A stream closes what it reads in the end, whatever its options say. */
const LEFT_OPEN = { read, close: (_descriptor: number, done?: (error?: null) => void) => done?.() };

/** The bytes of a file by its name, or of an open one, which stays open. */
function fileStream(name: string, { descriptor, chunkBytes = CHUNK_BYTES }: ReadOptions): ReadStream {
  const open = descriptor === undefined ? {} : { fd: descriptor, start: 0, fs: LEFT_OPEN };
  return createReadStream(name, { ...open, highWaterMark: chunkBytes });
}

/**
 * Reads a file: chunks of text that hold complete lines, or any part of a document, each with the number of
 * bytes read so far.
 * @throws {UnreadableFile} when the file cannot be read on.
 */
export async function* readChunks(
  name: string,
  stdin: Readable,
  options: ReadOptions = {},
): AsyncGenerator<{ text: string; bytes: number }> {
  const { encoding = 'utf-8', maxBytes, isCompressed = COMPRESSED.test(name) } = options;
  const file = name === STANDARD_INPUT ? undefined : fileStream(name, options);
  const source = file ?? stdin;
  let bytes = 0;
  let first = true;
  try {
    const unpacked = await decompressed(source, isCompressed);
    const plain = maxBytes === undefined ? unpacked : bounded(unpacked, maxBytes);
    const stream = encoding === 'utf-8' ? plain : transcoded(plain, encoding);
    const parts =
      options.isDocument === true
        ? completeCharacters(stream, encoding)
        : completeLines(stream, encoding, options.takesOpenEnd);
    for await (const lines of parts) {
      bytes = file?.bytesRead ?? bytes + lines.length;
      yield { text: decode(first ? withoutMark(lines) : lines), bytes };
      first = false;
    }
  } catch (error) {
    throw unreadable(error);
  } finally {
    source.destroy();
  }
}
