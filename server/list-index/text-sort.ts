// Sorts concatenated texts by their bytes: a three-way radix quicksort (Bentley and Sedgewick, "Fast
// algorithms for sorting and searching strings", 1997), which reads a byte once rather than compare complete
// texts many times.

/** Fewer are sorted by insertion. */
const FEW = 12;

/** Concatenated texts, each with a NUL after it and none in it. */
export interface Texts {
  readonly bytes: Uint8Array;
  /** The offset at which each begins. */
  readonly starts: Uint32Array;
}

/** A range of the rows to sort, whose texts have their first bytes in common. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

/** Below 0 where the text of a row comes before another's, 0 where they are the same. */
export function compareTexts({ bytes, starts }: Texts, row: number, other: number, depth = 0): number {
  let [at, otherAt] = [(starts[row] as number) + depth, (starts[other] as number) + depth];
  while (bytes[at] !== 0 && bytes[at] === bytes[otherAt]) {
    at += 1;
    otherAt += 1;
  }
  return (bytes[at] as number) - (bytes[otherAt] as number);
}

/** Sorts rows by their texts, in place; rows of the same text are in no order. */
export function sortByText(rows: Uint32Array, texts: Texts): void {
  const parts: Part[] = [{ from: 0, to: rows.length, depth: 0 }];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (part.to - part.from <= FEW) sortFew(rows, texts, part);
    else parts.push(...split(rows, texts, part));
  }
}

function sortFew(rows: Uint32Array, texts: Texts, { from, to, depth }: Part): void {
  for (let i = from + 1; i < to; i++) {
    const row = rows[i] as number;
    let position = i;
    while (position > from && compareTexts(texts, row, rows[position - 1] as number, depth) < 0) {
      rows[position] = rows[position - 1] as number;
      position -= 1;
    }
    rows[position] = row;
  }
}

/** Partitions rows by their next byte: below that of a row in the middle, the same, above. */
function split(rows: Uint32Array, { bytes, starts }: Texts, { from, to, depth }: Part): Part[] {
  const byteAt = (position: number) => bytes[(starts[rows[position] as number] as number) + depth] as number;
  const pivot = median(byteAt(from), byteAt((from + to) >>> 1), byteAt(to - 1));
  let [below, above, position] = [from, to, from];
  while (position < above) {
    const row = rows[position] as number;
    const byte = bytes[(starts[row] as number) + depth] as number;
    if (byte < pivot) {
      rows[position++] = rows[below] as number;
      rows[below++] = row;
    } else if (byte > pivot) {
      rows[position] = rows[--above] as number;
      rows[above] = row;
    } else position += 1;
  }
  const [lower, higher] = [
    { from, to: below, depth },
    { from: above, to, depth },
  ];
  // Texts that have ended are the same.
  return pivot === 0 ? [lower, higher] : [lower, { from: below, to: above, depth: depth + 1 }, higher];
}

function median(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
