// The connections of a server: their number, the refusal of those above the limit, and timeouts.
// pipelining.ts limits the requests sent ahead on each.

import type { Server } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from '@linecard/client/contract/problems';
import type { FastifyInstance } from 'fastify';
import { type Exceeded, type Full, type Limit, limits } from '../limits/limits.ts';
import { refusal } from '../limits/refusal.ts';
import { Semaphore } from '../limits/semaphore.ts';
import { networkOf, proxies, type TrustSettings } from './peer.ts';
import { type HttpSocket, limitPipelined } from './pipelining.ts';

/** The time a refused connection has to send its request and read the answer. */
const REFUSED_MILLISECONDS = 2_000;
/** Node accepts one connection per iteration of the event loop and reads its request in the next. */
const ITERATIONS_PER_CONNECTION = 3;
/** How long open connections may still send a request after the port is closed. */
const LAST_REQUEST_MILLISECONDS = 500;
/** Ends the wait even if connections keep arriving. */
const MAX_ACCEPT_MILLISECONDS = 1_000;

/**
 * Counts the connections of a server. Connections above the limit are answered 503 once they send a request.
 * If they were reset instead, clients would take it for a network error and retry immediately.
 */
export class Connections {
  readonly #limit: Limit;
  readonly #semaphore: Semaphore;
  readonly #refusedOpen = new Semaphore(limits.refusedConnections);
  readonly #isProxy: (address: string | undefined) => boolean;
  /** Connections to refuse. A TLS connection is a different object from the socket that carries it. */
  readonly #refusals = new WeakMap<object, Full>();
  readonly #refusedPeers = new Map<string, Full>();

  /** `isProxy`: whether an address is that of a proxy, whose connections belong to many clients. */
  constructor(limit: Limit, isProxy: (address: string | undefined) => boolean) {
    this.#limit = limit;
    this.#semaphore = new Semaphore(limit);
    this.#isProxy = isProxy;
  }

  get open(): number {
    return this.#semaphore.inUse;
  }

  get refused(): Readonly<Record<Full, number>> {
    return this.#semaphore.refused;
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#take(socket));
    server.on('secureConnection', (socket: Socket) => {
      const exceeded = this.#refusedPeers.get(peerOf(socket));
      if (exceeded !== undefined) this.#refusals.set(socket, exceeded);
    });
  }

  refusalOf(socket: object): Problem | undefined {
    const exceeded = this.#refusals.get(socket);
    return exceeded && refusal(this.#limit, exceeded);
  }

  #take(socket: Socket): void {
    const { remoteAddress: address } = socket;
    // Connections on a Unix socket have no address.
    const network = address === undefined || this.#isProxy(address) ? undefined : networkOf(address);
    const release = this.#semaphore.take(network);
    if (release === undefined) this.#refuse(socket, this.#semaphore.exceeded(network) ?? 'total');
    else socket.once('close', release);
  }

  #refuse(socket: Socket, exceeded: Full): void {
    const release = this.#refusedOpen.take(undefined);
    if (release === undefined) return void socket.destroy();
    const peer = peerOf(socket);
    this.#refusals.set(socket, exceeded);
    this.#refusedPeers.set(peer, exceeded);
    const timer = setTimeout(() => socket.destroy(), REFUSED_MILLISECONDS).unref();
    socket.once('close', () => {
      clearTimeout(timer);
      release();
      this.#refusedPeers.delete(peer);
    });
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Whether the request has arrived and the client has read everything sent, so that the server is working. */
function isServerBusy({ _httpMessage: response, writableLength }: HttpSocket): boolean {
  return response?.req.complete === true && writableLength === 0;
}

export interface ConnectionOptions extends TrustSettings {
  readonly connectionLimit?: Pick<Limit, Exceeded> | undefined;
}

export function limitConnections(app: FastifyInstance, options: ConnectionOptions): Connections {
  const limit = { ...limits.connections, ...options.connectionLimit };
  const connections = new Connections(limit, proxies(options));
  connections.watch(app.server);
  // If there is a listener, Node does not close connections that time out.
  app.server.on('timeout', (socket: HttpSocket) => {
    if (isServerBusy(socket)) socket.setTimeout(socket.timeout ?? 0);
    else socket.destroy();
  });
  limitPipelined(app);
  return connections;
}

/** Accepts all connections that are queued in the kernel, which would reset them when the port is closed. */
export async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  const end = performance.now() + MAX_ACCEPT_MILLISECONDS;
  for (let before = -1; accepted > before && performance.now() < end; ) {
    before = accepted;
    for (let i = 0; i < ITERATIONS_PER_CONNECTION; i++) await setImmediate();
  }
  server.off('connection', count);
}

/**
 * Stops listening, and gives open connections time for a last request: a client that sends one just when idle
 * connections are closed would see a reset.
 */
export async function closePort(server: Server): Promise<void> {
  let isClosed = false;
  server.once('close', () => {
    isClosed = true;
  });
  // `close` of an HTTP server would close idle connections immediately.
  TcpServer.prototype.close.call(server);
  await sleep(LAST_REQUEST_MILLISECONDS);
  server.closeIdleConnections();
  // Fastify closes the server later and treats a closed one as an error.
  server.close = (done) => {
    if (isClosed) done?.();
    else if (done !== undefined) server.once('close', done);
    return server;
  };
}
