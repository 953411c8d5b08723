// Lines of text that wait to be written, as bytes: each costs its encoding and no more. A library that keeps
// them as texts measures all that waits anew for every line. It must not know what a line says.

/** A unit of a string takes so many bytes of UTF-8 at the most. */
const BYTES_A_UNIT = 3;
const LINE_END = '\n'.charCodeAt(0);

/** How many lines end in a chunk. */
export function linesIn(chunk: Uint8Array): number {
  let count = 0;
  for (const byte of chunk) if (byte === LINE_END) count += 1;
  return count;
}

/** Passes lines on in whole ones, as many together as fit a chunk. */
export class LineBuffer {
  readonly #bytes: Buffer;
  readonly #pass: (chunk: Buffer) => void;
  #used = 0;

  /** `pass`: called with every chunk, of `chunkBytes` at the most unless a single line is longer. */
  constructor(chunkBytes: number, pass: (chunk: Buffer) => void) {
    this.#bytes = Buffer.allocUnsafeSlow(chunkBytes);
    this.#pass = pass;
  }

  /** Adds a text that ends with a line end. */
  write(line: string): void {
    const mostBytes = line.length * BYTES_A_UNIT;
    if (this.#used + mostBytes > this.#bytes.length) this.flush();
    if (mostBytes > this.#bytes.length) this.#pass(Buffer.from(line));
    else this.#used += this.#bytes.write(line, this.#used);
  }

  /** Passes on what waits. */
  flush(): void {
    if (this.#used > 0) this.#pass(this.take());
  }

  /** Takes out what waits. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#used));
    this.#used = 0;
    return taken;
  }
}
