// Sends the text of an export to whoever reads it, at their pace, and packs it on the way for those who take that.

import { availableParallelism } from 'node:os';
import type { TransformOptions, Writable } from 'node:stream';
import { createGzip, type ZlibOptions } from 'node:zlib';

/** Packing takes threads that run beside the one that answers requests: so many exports do it at a time. */
const PACKING = Math.max(1, Math.floor(availableParallelism() / 2));
/** A quarter longer than at zlib's own level and packed five times as fast. */
const LEVEL = 3;
/** More than the packed form of any piece, so that whoever packs never waits for a reader. */
const PACKED_BYTES = 1_048_576;
const PACKING_OPTIONS: ZlibOptions & TransformOptions = { level: LEVEL, readableHighWaterMark: PACKED_BYTES };

/** The reader went away before the end. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

/** Lets so many work at a time; the others wait in the order they came. */
class Turns {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(at_once: number) {
    this.#free = at_once;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

const packing = new Turns(PACKING);

/**
 * Resolves when a piece is written, and its buffer free.
 * @throws {ReaderGone} when that is not to be.
 */
function written(target: Writable, piece: Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const gone = (cause?: Error | null) =>
    reject(new ReaderGone('The reader went away.', cause ? { cause } : {}));
  const onClose = () => gone();
  if (target.destroyed) onClose();
  else {
    target.once('close', onClose);
    target.write(piece, (error) => {
      target.off('close', onClose);
      if (error) gone(error);
      else resolve();
    });
  }
  return promise;
}

/** Takes one piece in turn, and gives what has come of those so far, so that a slow reader keeps no turn. */
async function* packed(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip(PACKING_OPTIONS);
  try {
    for await (const piece of pieces) {
      await packing.take(() => written(gzip, piece));
      const take = () => gzip.read() as Uint8Array | null;
      for (let ready = take(); ready !== null; ready = take()) yield ready;
    }
    yield* gzip.end() as AsyncIterable<Uint8Array>;
  } finally {
    gzip.destroy();
  }
}

/**
 * Writes pieces, asking for each when the one before has left.
 * @throws {ReaderGone} when the reader does not wait for the end; else what the pieces throw.
 */
export async function pour(
  pieces: AsyncIterable<Uint8Array>,
  reader: Writable,
  zipped: boolean,
): Promise<void> {
  // Every write that fails says so itself.
  reader.on('error', () => {});
  for await (const piece of zipped ? packed(pieces) : pieces) await written(reader, piece);
  reader.end();
}
