// Text as bytes in a buffer that is reused: what an export or a log makes would be garbage otherwise. The
// waiting lines of a log are bytes too: a library that keeps them as texts measures all of them per line.

/** A unit of a string takes at most 3 bytes of UTF-8. */
const BYTES_A_UNIT = 3;
const FIRST_BYTES = 16_384;
const GROWTH = 2;
const LINE_END = '\n'.charCodeAt(0);

export class ByteWriter {
  /** The buffer, of which `used` bytes are written. */
  bytes: Buffer<ArrayBuffer>;
  used = 0;

  constructor(bytes = FIRST_BYTES) {
    this.bytes = Buffer.allocUnsafeSlow(bytes);
  }

  /** How many bytes a text takes at most. */
  static mostBytes(text: string): number {
    return BYTES_A_UNIT * text.length;
  }

  /** Makes room for more bytes; the buffer may be another one afterwards. */
  reserve(more: number): void {
    const needed = this.used + more;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(GROWTH * needed);
    larger.set(this.bytes.subarray(0, this.used));
    this.bytes = larger;
  }

  /** Writes a text as UTF-8. */
  write(text: string): void {
    this.reserve(ByteWriter.mostBytes(text));
    this.used += this.bytes.write(text, this.used);
  }

  /** Takes out what is written; the bytes are valid until more is written. */
  take(): Uint8Array {
    const taken = new Uint8Array(this.bytes.buffer, 0, this.used);
    this.used = 0;
    return taken;
  }
}

/** How many lines end in a chunk. */
export function linesIn(chunk: Uint8Array): number {
  let count = 0;
  for (const byte of chunk) if (byte === LINE_END) count += 1;
  return count;
}

/** Passes complete lines on, as many at a time as fit in a chunk. */
export class LineBuffer extends ByteWriter {
  readonly #chunkBytes: number;
  readonly #pass: (chunk: Buffer) => void;

  /** `pass`: called with every chunk, of at most `chunkBytes` unless a single line is longer. */
  constructor(chunkBytes: number, pass: (chunk: Buffer) => void) {
    super(chunkBytes);
    this.#chunkBytes = chunkBytes;
    this.#pass = pass;
  }

  /** Adds a text that ends with a line end. */
  override write(line: string): void {
    if (this.used + ByteWriter.mostBytes(line) > this.#chunkBytes) this.flush();
    super.write(line);
  }

  flush(): void {
    if (this.used > 0) this.#pass(Buffer.from(this.take()));
  }
}
