// A column by rank: its different values in their order, packed so that they can be moved between threads,
// and of each row the rank of its value, which is the position among them.

/**
 * Numbers; texts by code points, as their concatenated UTF-8 and the offset at which each ends; or the digits
 * of texts that differ in nothing else, such as timestamps.
 */
export type SortedValues = Float64Array | SortedTexts | SortedDigits;

export interface SortedTexts {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

export interface SortedDigits {
  /** The common form of the texts, in UTF-8, with 0 for any digit. */
  readonly shape: Uint8Array;
  /** Their digits, two a byte, so that the order of the bytes is that of the texts. */
  readonly digits: Uint8Array;
}

const MAX_BYTE = 255;
const MAX_UINT16 = 65_535;
const ZERO = 48;
const MAX_DIGIT = 9;
const HALF_BYTE = 4;
const LOW_HALF = 15;

/** Binary search: the first position from `low` on whose element is not before the wanted one, or `high`. */
export function lowerBound(low: number, high: number, isBefore: (position: number) => boolean): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A column, dictionary-encoded: each row holds the rank of its value among the different values. */
export interface IndexColumn {
  /** Of each row: the rank of its value, or the number of values for `null`. */
  readonly ranks: Uint8Array | Uint16Array | Uint32Array;
  /** How many different values there are. */
  readonly count: number;
  /** The values by rank, where a filter or a facet looks at them. */
  readonly values?: SortedValues;
}

/** The ranks of rows that are all `null` so far, each in as few bytes as the highest rank takes. */
export function nullRanks(count: number, rows: number): IndexColumn['ranks'] {
  const fits = count <= MAX_BYTE ? Uint8Array : count <= MAX_UINT16 ? Uint16Array : Uint32Array;
  return new fits(rows).fill(count);
}

const isDigit = (byte: number) => byte >= ZERO && byte <= ZERO + MAX_DIGIT;

/** How many bytes the digits of a text of this shape take. */
function widthOf(shape: Uint8Array): number {
  let count = 0;
  for (const byte of shape) if (byte === ZERO) count += 1;
  return Math.ceil(count / 2);
}

/** Packs the digits of a text at an offset; false if the text is not of the shape. */
function pack(text: Uint8Array, shape: Uint8Array, digits: Uint8Array, offset: number): boolean {
  if (text.length !== shape.length) return false;
  let half = 2 * offset;
  for (let i = 0; i < shape.length; i++) {
    const byte = text[i] as number;
    if (shape[i] !== ZERO) {
      if (byte !== shape[i]) return false;
      continue;
    }
    if (!isDigit(byte)) return false;
    const digit = byte - ZERO;
    const at = half >> 1;
    digits[at] = (digits[at] as number) | (half % 2 === 0 ? digit << HALF_BYTE : digit);
    half += 1;
  }
  return true;
}

/** The digits of `count` sorted texts; `undefined` if they have more than one shape, or no digits. */
export function sortedDigits(texts: Iterable<Uint8Array>, count: number): SortedDigits | undefined {
  let sorted: SortedDigits | undefined;
  let offset = 0;
  let width = 0;
  for (const text of texts) {
    if (sorted === undefined) {
      const shape = text.map((byte) => (isDigit(byte) ? ZERO : byte));
      width = widthOf(shape);
      if (width === 0) return undefined;
      sorted = { shape, digits: new Uint8Array(count * width) };
    }
    if (!pack(text, sorted.shape, sorted.digits, offset)) return undefined;
    offset += width;
  }
  return sorted;
}

function textOfDigits({ shape, digits }: SortedDigits, rank: number): Buffer {
  const text = Buffer.from(shape);
  let half = 2 * rank * widthOf(shape);
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== ZERO) continue;
    const byte = digits[half >> 1] as number;
    text[i] = ZERO + (half % 2 === 0 ? byte >> HALF_BYTE : byte & LOW_HALF);
    half += 1;
  }
  return text;
}

export function valueAt(values: SortedValues, rank: number): string | number {
  if (values instanceof Float64Array) return values[rank] as number;
  if ('shape' in values) return textOfDigits(values, rank).toString();
  const { bytes, ends } = values;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
    'utf8',
    ends[rank - 1] ?? 0,
    ends[rank],
  );
}

/** How many bytes the text of a rank has. */
export function lengthAt(values: SortedValues, rank: number): number {
  if (values instanceof Float64Array) throw new Error('Numbers have no length.');
  if ('shape' in values) return values.shape.length;
  return (values.ends[rank] as number) - (values.ends[rank - 1] ?? 0);
}

function digitsComparison(values: SortedDigits, wanted: Buffer): (rank: number) => number {
  const { shape, digits } = values;
  const width = widthOf(shape);
  const packed = new Uint8Array(width);
  // A text of another shape is compared as a text.
  if (!pack(wanted, shape, packed, 0)) return (rank) => Buffer.compare(textOfDigits(values, rank), wanted);
  // They are a few bytes: to compare them one by one is cheaper than a view of each.
  return (rank) => {
    let i = 0;
    while (i < width - 1 && digits[rank * width + i] === packed[i]) i += 1;
    return (digits[rank * width + i] as number) - (packed[i] as number);
  };
}

function comparison(values: SortedValues, value: string | number): (rank: number) => number {
  if (values instanceof Float64Array) return (rank) => (values[rank] as number) - Number(value);
  const wanted = Buffer.from(String(value));
  if ('shape' in values) return digitsComparison(values, wanted);
  const { bytes, ends } = values;
  return (rank) => Buffer.compare(bytes.subarray(ends[rank - 1] ?? 0, ends[rank]), wanted);
}

function countOf(values: SortedValues): number {
  if (values instanceof Float64Array) return values.length;
  return 'shape' in values ? values.digits.length / widthOf(values.shape) : values.ends.length;
}

/** How many of the values come before one, and whether it is among them. */
export function rankOf(values: SortedValues, value: string | number): { rank: number; found: boolean } {
  const compare = comparison(values, value);
  const count = countOf(values);
  const rank = lowerBound(0, count, (other) => compare(other) < 0);
  return { rank, found: rank < count && compare(rank) === 0 };
}
