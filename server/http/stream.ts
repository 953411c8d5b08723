// Streams an answer to its client, at the client's pace, and compresses it if the client accepts that. It
// writes to the socket without Fastify.

import type { OutgoingHttpHeaders } from 'node:http';
import { availableParallelism } from 'node:os';
import type { TransformOptions, Writable } from 'node:stream';
import { createGzip, type ZlibOptions } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerStream } from '../answers/answer.ts';
import { WorkQueue } from '../limits/work-queue.ts';
import type { AbortReason } from './export-limits.ts';

/** Exports compressed concurrently, because compression competes with the request thread for processors. */
const COMPRESSING = Math.max(1, Math.floor(availableParallelism() / 2));
/** The output is 25% larger than at zlib's default level, and compressed five times as fast. */
const LEVEL = 3;
/** More than any chunk compresses to, so that compression never waits for a client. */
const COMPRESSED_BYTES = 1_048_576;
const GZIP_OPTIONS: ZlibOptions & TransformOptions = {
  level: LEVEL,
  readableHighWaterMark: COMPRESSED_BYTES,
};

class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected';
}

const compressing = new WorkQueue(COMPRESSING);

/**
 * Resolves when a chunk is written and its buffer can be reused.
 * @throws {ClientDisconnected}
 */
function written(target: Writable, chunk: string | Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (cause?: Error | null) =>
    reject(new ClientDisconnected('The client has disconnected.', cause ? { cause } : {}));
  const onClose = () => fail();
  if (target.destroyed) onClose();
  else {
    target.once('close', onClose);
    target.write(chunk, (error) => {
      target.off('close', onClose);
      if (error) fail(error);
      else resolve();
    });
  }
  return promise;
}

/** Compresses chunk by chunk and yields the output so far, so that a slow client does not delay others. */
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
 * Writes chunks one after the other and reports the bytes written.
 * @throws {ClientDisconnected} or what the chunks throw.
 */
async function streamTo(
  client: Writable,
  chunks: AnswerStream['parts'],
  isGzipped: boolean,
  onWritten: (bytes: number) => void,
): Promise<void> {
  // Errors are reported by each write.
  client.on('error', () => {});
  for await (const chunk of isGzipped ? gzipped(chunks) : chunks) {
    await written(client, chunk);
    onWritten(Buffer.byteLength(chunk));
  }
  client.end();
}

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
 * Streams an answer after its headers. The first part is read before they are sent, so that errors until then
 * are still answered with a problem.
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
  let why: AbortReason = 'client';
  const liftLimits = exportLimits.apply(request, reply, (reason) => {
    why = reason;
  });
  const count = (bytes: number) => {
    request.streamedBytes = (request.streamedBytes ?? 0) + bytes;
  };
  try {
    await streamTo(reply.raw, following(first, iterator), isGzipped, count);
  } catch (error) {
    // Errors after the client has disconnected are not faults.
    const isDisconnected = error instanceof ClientDisconnected || reply.raw.destroyed;
    // The connection is reset, so that a partial answer cannot be taken for a complete one.
    reply.raw.destroy();
    exportLimits.record(request, isDisconnected ? why : 'fault', total, error);
  } finally {
    liftLimits();
  }
}
