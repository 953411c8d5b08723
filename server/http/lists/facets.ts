// Answers a request for facets: counts and sums over a list.

import type { Query } from '@linecard/client/contract/query';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ListReader } from '../../lists/reader.ts';
import { etagOfBody, sendJson } from '../answer-headers.ts';
import { clientOf } from '../client.ts';

export async function sendFacets(
  reader: ListReader,
  request: FastifyRequest,
  reply: FastifyReply,
  query: Query,
): Promise<FastifyReply> {
  const { body, revision } = await reader.facets(request.caller, query, clientOf(request, reply));
  // As time goes by more falls due at the same revision.
  return sendJson(request, reply, etagOfBody(revision, body), body);
}
