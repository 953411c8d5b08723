// A ZIP file, written as it goes: entries of text, compressed, of sizes that are known only at their end.
// Knows nothing of what is in them.
//
// Each chunk of text is compressed by itself up to a byte boundary (a sync flush), so that chunks simply
// follow each other in one deflate stream (RFC 1951) and nothing is held but a checksum and two sizes.

import { constants, crc32, deflateRawSync } from 'node:zlib';

/** A list is a fifth longer than at zlib's own level, and written in 60 % of the time. */
const LEVEL = 1;
const SYNC = { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH } as const;
/** An empty last block, which ends a deflate stream. */
const LAST_BLOCK = Uint8Array.of(0x03, 0x00);

/**
 * What the size of an entry, and the place of one in the file, is written in. Beyond it, files are in the
 * form called ZIP64.
 */
const MAX_BYTES = 0xffff_ffff;

const LOCAL_HEADER = 0x0403_4b50;
const DATA_DESCRIPTOR = 0x0807_4b50;
const DIRECTORY_ENTRY = 0x0201_4b50;
const DIRECTORY_END = 0x0605_4b50;
const VERSION = 20;
/** Sizes stand behind the data; names are UTF-8. */
const FLAGS = 0x0808;
const DEFLATED = 8;
/** 1980-01-01, the first there is, so that equal contents make equal files. */
const DATE = 0x0021;

interface Entry {
  readonly name: Buffer;
  readonly offset: number;
  crc: number;
  packedBytes: number;
  bytes: number;
}

/** Little-endian: each field with its width in bytes. */
function record(...fields: readonly (readonly [width: 2 | 4, value: number])[]): Buffer {
  const bytes = Buffer.alloc(fields.reduce((sum, [width]) => sum + width, 0));
  let at = 0;
  for (const [width, value] of fields) at = bytes.writeUIntLE(value, at, width);
  return bytes;
}

/** Checksum and sizes, as they stand behind the data and in the directory. */
const sizesOf = ({ crc, packedBytes, bytes }: Entry) =>
  [
    [4, crc],
    [4, packedBytes],
    [4, bytes],
  ] as const;

/** Every method gives the bytes that come next in the file. */
export class ZipWriter {
  readonly #entries: Entry[] = [];
  #offset = 0;

  /** A whole entry. */
  file(name: string, text: string): Uint8Array {
    return Buffer.concat([this.open(name), this.write(text), this.close()]);
  }

  /** Begins an entry. */
  open(name: string): Uint8Array {
    const entry = { name: Buffer.from(name), offset: this.#offset, crc: 0, packedBytes: 0, bytes: 0 };
    this.#entries.push(entry);
    const { length } = entry.name;
    const header = record([4, LOCAL_HEADER], [2, VERSION], [2, FLAGS], [2, DEFLATED], [2, 0], [2, DATE]);
    const sizes = record(...sizesOf(entry), [2, length], [2, 0]);
    return this.#placed(Buffer.concat([header, sizes, entry.name]));
  }

  /** More of the entry that was opened last. */
  write(text: string): Uint8Array {
    const entry = this.#open();
    const bytes = Buffer.from(text);
    const packed = deflateRawSync(bytes, SYNC);
    entry.crc = crc32(bytes, entry.crc);
    entry.bytes += bytes.length;
    entry.packedBytes += packed.length;
    if (entry.bytes > MAX_BYTES) throw new Error(`A part of the file is over ${MAX_BYTES} bytes.`);
    return this.#placed(packed);
  }

  /** Ends the entry that was opened last. */
  close(): Uint8Array {
    const entry = this.#open();
    entry.packedBytes += LAST_BLOCK.length;
    return this.#placed(Buffer.concat([LAST_BLOCK, record([4, DATA_DESCRIPTOR], ...sizesOf(entry))]));
  }

  /** The directory, which ends the file. */
  end(): Uint8Array {
    const directory = Buffer.concat(
      this.#entries.flatMap((entry) => [
        record(
          [4, DIRECTORY_ENTRY],
          [2, VERSION],
          [2, VERSION],
          [2, FLAGS],
          [2, DEFLATED],
          [2, 0],
          [2, DATE],
        ),
        record(...sizesOf(entry), [2, entry.name.length], [2, 0], [2, 0], [2, 0], [2, 0], [4, 0]),
        record([4, entry.offset]),
        entry.name,
      ]),
    );
    const count = this.#entries.length;
    const end = record([4, DIRECTORY_END], [2, 0], [2, 0], [2, count], [2, count], [4, directory.length]);
    return this.#placed(Buffer.concat([directory, end, record([4, this.#offset], [2, 0])]));
  }

  #open(): Entry {
    const entry = this.#entries.at(-1);
    if (entry === undefined) throw new Error('No entry is open.');
    return entry;
  }

  #placed(bytes: Uint8Array): Uint8Array {
    this.#offset += bytes.length;
    if (this.#offset > MAX_BYTES) throw new Error(`The file is over ${MAX_BYTES} bytes.`);
    return bytes;
  }
}
