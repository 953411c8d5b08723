// What a connection may cost: how long it may be silent. How many there may be, connection-limits.ts counts;
// how many requests of each may wait, pipelining.ts.

import type { Server } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { type ConnectionSettings, Connections } from './connection-limits.ts';
import { type HttpSocket, limitPipelined } from './pipelining.ts';
import { proxies } from './trust.ts';

/** Node accepts one connection in a turn of the event loop; in the next its request is read. */
const TURNS_A_CONNECTION = 3;
/** Connections that come all the time are not waited for. */
const LONGEST_WAIT_MILLISECONDS = 1_000;

/** Whether the server has something to do: the request is there, and the client has taken all there is. */
function isOurTurn({ _httpMessage: response, writableLength }: HttpSocket): boolean {
  return response?.req.complete === true && writableLength === 0;
}

/** The limits of a server, and whose connections are those of many clients. */
export interface ConnectionOptions extends ConnectionSettings {
  /** Addresses and networks of proxies. */
  readonly trustProxy?: readonly string[] | undefined;
}

export function limitConnections(app: FastifyInstance, options: ConnectionOptions): Connections {
  const connections = new Connections(options, proxies(options.trustProxy ?? []));
  connections.watch(app.server);
  // With a listener, Node leaves it to that to close a connection that has been silent for too long.
  app.server.on('timeout', (socket: HttpSocket) => {
    if (isOurTurn(socket)) socket.setTimeout(socket.timeout ?? 0);
    else socket.destroy();
  });
  limitPipelined(app);
  return connections;
}

/**
 * Takes the connections that have reached this machine, and their requests: a server that stops listening
 * resets those that it has not accepted.
 */
export async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  const end = performance.now() + LONGEST_WAIT_MILLISECONDS;
  for (let before = -1; accepted > before && performance.now() < end; ) {
    before = accepted;
    for (let turn = 0; turn < TURNS_A_CONNECTION; turn++) await setImmediate();
  }
  server.off('connection', count);
}
