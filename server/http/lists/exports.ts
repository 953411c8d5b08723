// Answers a request for a list as a file: every match, streamed as the worker pool reads it.

import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { FILE_TYPES, type FileFormat } from '@linecard/client/contract/addresses';
import type { Query } from '@linecard/client/contract/query';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WorkerExport } from '../../lists/workers.ts';
import { acceptsCoding } from '../accept.ts';
import { addVary, CACHE_CONTROL, etagOf, fileLink, sendNotModified } from '../answer-headers.ts';
import { clientOf } from '../client.ts';
import type { BrokenOff } from '../export-limits.ts';
import { revisionOnceChanged } from '../waiting.ts';
import type { ServedList } from './pages.ts';
import { ClientGone, streamTo } from './stream.ts';

/** The content type of each format; of text, in which encoding. */
export const CONTENT_TYPES: Readonly<Record<FileFormat, string>> = {
  csv: `${FILE_TYPES.csv}; charset=utf-8; header=present`,
  ndjson: `${FILE_TYPES.ndjson}; charset=utf-8`,
  xlsx: FILE_TYPES.xlsx,
};
/** These are compressed as they are. */
const COMPRESSED: readonly FileFormat[] = ['xlsx'];

/** Streams the chunks of an export behind its headers, past the framework. */
export async function sendChunks(
  request: FastifyRequest,
  reply: FastifyReply,
  { chunks, total }: WorkerExport,
  isGzipped: boolean,
): Promise<void> {
  const { exportLimits } = request.server;
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
    await streamTo(reply.raw, chunks, isGzipped, count);
  } catch (error) {
    // What fails behind a client that has left harms nobody.
    const isGone = error instanceof ClientGone || reply.raw.destroyed;
    // A part never looks like the whole: the connection is cut rather than closed.
    reply.raw.destroy();
    exportLimits.note(request, isGone ? why : 'fault', total, error);
  } finally {
    unlimit();
  }
}

export async function sendExport(
  { reader, path }: ServedList,
  request: FastifyRequest,
  reply: FastifyReply,
  query: Query,
  format: FileFormat,
): Promise<FastifyReply> {
  const { headers } = request;
  const mayGzip = !COMPRESSED.includes(format);
  const isGzipped = mayGzip && acceptsCoding(headers['accept-encoding'], 'gzip');
  const form = `-${format}${isGzipped ? '-gzip' : ''}`;
  if (mayGzip) addVary(reply, 'Accept-Encoding');
  const revision =
    headers['if-none-match'] === undefined
      ? undefined
      : await revisionOnceChanged(reader, request, reply, form);
  reply.header('cache-control', CACHE_CONTROL);
  if (revision !== undefined && sendNotModified(request, reply, etagOf(revision, form))) return reply;
  const file = await reader.export(request.caller, query, format, clientOf(request, reply));
  const name = `${reader.table.list.name.replaceAll('_', '-')}.${format}`;
  reply
    .header('etag', etagOf(file.revision, form))
    .header('x-total-count', file.total)
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('content-type', CONTENT_TYPES[format]);
  // A link could not be followed where the filters are in a body.
  const link = request.method === 'QUERY' ? '' : fileLink(path, file.monitor ?? '');
  if (link !== '') reply.header('link', link);
  if (isGzipped) reply.header('content-encoding', 'gzip');
  if (request.method === 'HEAD') {
    file.close();
    return reply.send(Readable.from([]));
  }
  await sendChunks(request, reply, file, isGzipped);
  return reply;
}
