// The different values of a column in their order: a dictionary that is packed so that all threads can share
// it. A value's rank is its position in it. It must not know which row has it.

import { lowerBound } from './binary-search.ts';
import type { Texts } from './text-sort.ts';

/**
 * Numbers; texts by code points, their UTF-8 laid end to end, and where each ends; or the digits of texts
 * that are alike but for these, such as timestamps.
 */
export type SortedValues = Float64Array | SortedTexts | SortedDigits;

export interface SortedTexts {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

export interface SortedDigits {
  /** What all texts look like, in ASCII, with 0 for any digit. */
  readonly shape: string;
  /** Their digits, two a byte, so that the order of the bytes is that of the texts. */
  readonly digits: Uint8Array;
}

const ZERO = 48;
const MAX_DIGIT = 9;
const MAX_ASCII = 127;
const DIGITS_A_BYTE = 2;
const HALF_BYTE = 4;

const shapeOf = (text: string) => text.replaceAll(/\d/g, '0');
const endOf = (starts: Uint32Array, text: number) => (starts[text + 1] as number) - 1;

/** How many bytes the digits of a text take. */
function widthOf(shape: string): number {
  return Math.ceil((shape.split('0').length - 1) / DIGITS_A_BYTE);
}

/**
 * The digits of some texts, a NUL behind each, in this order; `undefined` where they are not of one shape, or
 * have none.
 */
export function sortedDigits({ bytes, starts }: Texts, texts: Uint32Array): SortedDigits | undefined {
  const [first] = texts;
  if (first === undefined) return undefined;
  const shape = shapeOf(Buffer.from(bytes.subarray(starts[first], endOf(starts, first))).toString('latin1'));
  const codes = Uint8Array.from(shape, (character) => character.charCodeAt(0));
  const width = widthOf(shape);
  if (width === 0 || codes.some((code) => code > MAX_ASCII)) return undefined;
  const digits = new Uint8Array(texts.length * width);
  for (const [rank, text] of texts.entries()) {
    const start = starts[text] as number;
    if (endOf(starts, text) - start !== codes.length) return undefined;
    let half = DIGITS_A_BYTE * rank * width;
    for (let i = 0; i < codes.length; i++) {
      const byte = bytes[start + i] as number;
      const digit = byte - ZERO;
      const isDigit = digit >= 0 && digit <= MAX_DIGIT;
      if (isDigit ? codes[i] !== ZERO : byte !== codes[i]) return undefined;
      if (!isDigit) continue;
      const at = half >> 1;
      digits[at] = (digits[at] as number) | (half % DIGITS_A_BYTE === 0 ? digit << HALF_BYTE : digit);
      half += 1;
    }
  }
  return { shape, digits };
}

function textOfDigits({ shape, digits }: SortedDigits, rank: number): string {
  let half = DIGITS_A_BYTE * rank * widthOf(shape);
  return shape.replaceAll('0', () => {
    const byte = digits[half >> 1] as number;
    const digit = half % DIGITS_A_BYTE === 0 ? byte >> HALF_BYTE : byte & (2 ** HALF_BYTE - 1);
    half += 1;
    return String(digit);
  });
}

/** The value of a rank. */
export function valueAt(values: SortedValues, rank: number): string | number {
  if (values instanceof Float64Array) return values[rank] as number;
  if ('shape' in values) return textOfDigits(values, rank);
  const { bytes, ends } = values;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
    'utf8',
    ends[rank - 1] ?? 0,
    ends[rank],
  );
}

function digitsComparison(values: SortedDigits, wanted: Buffer): (rank: number) => number {
  const { shape, digits } = values;
  const texts = { bytes: wanted, starts: Uint32Array.of(0, wanted.length + 1) };
  const own = sortedDigits(texts, Uint32Array.of(0));
  // Compared as the text that it is where it has another shape.
  if (own?.shape !== shape) return (rank) => Buffer.compare(Buffer.from(textOfDigits(values, rank)), wanted);
  const width = widthOf(shape);
  return (rank) => Buffer.compare(digits.subarray(rank * width, (rank + 1) * width), own.digits);
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
