// The search of an index: an inverted index of trigrams. Each three bytes have a posting list of the offsets
// at which they occur in the texts of a column, so that the rows that contain a text are found without
// reading the others.
//
// Why exact: the posting lists of a longer text's parts are intersected at their distance, so no row has to
// be verified. UTF-8 contains a text where it contains its bytes, and a NUL after each text keeps a match
// from crossing into the next.

// biome-ignore-all lint/style/useForOf: an iterator over such an array takes five times as long.

import { lowerBound } from './sorted-values.ts';
import type { TextRows } from './text-rows.ts';

/** The posting lists of all trigrams of some texts, one text a row. */
export interface Trigrams {
  /** The trigrams that occur, ascending, each as a number of 24 bits. */
  readonly keys: Uint32Array;
  /** Where the posting list of each begins in `postings`; one more for the end. */
  readonly starts: Uint32Array;
  /** Byte offsets into the concatenated texts, ascending for each trigram. */
  readonly postings: Uint32Array;
  /** The offset at which each row's text begins; one more for the end. */
  readonly rowStarts: Uint32Array;
  /** The row at the first byte of each block of the texts. */
  readonly blockRows: Uint32Array;
}

const TRIGRAM = 3;
const POSTING_BYTES = 4;
/** Log2 of the bytes of a block: the shorter, the fewer rows to step over. */
const BLOCK_BITS = 5;
const BYTE_VALUES = 256;
const FIRST_BYTES = 65_536;
/** A posting list that is this many times longer than another is searched rather than scanned. */
const MUCH_LONGER = 16;
/** The first step of galloping, in postings; each step is twice the one before. */
const FIRST_STEP = 16;

/** How many bytes the posting lists of texts take, at most. */
export function postingBytesOf({ length }: TextRows): number {
  return POSTING_BYTES * length;
}

export function trigramsOf(rows: TextRows): Trigrams {
  const { bytes, starts: rowStarts } = rows.texts;
  const keyAt = (offset: number) =>
    ((bytes[offset] as number) << 16) | ((bytes[offset + 1] as number) << 8) | (bytes[offset + 2] as number);
  const postings = postingsOf(bytes, rows.length);
  const keys: number[] = [];
  const starts: number[] = [];
  let last = -1;
  for (let i = 0; i < postings.length; i++) {
    const key = keyAt(postings[i] as number);
    if (key === last) continue;
    last = key;
    keys.push(key);
    starts.push(i);
  }
  starts.push(postings.length);
  return {
    keys: Uint32Array.from(keys),
    starts: Uint32Array.from(starts),
    postings,
    rowStarts,
    blockRows: blockRowsOf(rowStarts),
  };
}

/** Every offset except those of the NULs, by trigram and then by offset: a radix sort, last byte first. */
function postingsOf(bytes: Uint8Array, length: number): Uint32Array {
  let count = 0;
  for (let offset = 0; offset < length; offset++) if (bytes[offset] !== 0) count += 1;
  let offsets = new Uint32Array(count);
  for (let offset = 0, i = 0; offset < length; offset++) {
    if (bytes[offset] !== 0) offsets[i++] = offset;
  }
  let sorted = new Uint32Array(count);
  for (let byte = TRIGRAM - 1; byte >= 0; byte--) {
    sortByByte(offsets, sorted, bytes.subarray(byte));
    [offsets, sorted] = [sorted, offsets];
  }
  return offsets;
}

/** Writes offsets in the order of the bytes at them: a counting sort, which is stable. */
function sortByByte(offsets: Uint32Array, sorted: Uint32Array, bytes: Uint8Array): void {
  const next = new Uint32Array(BYTE_VALUES + 1);
  for (let i = 0; i < offsets.length; i++) {
    const value = bytes[offsets[i] as number] as number;
    next[value + 1] = (next[value + 1] as number) + 1;
  }
  for (let value = 1; value <= BYTE_VALUES; value++) {
    next[value] = (next[value] as number) + (next[value - 1] as number);
  }
  for (let i = 0; i < offsets.length; i++) {
    const value = bytes[offsets[i] as number] as number;
    const at = next[value] as number;
    sorted[at] = offsets[i] as number;
    next[value] = at + 1;
  }
}

