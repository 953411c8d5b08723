// The files of an import: the format of each, and its text in chunks of complete lines.

import { isUtf8 } from 'node:buffer';
import { createReadStream, fstatSync, type ReadStream, read, statSync } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BIG_ENDIAN_MARK, beginningFault, withoutMark } from './beginning.ts';
import { type Decoder, decoderOf } from './encodings.ts';

export type Format = 'csv' | 'ndjson';

/** Standard input, among the names of files. */
export const STANDARD_INPUT = '-';

/** The longest line; beyond it something other than a list is being read. */
export const MAX_LINE_BYTES = 1_048_576;
const CHUNK_BYTES = 262_144;

const FORMATS: readonly (readonly [ending: string, Format])[] = [
  ['.csv', 'csv'],
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
];
const COMPRESSED = /\.gz$/i;
const WORKBOOK = /\.(?:xls[xm]?|ods)$/;
/** What bytes of a list become when they are unpacked, to the best of what is known of them. */
const UNPACKED_FACTOR = 10;

const LINE_FEED = 10;
export const CUT_OFF =
  'The last line does not end with a line break, as where the rest is missing. If nothing is, add a line break at the end.';
const GZIP_MARK = Buffer.from([0x1f, 0x8b]);
export const isGzip = (bytes: Buffer): boolean => bytes.subarray(0, GZIP_MARK.length).equals(GZIP_MARK);
const REPLACEMENT = '\ufffd';
/** Half a surrogate pair: no valid UTF-8 gives one, so it marks what was not valid. */
const NOT_UTF_8 = '\udcff';

export interface ImportFile {
  /** As it was named. */
  readonly name: string;
  readonly format: Format;
  /** How many bytes there are to read, where that is known. */
  readonly bytes: number | undefined;
  /** What it is read from in place of its name: an open file, from its beginning. */
  readonly descriptor?: number;
  /** Whether it must be gzip, whatever its name is. */
  readonly isCompressed?: boolean;
}

/** A file that cannot be imported; the message says why, to follow its name. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** A file that cannot be read beyond the lines that were read of it: the fault is of the next. */
export class UnreadableLine extends UnreadableFile {}

/** A file that has more bytes, once unpacked, than may be read. */
export class FileTooLarge extends UnreadableFile {}

function formatOf(name: string, format: Format | undefined): Format {
  if (format !== undefined) return format;
  if (name === STANDARD_INPUT)
    throw new UnreadableFile('Name the format of standard input: --format csv or --format ndjson.');
  const plain = name.replace(COMPRESSED, '').toLowerCase();
  const found = FORMATS.find(([ending]) => plain.endsWith(ending));
  if (found !== undefined) return found[1];
  if (WORKBOOK.test(plain)) throw new UnreadableFile('Workbooks are not read: save it as CSV.');
  const endings = FORMATS.map(([ending]) => ending).join(', ');
  throw new UnreadableFile(
    `The name does not say the format (${endings}, or one of them with .gz): name it with --format.`,
  );
}

/** How many bytes all files have, where that is known; of text, about how many once unpacked. */
export function bytesOf(files: readonly ImportFile[], isOfText = false): number | undefined {
  return files.reduce<number | undefined>((sum, { name, bytes, isCompressed = COMPRESSED.test(name) }) => {
    const factor = isOfText && isCompressed ? UNPACKED_FACTOR : 1;
    return sum === undefined || bytes === undefined ? undefined : sum + factor * bytes;
  }, 0);
}

/**
 * A file to import, before it is read.
 * @throws {UnreadableFile} when it does not exist, is a folder, or its format is not known.
 */
export function importFile(name: string, format: Format | undefined, descriptor?: number): ImportFile {
  if (name === STANDARD_INPUT) return { name, format: formatOf(name, format), bytes: undefined };
  const found = descriptor === undefined ? statSync(name, { throwIfNoEntry: false }) : fstatSync(descriptor);
  if (found === undefined) throw new UnreadableFile('There is no such file.');
  if (found.isDirectory()) throw new UnreadableFile('This is a folder; name the files in it.');
  const bytes = found.isFile() ? found.size : undefined;
  return { name, format: formatOf(name, format), bytes, ...(descriptor === undefined ? {} : { descriptor }) };
}

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
  mustBegin(last);
  if (takesOpenEnd) yield last;
  else throw new UnreadableLine(CUT_OFF);
}

/** An error of the file system or of the decompression, in words; anything else is left as it is. */
export function unreadable(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof UnreadableFile || code === undefined) return error;
  const what = code.startsWith('Z_') ? 'The file is not a complete gzip file' : 'The file cannot be read';
  return new UnreadableFile(`${what}: ${message}.`, { cause: error });
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

export interface ReadOptions extends Pick<ImportFile, 'descriptor' | 'isCompressed'> {
  /** How its bytes are text, where it is not UTF-8. */
  readonly encoding?: string | undefined;
  /** How many bytes it may have, once unpacked. */
  readonly maxBytes?: number | undefined;
  /** Whether a last line without a line break is given as the last chunk. */
  readonly takesOpenEnd?: boolean;
}

/** A stream closes what it reads in the end, whatever its options say. */
const LEFT_OPEN = { read, close: (_descriptor: number, done?: (error?: null) => void) => done?.() };

/** The bytes of a file by its name, or of an open one, which stays open. */
function fileStream(name: string, descriptor: number | undefined): ReadStream {
  const open = descriptor === undefined ? {} : { fd: descriptor, start: 0, fs: LEFT_OPEN };
  return createReadStream(name, { ...open, highWaterMark: CHUNK_BYTES });
}

/**
 * Reads a file: chunks of text that hold complete lines, each with the number of bytes read so far.
 * @throws {UnreadableFile} when the file cannot be read on.
 */
export async function* readChunks(
  name: string,
  stdin: Readable,
  options: ReadOptions = {},
): AsyncGenerator<{ text: string; bytes: number }> {
  const { encoding = 'utf-8', maxBytes, descriptor, isCompressed = COMPRESSED.test(name) } = options;
  const file = name === STANDARD_INPUT ? undefined : fileStream(name, descriptor);
  const source = file ?? stdin;
  let bytes = 0;
  let first = true;
  try {
    const unpacked = await decompressed(source, isCompressed);
    const plain = maxBytes === undefined ? unpacked : bounded(unpacked, maxBytes);
    const stream = encoding === 'utf-8' ? plain : transcoded(plain, encoding);
    for await (const lines of completeLines(stream, encoding, options.takesOpenEnd)) {
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
