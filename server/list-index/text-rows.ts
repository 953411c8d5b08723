// The texts of a column as they are read, one a row: their concatenated UTF-8 with a NUL after each. They
// rank in the order of their code points, which is that of their bytes.
//
// Why not a Map of strings: to hash, sort and look up 200,000 different ones took three times as long.

import { type IndexColumn, nullRanks, type SortedValues, sortedDigits } from './sorted-values.ts';
import { compareTexts, sortByText, type Texts } from './text-sort.ts';

const FIRST_BYTES = 65_536;
const BYTES_A_CODE_UNIT = 3;
/** How many more NULs follow the last text: its trigrams reach there. */
const BYTES_BEHIND = 2;

export class TextRows {
  #bytes = Buffer.alloc(FIRST_BYTES);
  #length = 0;
  readonly #starts: number[] = [0];
  /** The rows that are not `null`. */
  readonly #rows: number[] = [];

  add(text: string | null): void {
    this.#makeRoom(BYTES_A_CODE_UNIT * (text?.length ?? 0) + 1 + BYTES_BEHIND);
    if (text !== null) {
      this.#rows.push(this.#starts.length - 1);
      this.#length += this.#bytes.write(text, this.#length);
    }
    this.#bytes[this.#length++] = 0;
    this.#starts.push(this.#length);
  }

  /** How many bytes they take, the NULs included. */
  get length(): number {
    return this.#length;
  }

  /** The texts, where each begins, and one more for the end. */
  get texts(): Texts {
    const bytes = this.#bytes.fill(0, this.#length, this.#length + BYTES_BEHIND);
    return { bytes, starts: Uint32Array.from(this.#starts) };
  }

  /** The column by rank, with its values if they are needed. */
  ranked(withValues: boolean): IndexColumn {
    const { texts } = this;
    const rows = Uint32Array.from(this.#rows);
    sortByText(rows, texts);
    // The first row of each text.
    const firsts = rows.filter((row, i) => i === 0 || compareTexts(texts, rows[i - 1] as number, row) !== 0);
    const ranks = nullRanks(firsts.length, this.#starts.length - 1);
    let rank = -1;
    for (const row of rows) {
      if (row === firsts[rank + 1]) rank += 1;
      ranks[row] = rank;
    }
    return { ranks, count: firsts.length, ...(withValues ? { values: packed(firsts, texts) } : {}) };
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#length + bytes;
    if (wanted <= this.#bytes.length) return;
    const larger = Buffer.alloc(2 * wanted);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

function* textsOf(rows: Uint32Array, { bytes, starts }: Texts): Iterable<Uint8Array> {
  for (const row of rows) yield bytes.subarray(starts[row], (starts[row + 1] as number) - 1);
}

/** The texts of some rows, as their digits or concatenated without the NULs. */
function packed(rows: Uint32Array, texts: Texts): SortedValues {
  const digits = sortedDigits(textsOf(rows, texts), rows.length);
  if (digits !== undefined) return digits;
  const { bytes, starts } = texts;
  const ends = new Uint32Array(rows.length);
  const all = new Uint8Array(bytes.length);
  let end = 0;
  for (const [rank, row] of rows.entries()) {
    // They are short: to copy them byte by byte is cheaper than a view of each.
    const behind = (starts[row + 1] as number) - 1;
    for (let at = starts[row] as number; at < behind; at++) all[end++] = bytes[at] as number;
    ends[rank] = end;
  }
  return { bytes: all.subarray(0, end), ends };
}
