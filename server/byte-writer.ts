// Text as bytes in a buffer that is reused, so that exports and the log do not create garbage. Pending lines
// of the log are bytes as well: libraries that hold them as strings measure all of them for each line.

/** A UTF-16 code unit takes at most 3 bytes in UTF-8. */
const BYTES_PER_UNIT = 3;
const FIRST_BYTES = 16_384;
const GROWTH = 2;
const LINE_END = '\n'.charCodeAt(0);

export class ByteWriter {
  bytes: Buffer<ArrayBuffer>;
  used = 0;

  constructor(bytes = FIRST_BYTES) {
    this.bytes = Buffer.allocUnsafeSlow(bytes);
  }

  static maxBytes(text: string): number {
    return BYTES_PER_UNIT * text.length;
  }

  /** Ensures capacity for more bytes; this may replace the buffer. */
  reserve(more: number): void {
    const needed = this.used + more;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(GROWTH * needed);
    larger.set(this.bytes.subarray(0, this.used));
    this.bytes = larger;
  }

  write(text: string): void {
    this.reserve(ByteWriter.maxBytes(text));
    this.used += this.bytes.write(text, this.used);
  }

  /** Returns the bytes written, which are valid until the next write, and empties the writer. */
  take(): Uint8Array {
    const taken = new Uint8Array(this.bytes.buffer, 0, this.used);
    this.used = 0;
    return taken;
  }
}

export function linesIn(chunk: Uint8Array): number {
  let count = 0;
  for (const byte of chunk) if (byte === LINE_END) count += 1;
  return count;
}

export class LineBuffer extends ByteWriter {
  readonly #chunkBytes: number;
  readonly #pass: (chunk: Buffer) => void;

  /** `pass` is called with each chunk, of at most `chunkBytes` unless a single line is longer. */
  constructor(chunkBytes: number, pass: (chunk: Buffer) => void) {
    super(chunkBytes);
    this.#chunkBytes = chunkBytes;
    this.#pass = pass;
  }

  /** `line` must end with a line break. */
  override write(line: string): void {
    if (this.used + ByteWriter.maxBytes(line) > this.#chunkBytes) this.flush();
    super.write(line);
  }

  flush(): void {
    if (this.used > 0) this.#pass(Buffer.from(this.take()));
  }
}
