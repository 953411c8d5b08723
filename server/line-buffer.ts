// Lines of text that wait to be written, as bytes: each costs its encoding and no more. A library that keeps
// them as texts measures all that waits anew for every line.

import { ByteWriter } from './byte-writer.ts';

const LINE_END = '\n'.charCodeAt(0);

/** How many lines end in a chunk. */
export function linesIn(chunk: Uint8Array): number {
  let count = 0;
  for (const byte of chunk) if (byte === LINE_END) count += 1;
  return count;
}

/** Passes lines on in whole ones, as many together as fit a chunk. */
export class LineBuffer {
  readonly #chunkBytes: number;
  readonly #pass: (chunk: Buffer) => void;
  readonly #lines: ByteWriter;

  /** `pass`: called with every chunk, of `chunkBytes` at the most unless a single line is longer. */
  constructor(chunkBytes: number, pass: (chunk: Buffer) => void) {
    this.#chunkBytes = chunkBytes;
    this.#pass = pass;
    this.#lines = new ByteWriter(chunkBytes);
  }

  /** Adds a text that ends with a line end. */
  write(line: string): void {
    if (this.#lines.used + ByteWriter.mostBytes(line) > this.#chunkBytes) this.flush();
    this.#lines.write(line);
  }

  /** Passes on what waits. */
  flush(): void {
    if (this.#lines.used > 0) this.#pass(this.take());
  }

  /** Takes out what waits. */
  take(): Buffer {
    return Buffer.from(this.#lines.take());
  }
}
