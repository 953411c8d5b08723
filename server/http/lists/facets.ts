// Answers a request for facets: counts and sums over a list.

import type { Query } from '@linecard/client/contract/query';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { facetsChangeAt } from '../../lists/facets.ts';
import type { ListReader } from '../../lists/reader.ts';
import { etagOfBody } from '../answer-headers.ts';
import { clientOf } from '../client.ts';
import { sendJson } from '../json.ts';

export function sendFacets(
  reader: ListReader,
  request: FastifyRequest,
  reply: FastifyReply,
  query: Query,
): Promise<FastifyReply> {
  return sendJson(request, reply, async () => {
    const facets = await reader.facets(request.caller, query, clientOf(request, reply));
    const { body, revision } = facets;
    // As time goes by more falls due at the same revision.
    return { body, revision, etag: etagOfBody(revision, body), changesAt: facetsChangeAt(facets) };
  });
}
