// Pipelined requests (RFC 9112, section 9.3.2) are handled one by one, once the previous answer is sent:
// pages that a client does not read are not computed. Each that waits takes memory, so a connection with too
// many is closed.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { limits, onThisMachine } from '../limits/limits.ts';

declare module 'fastify' {
  interface FastifyInstance {
    pipelined: { readonly count: number };
  }
}

/** A socket with Node's internal state: the response in progress. */
export type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

export function limitPipelined(app: FastifyInstance): void {
  const { server } = app;
  const { each, total } = onThisMachine(limits.pipelined);
  const all = { count: 0 };
  app.decorate('pipelined', all);
  const waiting = new WeakMap<Socket, number>();
  const countOf = (socket: Socket) => waiting.get(socket) ?? 0;
  const add = (socket: Socket, more: number) => {
    waiting.set(socket, countOf(socket) + more);
    all.count += more;
  };
  const wait = (socket: Socket, response: ServerResponse, handle: () => void) => {
    if (socket.destroyed) return;
    if (!waiting.has(socket)) socket.once('close', () => add(socket, -countOf(socket)));
    add(socket, 1);
    if (countOf(socket) > each || all.count > total) return void socket.destroy();
    response.once('socket', () => {
      if (!socket.destroyed) add(socket, -1);
      handle();
    });
  };
  for (const handle of server.listeners('request') as RequestListener[]) {
    server.off('request', handle);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (response.socket !== null) handle(request, response);
      else wait(request.socket, response, () => handle(request, response));
    });
  }
}
