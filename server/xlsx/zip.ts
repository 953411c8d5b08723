// Writes a ZIP file as a stream: compressed entries whose sizes follow their data.
//
// Each chunk of text is compressed separately up to a byte boundary (a sync flush), so that chunks can be
// concatenated to one deflate stream (RFC 1951), and only a checksum and two sizes are held per entry.

import { constants, crc32, deflateRawSync } from 'node:zlib';

/** 20% larger than at zlib's default level, and written in 60% of the time. */
const LEVEL = 1;
const SYNC = { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH } as const;
/** An empty final block, which ends a deflate stream. */
const LAST_BLOCK = Uint8Array.of(0x03, 0x00);

/** Sizes and offsets have 32 bits; larger files would need ZIP64. */
const MAX_BYTES = 0xffff_ffff;

const LOCAL_HEADER = 0x0403_4b50;
const DATA_DESCRIPTOR = 0x0807_4b50;
const DIRECTORY_ENTRY = 0x0201_4b50;
const DIRECTORY_END = 0x0605_4b50;
const VERSION = 20;
/** Sizes follow the data; names are UTF-8. */
const FLAGS = 0x0808;
const DEFLATED = 8;
/** 1980-01-01, the earliest date, so that equal contents result in equal files. */
const DATE = 0x0021;

interface Entry {
  readonly name: Buffer;
  readonly offset: number;
  crc: number;
  packedBytes: number;
  bytes: number;
}

/** Little-endian fields with their widths in bytes. */
function record(...fields: readonly (readonly [width: 2 | 4, value: number])[]): Buffer {
  const bytes = Buffer.alloc(fields.reduce((sum, [width]) => sum + width, 0));
  let at = 0;
  for (const [width, value] of fields) at = bytes.writeUIntLE(value, at, width);
  return bytes;
}

/** Checksum and sizes, as they follow the data and are repeated in the directory. */
const sizesOf = ({ crc, packedBytes, bytes }: Entry) =>
  [
    [4, crc],
    [4, packedBytes],
    [4, bytes],
  ] as const;

/** Each method returns the next bytes of the file. */
export class ZipWriter {
  readonly #entries: Entry[] = [];
  #offset = 0;

  file(name: string, text: string): Uint8Array {
    return Buffer.concat([this.open(name), this.write(text), this.close()]);
  }

  open(name: string): Uint8Array {
    const entry = { name: Buffer.from(name), offset: this.#offset, crc: 0, packedBytes: 0, bytes: 0 };
    this.#entries.push(entry);
    const { length } = entry.name;
    const header = record([4, LOCAL_HEADER], [2, VERSION], [2, FLAGS], [2, DEFLATED], [2, 0], [2, DATE]);
    const sizes = record(...sizesOf(entry), [2, length], [2, 0]);
    return this.#advance(Buffer.concat([header, sizes, entry.name]));
  }

  write(text: string): Uint8Array {
    const entry = this.#open();
    const bytes = Buffer.from(text);
    const packed = deflateRawSync(bytes, SYNC);
    entry.crc = crc32(bytes, entry.crc);
    entry.bytes += bytes.length;
    entry.packedBytes += packed.length;
    if (entry.bytes > MAX_BYTES) throw new Error(`A part of the file is over ${MAX_BYTES} bytes.`);
    return this.#advance(packed);
  }

  close(): Uint8Array {
    const entry = this.#open();
    entry.packedBytes += LAST_BLOCK.length;
    return this.#advance(Buffer.concat([LAST_BLOCK, record([4, DATA_DESCRIPTOR], ...sizesOf(entry))]));
  }

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
    return this.#advance(Buffer.concat([directory, end, record([4, this.#offset], [2, 0])]));
  }

  #open(): Entry {
    const entry = this.#entries.at(-1);
    if (entry === undefined) throw new Error('No entry is open.');
    return entry;
  }

  #advance(bytes: Uint8Array): Uint8Array {
    this.#offset += bytes.length;
    if (this.#offset > MAX_BYTES) throw new Error(`The file is over ${MAX_BYTES} bytes.`);
    return bytes;
  }
}
