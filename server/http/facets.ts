// Answers a request for facets: counts and sums over a list.

import type { Query } from '@linecard/client/contract/query';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type FacetsAnswer, facetsChangeAt } from '../lists/facets.ts';
import type { ListReader } from '../lists/reader.ts';
import { CACHE_CONTROL, etagOf, JSON_UTF_8, sendNotModified } from './answer-headers.ts';
import { clientOf } from './client.ts';
import { waitForChange } from './waiting.ts';

/** What falls due changes while the account does not: when that will be is part of the tag. */
function etagOfFacets(facets: FacetsAnswer): string {
  return etagOf(facets.revision, `-facets-${facetsChangeAt(facets) ?? 'never'}`);
}

export async function sendFacets(
  reader: ListReader,
  request: FastifyRequest,
  reply: FastifyReply,
  query: Query,
): Promise<FastifyReply> {
  const read = () => reader.facets(request.caller, query, clientOf(request, reply));
  reply.header('cache-control', CACHE_CONTROL);
  let facets = await read();
  const { revision } = facets;
  const changesAt = facetsChangeAt(facets);
  if (await waitForChange(request, reply, { revision, etag: etagOfFacets(facets), changesAt })) {
    facets = await read();
  }
  const etag = etagOfFacets(facets);
  if (sendNotModified(request, reply, etag)) return reply;
  return reply.header('etag', etag).header('content-type', JSON_UTF_8).send(facets.body);
}