function blockRowsOf(rowStarts: Uint32Array): Uint32Array {
  const length = rowStarts.at(-1) as number;
  const blockRows = new Uint32Array((length >>> BLOCK_BITS) + 1);
  for (let block = 0, row = 0; block < blockRows.length; block++) {
    while ((rowStarts[row + 1] as number) <= block << BLOCK_BITS) row += 1;
    blockRows[block] = row;
  }
  return blockRows;
}

/** The first position from `from` whose value is not below `value`, by galloping: it is rarely far. */
function seek(sorted: Uint32Array, value: number, from: number): number {
  let [low, step] = [from, FIRST_STEP];
  while (low + step < sorted.length && (sorted[low + step] as number) < value) {
    low += step;
    step *= 2;
  }
  const high = Math.min(low + step, sorted.length);
  return lowerBound(low, high, (position) => (sorted[position] as number) < value);
}

/** The postings of all trigrams from one up to, but not including, another. */
function postingsBetween({ keys, starts, postings }: Trigrams, from: number, to: number): Uint32Array {
  const startOf = (key: number) =>
    starts[lowerBound(0, keys.length, (position) => (keys[position] as number) < key)];
  return postings.subarray(startOf(from), startOf(to));
}

/** Intersects posting lists: those postings of one from which the other has one at a distance. */
function intersectedAt(found: Uint32Array, others: Uint32Array, distance: number): Uint32Array {
  const both = new Uint32Array(found.length);
  const isMuchLonger = others.length > MUCH_LONGER * found.length;
  let [count, at] = [0, 0];
  for (let i = 0; i < found.length; i++) {
    const offset = found[i] as number;
    const other = offset + distance;
    if (isMuchLonger) at = seek(others, other, at);
    else while (at < others.length && (others[at] as number) < other) at += 1;
    if (others[at] === other) both[count++] = offset;
  }
  return both.subarray(0, count);
}

/** An offset in each occurrence of a text of three bytes or more: that of its rarest part. */
function occurrencesOfLong(trigrams: Trigrams, text: Buffer): Uint32Array {
  const last = text.length - TRIGRAM;
  const parts = [];
  for (let offset = 0; ; offset = Math.min(offset + TRIGRAM, last)) {
    const key = text.readUIntBE(offset, TRIGRAM);
    parts.push({ offset, postings: postingsBetween(trigrams, key, key + 1) });
    if (offset === last) break;
  }
  parts.sort((a, b) => a.postings.length - b.postings.length);
  const [rarest, ...others] = parts as [(typeof parts)[0], ...typeof parts];
  return others.reduce(
    (postings, other) => intersectedAt(postings, other.postings, other.offset - rarest.offset),
    rarest.postings,
  );
}

/** An offset in each occurrence of a text; one of one or two bytes begins many trigrams. */
function occurrences(trigrams: Trigrams, text: Buffer): Uint32Array {
  if (text.length >= TRIGRAM) return occurrencesOfLong(trigrams, text);
  const width = text.length === 1 ? FIRST_BYTES : BYTE_VALUES;
  const from = text.readUIntBE(0, text.length) * width;
  return postingsBetween(trigrams, from, from + width);
}

/** Adds every row that contains a text, which is not empty, to a bitmap. */
export function markContaining(trigrams: Trigrams, text: string, bitmap: Uint8Array): void {
  const { rowStarts, blockRows } = trigrams;
  const found = occurrences(trigrams, Buffer.from(text));
  for (let i = 0; i < found.length; i++) {
    const offset = found[i] as number;
    let row = blockRows[offset >>> BLOCK_BITS] as number;
    while ((rowStarts[row + 1] as number) <= offset) row += 1;
    bitmap[row] = 1;
  }
}
