// The search of an account's index: where each three bytes stand in the texts of a column, so that the rows that contain
// a text are found without reading the others. It must not know what the texts are.
//
// Why exact: the places of a longer text's parts are joined by their distance, so nothing has to be looked at again. UTF-8
// contains a text where its bytes are contained, and a NUL behind each text keeps a match from reaching into the next.

// biome-ignore-all lint/style/useForOf: an iterator over such an array takes five times as long.

/** The places of all trigrams of some texts, one text a row. */
export interface Trigrams {
  /** The trigrams that occur, ascending, each as a number of 24 bits. */
  readonly keys: Uint32Array;
  /** Where the places of each begin in `places`; one more for the end. */
  readonly starts: Uint32Array;
  /** Byte offsets into the texts laid end to end, ascending for each trigram. */
  readonly places: Uint32Array;
  /** The offset at which each row's text begins; one more for the end. */
  readonly rows: Uint32Array;
  /** The row at the first byte of each block of the texts. */
  readonly blocks: Uint32Array;
}

const TRIGRAM = 3;
const PLACE_BYTES = 4;
/** Log2 of the bytes of a block: the shorter, the fewer rows to pass by. */
const BLOCK_BITS = 5;
const BYTE_VALUES = 256;
const FIRST_BYTES = 65_536;
/** Where one list of places is so many times longer than another, it is searched rather than walked. */
const MUCH_LONGER = 16;

/** Texts laid end to end, as they come. */
export class TextRows {
  #bytes = Buffer.allocUnsafe(65_536);
  #length = 0;
  readonly #rows: number[] = [0];

  add(text: string): void {
    const room = this.#length + 3 * text.length + TRIGRAM;
    if (room > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * room);
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#length += this.#bytes.write(text, this.#length);
    this.#bytes[this.#length++] = 0;
    this.#rows.push(this.#length);
  }

  /** How many bytes the places of their trigrams will take, at most. */
  get bytes(): number {
    return PLACE_BYTES * this.#length;
  }

  trigrams(): Trigrams {
    const bytes = this.#bytes;
    // What follows the last text is no part of it.
    bytes[this.#length] = 0;
    const keyAt = (place: number) =>
      ((bytes[place] as number) << 16) | ((bytes[place + 1] as number) << 8) | (bytes[place + 2] as number);
    const places = this.#placesByKey();
    const keys: number[] = [];
    const starts: number[] = [];
    let last = -1;
    for (let i = 0; i < places.length; i++) {
      const key = keyAt(places[i] as number);
      if (key === last) continue;
      last = key;
      keys.push(key);
      starts.push(i);
    }
    starts.push(places.length);
    const rows = Uint32Array.from(this.#rows);
    return {
      keys: Uint32Array.from(keys),
      starts: Uint32Array.from(starts),
      places,
      rows,
      blocks: blocksOf(rows),
    };
  }

  /** Every place but those of the NULs, by trigram and then by place: sorted by each byte in turn, from the last on. */
  #placesByKey(): Uint32Array {
    const count = this.#length - (this.#rows.length - 1);
    let places = new Uint32Array(count);
    for (let place = 0, i = 0; place < this.#length; place++) {
      if (this.#bytes[place] !== 0) places[i++] = place;
    }
    let sorted = new Uint32Array(count);
    for (let byte = TRIGRAM - 1; byte >= 0; byte--) {
      sortByByte(places, sorted, this.#bytes.subarray(byte));
      [places, sorted] = [sorted, places];
    }
    return places;
  }
}

/** Writes places in the order of the bytes at them, and otherwise as they were. */
function sortByByte(places: Uint32Array, sorted: Uint32Array, bytes: Uint8Array): void {
  const next = new Uint32Array(BYTE_VALUES + 1);
  for (let i = 0; i < places.length; i++) {
    const value = bytes[places[i] as number] as number;
    next[value + 1] = (next[value + 1] as number) + 1;
  }
  for (let value = 1; value <= BYTE_VALUES; value++) {
    next[value] = (next[value] as number) + (next[value - 1] as number);
  }
  for (let i = 0; i < places.length; i++) {
    const value = bytes[places[i] as number] as number;
    const at = next[value] as number;
    sorted[at] = places[i] as number;
    next[value] = at + 1;
  }
}

function blocksOf(rows: Uint32Array): Uint32Array {
  const length = rows.at(-1) as number;
  const blocks = new Uint32Array((length >>> BLOCK_BITS) + 1);
  for (let block = 0, row = 0; block < blocks.length; block++) {
    while ((rows[row + 1] as number) <= block << BLOCK_BITS) row += 1;
    blocks[block] = row;
  }
  return blocks;
}

/** The first index whose value is not below one that is looked for, from an index on. */
function lowerBound(sorted: Uint32Array, value: number, from = 0): number {
  let [low, high] = [from, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The places of all trigrams from one to another, the latter not included. */
function placesOf({ keys, starts, places }: Trigrams, from: number, to: number): Uint32Array {
  return places.subarray(starts[lowerBound(keys, from)], starts[lowerBound(keys, to)]);
}

/** Of places, those from which another is at a distance. */
function atDistance(found: Uint32Array, others: Uint32Array, distance: number): Uint32Array {
  const both = new Uint32Array(found.length);
  const search = others.length > MUCH_LONGER * found.length;
  let [count, at] = [0, 0];
  for (let i = 0; i < found.length; i++) {
    const place = found[i] as number;
    const other = place + distance;
    if (search) at = lowerBound(others, other, at);
    else while (at < others.length && (others[at] as number) < other) at += 1;
    if (others[at] === other) both[count++] = place;
  }
  return both.subarray(0, count);
}

/** A place of each occurrence of a text of three bytes or more: that of its rarest part. */
function placesOfText(trigrams: Trigrams, text: Buffer): Uint32Array {
  const last = text.length - TRIGRAM;
  const parts = [];
  for (let offset = 0; ; offset = Math.min(offset + TRIGRAM, last)) {
    const key = text.readUIntBE(offset, TRIGRAM);
    parts.push({ offset, places: placesOf(trigrams, key, key + 1) });
    if (offset === last) break;
  }
  parts.sort((a, b) => a.places.length - b.places.length);
  const [rarest, ...others] = parts as [(typeof parts)[0], ...typeof parts];
  return others.reduce(
    (places, other) => atDistance(places, other.places, other.offset - rarest.offset),
    rarest.places,
  );
}

/** A place of each occurrence of a text; one of fewer than three bytes is the beginning of many trigrams. */
function occurrences(trigrams: Trigrams, text: Buffer): Uint32Array {
  if (text.length >= TRIGRAM) return placesOfText(trigrams, text);
  const width = text.length === 1 ? FIRST_BYTES : BYTE_VALUES;
  const from = text.readUIntBE(0, text.length) * width;
  return placesOf(trigrams, from, from + width);
}

/** Sets the mark of every row that contains a text, which is not empty. */
export function markContaining(trigrams: Trigrams, text: string, marks: Uint8Array): void {
  const { rows, blocks } = trigrams;
  const found = occurrences(trigrams, Buffer.from(text));
  for (let i = 0; i < found.length; i++) {
    const place = found[i] as number;
    let row = blocks[place >>> BLOCK_BITS] as number;
    while ((rows[row + 1] as number) <= place) row += 1;
    marks[row] = 1;
  }
}
