// Answers a request for facets: counts and sums over a list.

import type { Query } from '@linecard/client/contract/query';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { facetsChangeAt } from '../../lists/facets.ts';
import type { ListReader } from '../../lists/reader.ts';
import { etagOfBody, sendJson } from '../answer-headers.ts';
import { clientOf } from '../client.ts';
import { readOnceChanged } from '../waiting.ts';

export async function sendFacets(
  reader: ListReader,
  request: FastifyRequest,
  reply: FastifyReply,
  query: Query,
): Promise<FastifyReply> {
  const { etag, body } = await readOnceChanged(request, reply, async () => {
    const facets = await reader.facets(request.caller, query, clientOf(request, reply));
    // As time goes by more falls due at the same revision.
    return { ...facets, etag: etagOfBody(facets.revision, facets.body), changesAt: facetsChangeAt(facets) };
  });
  return sendJson(request, reply, etag, body);
}
