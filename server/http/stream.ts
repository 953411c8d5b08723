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
 * Streams an answer. Its headers are sent with the first chunk, so that errors until then are answered with a
 * problem.
 */
export async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { parts, total }: AnswerStream,
  isGzipped: boolean,
): Promise<void> {
  const { exportLimits } = request.server;
  const { raw: client } = reply;
  let why: AbortReason = 'client';
  let liftLimits: (() => void) | undefined;
  const begin = () => {
    reply.hijack();
    request.readyMs = reply.elapsedTime;
    request.streamedBytes = 0;
    // Errors are reported by each write.
    client.on('error', () => {});
    client.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
    return exportLimits.apply(request, reply, (reason) => {
      why = reason;
    });
  };
  let bytes = 0;
  try {
    for await (const chunk of isGzipped ? gzipped(parts) : parts) {
      liftLimits ??= begin();
      await written(client, chunk);
      bytes += Buffer.byteLength(chunk);
      request.streamedBytes = bytes;
    }
    liftLimits ??= begin();
    client.end();
  } catch (error) {
    if (liftLimits === undefined) throw error;
    // Errors after the client has disconnected are not faults.
    const isDisconnected = error instanceof ClientDisconnected || client.destroyed;
    // The connection is reset, so that a partial answer cannot be taken for a complete one.
    client.destroy();
    exportLimits.record(request, isDisconnected ? why : 'fault', total, error);
  } finally {
    liftLimits?.();
  }
}
