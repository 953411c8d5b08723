// Sends a stream to its client, at the client's pace, past the framework, and compresses it for those who
// accept that.

import type { OutgoingHttpHeaders } from 'node:http';
import { availableParallelism } from 'node:os';
import type { TransformOptions, Writable } from 'node:stream';
import { createGzip, type ZlibOptions } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerStream } from '../answers/answer.ts';
import { WorkQueue } from '../limits/work-queue.ts';
import type { BrokenOff } from './export-limits.ts';

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
class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

const compressing = new WorkQueue(COMPRESSING);

/**
 * Resolves when a chunk is written, and its buffer free.
 * @throws {ClientGone} when that is not to be.
 */
function written(target: Writable, chunk: string | Uint8Array): Promise<void> {
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
async function* gzipped(chunks: AnswerStream['parts']): AsyncGenerator<Uint8Array> {
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
async function streamTo(
  client: Writable,
  chunks: AnswerStream['parts'],
  isGzipped: boolean,
  onWritten: (bytes: number) => void,
): Promise<void> {
  // Every write that fails says so itself.
  client.on('error', () => {});
  for await (const chunk of isGzipped ? gzipped(chunks) : chunks) {
    await written(client, chunk);
    onWritten(Buffer.byteLength(chunk));
  }
  client.end();
}

/** The first part, and then the others. */
async function* following(
  first: IteratorResult<string | Uint8Array>,
  iterator: AsyncIterator<string | Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  try {
    for (let part = first; part.done !== true; part = await iterator.next()) yield part.value;
  } finally {
    await iterator.return?.();
  }
}

/**
 * Streams an answer after its headers. Its first part is read before them: until then a fault is still a
 * problem with a status of its own.
 * @throws {StoreUnavailable}
 */
export async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { parts, total }: AnswerStream,
  isGzipped: boolean,
): Promise<void> {
  const { exportLimits } = request.server;
  const iterator = parts[Symbol.asyncIterator]();
  const first = await iterator.next();
  reply.hijack();
  request.readyMs = reply.elapsedTime;
  request.streamedBytes = 0;
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  let why: BrokenOff = 'client';
  const unlimit = exportLimits.apply(request, reply, (reason) => {
    why = reason;
  });
  const count = (bytes: number) => {
    request.streamedBytes = (request.streamedBytes ?? 0) + bytes;
  };
  try {
    await streamTo(reply.raw, following(first, iterator), isGzipped, count);
  } catch (error) {
    // What fails after a client has left harms nobody.
    const isGone = error instanceof ClientGone || reply.raw.destroyed;
    // A part never looks like the whole: the connection is cut rather than closed.
    reply.raw.destroy();
    exportLimits.note(request, isGone ? why : 'fault', total, error);
  } finally {
    unlimit();
  }
}
