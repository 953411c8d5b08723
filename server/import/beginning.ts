// What the beginning of a file shows of its encoding and its line ends, where it is not what can be read.

import { binaryFault } from '@linecard/client/check/sniff';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

const UTF_8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
export const BIG_ENDIAN_MARK = Buffer.from([0xfe, 0xff]);
const UTF_16_MARKS = [Buffer.from([0xff, 0xfe]), BIG_ENDIAN_MARK];
/** The mark of the lower byte first begins with that of UTF-16. */
const UTF_32_MARKS = [Buffer.from([0xff, 0xfe, 0, 0]), Buffer.from([0, 0, 0xfe, 0xff])];

const UTF_32 = 'The file is UTF-32, which is not read: save it as UTF-8.';

const begins = (bytes: Buffer) => (mark: Buffer) => bytes.subarray(0, mark.length).equals(mark);

/** Takes the byte order mark off the beginning of a file. */
export function withoutMark(bytes: Buffer): Buffer {
  return begins(bytes)(UTF_8_MARK) ? bytes.subarray(UTF_8_MARK.length) : bytes;
}

/** Of a file without a mark, whose first line has zero bytes, as ASCII has them in UTF-16 and UTF-32. */
function unmarkedFault(line: Buffer): string | undefined {
  const zeros = [...line.subarray(0, 4)].map((byte) => byte === 0);
  const [first, second, third] = zeros;
  if ((second && third) || (first && second)) return UTF_32;
  if (first) return 'The file is UTF-16 without a mark: --encoding utf-16be, or save it as UTF-8.';
  return 'The file is UTF-16 without a mark: --encoding utf-16le, or save it as UTF-8.';
}

/**
 * What keeps a file from being read, as its first line shows it, decoded by its encoding; `undefined` where
 * nothing does.
 */
export function beginningFault(bytes: Buffer, encoding: string): string | undefined {
  const binary = binaryFault(bytes);
  if (binary !== undefined) return binary;
  const feed = bytes.indexOf(LINE_FEED);
  const line = feed < 0 ? bytes : bytes.subarray(0, feed);
  if (UTF_32_MARKS.some(begins(bytes))) return UTF_32;
  if (UTF_16_MARKS.some(begins(bytes))) return 'The file is UTF-16: --encoding utf-16, or save it as UTF-8.';
  if (line.includes(0)) {
    if (encoding === 'utf-8') return unmarkedFault(line);
    return `The file is not ${encoding}; say what it is with --encoding. UTF-32 is not read.`;
  }
  const end = line.indexOf(CARRIAGE_RETURN);
  // One at the end is of CRLF; several may be what is left of that, and come out in the last name.
  if (end < 0 || end === line.length - 1 || line[end + 1] === CARRIAGE_RETURN) return undefined;
  return 'The lines of the file end in CR alone: save it with line ends LF or CRLF.';
}
