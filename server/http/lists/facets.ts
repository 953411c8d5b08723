// Answers a request for facets: counts and sums over a list.

import type { Query } from '@linecard/client/contract/query';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ListReader } from '../../lists/reader.ts';
import { CACHE_CONTROL, JSON_UTF_8 } from '../answer-headers.ts';
import { clientOf } from '../client.ts';

export async function sendFacets(
  reader: ListReader,
  request: FastifyRequest,
  reply: FastifyReply,
  query: Query,
): Promise<FastifyReply> {
  const { body } = await reader.facets(request.caller, query, clientOf(request, reply));
  return reply.header('cache-control', CACHE_CONTROL).header('content-type', JSON_UTF_8).send(body);
}
