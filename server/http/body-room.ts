// How many bytes of bodies there may be at once, while they arrive and until their requests are answered.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { scaledToMemory } from '../memory.ts';
import { Room } from './room.ts';

declare module 'fastify' {
  interface FastifyInstance {
    bodyRoom: Room;
  }
}

/** The largest body of a request. */
export const MAX_BODY_BYTES = 1_048_576;
/** Eight of the largest at once for an account, and where there is enough memory those of eight accounts. */
const MAX_OF_AN_ACCOUNT = 8 * MAX_BODY_BYTES;
const MAX_OF_A_PROCESS = 8 * MAX_OF_AN_ACCOUNT;

/** How much a body may become, as far as its headers say. */
function announcedBytes({ headers }: FastifyRequest): number {
  const length = headers['content-length'];
  const isChunked = headers['transfer-encoding'] !== undefined;
  if (length === undefined) return isChunked ? MAX_BODY_BYTES : 0;
  return Math.min(Number(length), MAX_BODY_BYTES);
}

export function bodyRoom(): Room {
  return new Room({
    ofOwner: MAX_OF_AN_ACCOUNT,
    inAll: Math.max(MAX_OF_AN_ACCOUNT, scaledToMemory(MAX_OF_A_PROCESS)),
    things: 'large bodies',
  });
}

/** The hook `preParsing` of a route that takes bodies. */
export function takeRoom(
  request: FastifyRequest,
  reply: FastifyReply,
  _body: unknown,
  done: () => void,
): void {
  const bytes = announcedBytes(request);
  if (bytes > 0) request.server.bodyRoom.take(request.caller.account_id, bytes, reply.raw);
  done();
}
