// Writes text as bytes into a buffer of its own, which grows as it must and is used again and again: what an
// export or a log makes would be garbage otherwise.

/** A unit of a string takes so many bytes of UTF-8 at the most. */
const BYTES_A_UNIT = 3;
const FIRST_BYTES = 16_384;
const GROWTH = 2;

export class ByteWriter {
  /** The buffer, of which `used` bytes are written. */
  bytes: Buffer<ArrayBuffer>;
  used = 0;

  constructor(bytes = FIRST_BYTES) {
    this.bytes = Buffer.allocUnsafeSlow(bytes);
  }

  /** How many bytes a text takes at the most. */
  static mostBytes(text: string): number {
    return BYTES_A_UNIT * text.length;
  }

  /** Makes room for so many bytes more; the buffer may be another then. */
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

  /** What is written, good until more is; the next comes in its place. */
  take(): Uint8Array {
    const taken = new Uint8Array(this.bytes.buffer, 0, this.used);
    this.used = 0;
    return taken;
  }
}
