// The client behind a request, as the engine knows it: how long it has been waiting, and whether it has left.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WaitingClient } from '../lists/deadline.ts';

export function clientOf(request: FastifyRequest, reply: FastifyReply): WaitingClient {
  const { socket } = request;
  return {
    waitedMs: () => reply.elapsedTime - request.waitedMs,
    isGone: () => socket.destroyed,
    stages: request,
  };
}
