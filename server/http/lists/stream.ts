// Streams the text of an export to its client, at the client's pace, and compresses it for those who accept
// that.

import { availableParallelism } from 'node:os';
import type { TransformOptions, Writable } from 'node:stream';
import { createGzip, type ZlibOptions } from 'node:zlib';
import { WorkQueue } from '../../limits/work-queue.ts';

/**
 * Compressing takes threads that run beside the one that answers requests: so many exports compress at a
 * time.
 */
const COMPRESSING = Math.max(1, Math.floor(availableParallelism() / 2));
/** A quarter longer than at zlib's own level and compressed five times as fast. */
const LEVEL = 3;
/** More than the compressed form of any chunk, so that compressing never waits for a client. */
const COMPRESSED_BYTES = 1_048_576;
const GZIP_OPTIONS: ZlibOptions & TransformOptions = {
  level: LEVEL,
  readableHighWaterMark: COMPRESSED_BYTES,
};

/** The client went away before the end. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

const compressing = new WorkQueue(COMPRESSING);

/**
 * Resolves when a chunk is written, and its buffer free.
 * @throws {ClientGone} when that is not to be.
 */
function written(target: Writable, chunk: Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const gone = (cause?: Error | null) =>
    reject(new ClientGone('The client went away.', cause ? { cause } : {}));
  const onClose = () => gone();
  if (target.destroyed) onClose();
  else {
    target.once('close', onClose);
    target.write(chunk, (error) => {
      target.off('close', onClose);
      if (error) gone(error);
      else resolve();
    });
  }
  return promise;
}

/**
 * Compresses chunk by chunk, and yields what has come of those so far, so that a slow client holds up no
 * other.
 */
async function* gzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip(GZIP_OPTIONS);
  try {
    for await (const chunk of chunks) {
      await compressing.run(() => written(gzip, chunk));
      const read = () => gzip.read() as Uint8Array | null;
      for (let ready = read(); ready !== null; ready = read()) yield ready;
    }
    yield* gzip.end() as AsyncIterable<Uint8Array>;
  } finally {
    gzip.destroy();
  }
}

/**
 * Writes chunks, each when the one before has left, and calls with how many bytes have.
 * @throws {ClientGone} when the client does not wait for the end; else what the chunks throw.
 */
export async function streamTo(
  client: Writable,
  chunks: AsyncIterable<Uint8Array>,
  isGzipped: boolean,
  onWritten: (bytes: number) => void,
): Promise<void> {
  // Every write that fails says so itself.
  client.on('error', () => {});
  for await (const chunk of isGzipped ? gzipped(chunks) : chunks) {
    await written(client, chunk);
    onWritten(chunk.length);
  }
  client.end();
}
