// Answers a request for what has changed in a list: a page or a stream, later where the client prefers to
// wait for something and there is nothing yet.

import { Readable } from 'node:stream';
import { SINCE_NOW } from '@linecard/client/contract/changes';
import { Problem } from '@linecard/client/contract/problems';
import { formatSelection, type Query } from '@linecard/client/contract/query';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ChangesPage } from '../../lists/changes.ts';
import { acceptsCoding } from '../accept.ts';
import {
  addVary,
  CACHE_CONTROL,
  collectionLink,
  etagOf,
  isCurrent,
  JSON_UTF_8,
  sendNotModified,
} from '../answer-headers.ts';
import { clientOf } from '../client.ts';
import { nextFlush } from '../flush.ts';
import { waitSeconds } from '../prefer.ts';
import { CONTENT_TYPES, sendChunks } from './exports.ts';
import type { ServedList } from './pages.ts';

/** A request for changes, and what is there to answer it. */
interface ChangesExchange {
  readonly list: ServedList;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly query: Query;
}

/** The way out of `changes-gone`: the list, with the same filters. */
function withWayOut({ list, request, query }: ChangesExchange, error: unknown): unknown {
  if (!(error instanceof Problem) || error.code !== 'changes-gone') return error;
  // A link could not be followed where the filters are in a body.
  const headers =
    request.method === 'QUERY' ? {} : { link: collectionLink(list.path, formatSelection(query)) };
  return new Problem('changes-gone', error.message, { headers, cause: error });
}

async function orGone<T>(exchange: ChangesExchange, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw withWayOut(exchange, error);
  }
}

function read(exchange: ChangesExchange, page_size: number): Promise<ChangesPage> {
  const { list, request, reply, query } = exchange;
  return orGone(
    exchange,
    list.reader.changes(request.caller, { ...query, page_size }, clientOf(request, reply)),
  );
}

/**
 * A page of changes, after the wait that the client prefers: until the account changes, where it has what it
 * would get; else until there is something, where there is nothing yet.
 */
async function readOnceThere(
  exchange: ChangesExchange,
  form: string,
  page_size: number,
): Promise<ChangesPage> {
  const { request, reply, query } = exchange;
  const seconds = waitSeconds(request.headers.prefer);
  let page = await read(exchange, page_size);
  if (seconds === undefined) return page;
  const end = performance.now() + seconds * 1_000;
  for (;;) {
    const etag = etagOf(page.revision, form);
    const hasIt = isCurrent(request, etag);
    const isNothing = page.isEmpty && query.since !== undefined && query.since !== SINCE_NOW;
    const left = (end - performance.now()) / 1_000;
    if (left <= 0 || !(hasIt || isNothing)) break;
    const hasWaited = await request.server.waiting.wait(request, reply, left, {
      revision: page.revision,
      etag,
    });
    if (!hasWaited) break;
    reply.header('preference-applied', `wait=${seconds}`);
    page = await read(exchange, page_size);
    // What is not known to have changed nothing here is answered: the client knows another state.
    if (request.headers['if-none-match'] !== undefined) break;
  }
  return page;
}

export async function sendChanges(
  list: ServedList,
  request: FastifyRequest,
  reply: FastifyReply,
  query: Query,
): Promise<FastifyReply> {
  reply.header('cache-control', CACHE_CONTROL);
  const page = await readOnceThere({ list, request, reply, query }, '', query.page_size);
  await nextFlush();
  const etag = etagOf(page.revision);
  if (sendNotModified(request, reply, etag)) return reply;
  return reply.header('etag', etag).header('content-type', JSON_UTF_8).send(page.body);
}

export async function sendChangeStream(
  list: ServedList,
  request: FastifyRequest,
  reply: FastifyReply,
  query: Query,
): Promise<FastifyReply> {
  const exchange = { list, request, reply, query };
  const { headers } = request;
  const isGzipped = acceptsCoding(headers['accept-encoding'], 'gzip');
  const form = `-ndjson${isGzipped ? '-gzip' : ''}`;
  addVary(reply, 'Accept-Encoding');
  reply.header('cache-control', CACHE_CONTROL);
  if (headers.prefer !== undefined || headers['if-none-match'] !== undefined) {
    const { revision } = await readOnceThere(exchange, form, 1);
    if (sendNotModified(request, reply, etagOf(revision, form))) return reply;
  }
  const client = clientOf(request, reply);
  const stream = await orGone(exchange, list.reader.export(request.caller, query, 'changes', client));
  reply.header('etag', etagOf(stream.revision, form)).header('content-type', CONTENT_TYPES.ndjson);
  if (isGzipped) reply.header('content-encoding', 'gzip');
  if (request.method === 'HEAD') {
    stream.close();
    return reply.send(Readable.from([]));
  }
  await sendChunks(request, reply, stream, isGzipped);
  return reply;
}
