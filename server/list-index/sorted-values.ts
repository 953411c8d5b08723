// The different values of a column in their order: a dictionary that is packed so that all threads can share
// it. A value's rank is its position in it. It must not know of rows.

import { lowerBound } from './binary-search.ts';

/** Numbers, or texts by code points: their UTF-8 laid end to end, and where each ends. */
export type SortedValues = Float64Array | { readonly bytes: Uint8Array; readonly ends: Uint32Array };

const SURROGATE = /[\ud800-\udfff]/;

/** Texts in the order of their code points: beyond the basic plane JavaScript has another. */
function sortTexts(texts: string[]): string[] {
  return texts.some((text) => SURROGATE.test(text))
    ? texts.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    : texts.sort();
}

/** Sorts values of one kind in place. */
export function sortValues(values: (string | number)[]): void {
  if (typeof values[0] === 'number') values.sort((a, b) => Number(a) - Number(b));
  else sortTexts(values as string[]);
}

/** Packs values that are sorted and different. */
export function packValues(values: readonly (string | number)[]): SortedValues {
  if (typeof values[0] === 'number') return Float64Array.from(values as number[]);
  const bytes = Buffer.from(values.join(''));
  const ends = new Uint32Array(values.length);
  let end = 0;
  for (const [i, text] of values.entries()) {
    end += Buffer.byteLength(text as string);
    ends[i] = end;
  }
  return { bytes: Uint8Array.from(bytes), ends };
}

/** The value of a rank. */
export function valueAt(values: SortedValues, rank: number): string | number {
  if (values instanceof Float64Array) return values[rank] as number;
  const { bytes, ends } = values;
  return Buffer.from(bytes.buffer).toString('utf8', ends[rank - 1] ?? 0, ends[rank]);
}

function comparison(values: SortedValues, value: string | number): (rank: number) => number {
  if (values instanceof Float64Array) return (rank) => (values[rank] as number) - Number(value);
  const { bytes, ends } = values;
  const wanted = Buffer.from(String(value));
  return (rank) => Buffer.compare(bytes.subarray(ends[rank - 1] ?? 0, ends[rank]), wanted);
}

/** How many of the values come before one, and whether it is among them. */
export function rankOf(values: SortedValues, value: string | number): { rank: number; found: boolean } {
  const compare = comparison(values, value);
  const count = values instanceof Float64Array ? values.length : values.ends.length;
  const rank = lowerBound(0, count, (other) => compare(other) < 0);
  return { rank, found: rank < count && compare(rank) === 0 };
}
