// The connections of a server: how many there may be, what one too many is answered, and how long one may be
// silent. How many requests of each are read ahead is in pipelining.ts.

import type { Server } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from '@linecard/client/contract/problems';
import type { FastifyInstance } from 'fastify';
import { type Exceeded, type Limit, limits } from '../limits/limits.ts';
import { refusal } from '../limits/refusal.ts';
import { Semaphore } from '../limits/semaphore.ts';
import { partyOf } from './peer.ts';
import { type HttpSocket, limitPipelined } from './pipelining.ts';
import { proxies } from './trust.ts';

/** How long a refused connection has for its request, and to take its answer. */
const REFUSED_MILLISECONDS = 2_000;
/** Node accepts one connection in a turn of the event loop; in the next its request is read. */
const TURNS_A_CONNECTION = 3;
/** How long an open connection may still bring a request after the port is closed. */
const LAST_REQUEST_MILLISECONDS = 500;
/** Connections that come all the time are not waited for. */
const LONGEST_WAIT_MILLISECONDS = 1_000;

/**
 * Counts the connections of a server. One too many is answered 503 rather than reset, where it soon has a
 * request: what is not answered looks like a fault of the network, and is tried again immediately.
 */
export class Connections {
  readonly #limit: Limit;
  readonly #semaphore: Semaphore;
  readonly #refusedOpen = new Semaphore(limits.refusedConnections);
  readonly #isProxy: (address: string | undefined) => boolean;
  /** Those that are refused. An encrypted connection is another object than the socket below it. */
  readonly #refusals = new WeakMap<object, Exceeded>();
  readonly #refusedPeers = new Map<string, Exceeded>();

  /** `isProxy`: whether the connections from an address are those of many clients. */
  constructor(limit: Limit, isProxy: (address: string | undefined) => boolean) {
    this.#limit = limit;
    this.#semaphore = new Semaphore(limit);
    this.#isProxy = isProxy;
  }

  /** How many there are; those that are refused are not counted. */
  get open(): number {
    return this.#semaphore.inUse;
  }

  /** How many were refused, by the maximum that was reached. */
  get refused(): Readonly<Record<Exceeded, number>> {
    return this.#semaphore.refused;
  }

  /** Counts the connections of a server, and refuses those that are too many. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#take(socket));
    server.on('secureConnection', (socket: Socket) => {
      const exceeded = this.#refusedPeers.get(peerOf(socket));
      if (exceeded !== undefined) this.#refusals.set(socket, exceeded);
    });
  }

  /** Why a request on a connection is not answered; `undefined` where it is. */
  refusalOf(socket: object): Problem | undefined {
    const exceeded = this.#refusals.get(socket);
    return exceeded && refusal(this.#limit, exceeded);
  }

  #take(socket: Socket): void {
    const { remoteAddress: address } = socket;
    // On a Unix socket there is none.
    const party = address === undefined || this.#isProxy(address) ? undefined : partyOf(address);
    const release = this.#semaphore.take(party);
    if (release === undefined) this.#refuse(socket, this.#semaphore.exceeded(party) ?? 'total');
    else socket.once('close', release);
  }

  #refuse(socket: Socket, exceeded: Exceeded): void {
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

/** What is different of any two connections of a server. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Whether the server has something to do: the request is there, and the client has taken all there is. */
function isOurTurn({ _httpMessage: response, writableLength }: HttpSocket): boolean {
  return response?.req.complete === true && writableLength === 0;
}

/** What the connections of a server are limited by. */
export interface ConnectionOptions {
  /** Where it is another than that of the table. */
  readonly connectionLimit?: Pick<Limit, Exceeded> | undefined;
  /** Addresses and networks of proxies, whose connections are those of many clients. */
  readonly trustProxy?: readonly string[] | undefined;
}

export function limitConnections(app: FastifyInstance, options: ConnectionOptions): Connections {
  const { connectionLimit, trustProxy = [] } = options;
  const limit = { ...limits.connections, ...connectionLimit };
  const connections = new Connections(limit, proxies(trustProxy));
  connections.watch(app.server);
  // With a listener, Node leaves it to that to close a connection that has been silent for too long.
  app.server.on('timeout', (socket: HttpSocket) => {
    if (isOurTurn(socket)) socket.setTimeout(socket.timeout ?? 0);
    else socket.destroy();
  });
  limitPipelined(app);
  return connections;
}

/** Accepts the connections that have reached this machine: those of a closed port are reset by the system. */
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

/**
 * Stops listening, and gives open connections a last request: a client may be sending one just when the
 * server closes what is idle, and would see a reset.
 */
export async function closePort(server: Server): Promise<void> {
  let isClosed = false;
  server.once('close', () => {
    isClosed = true;
  });
  // That of an HTTP server closes what is idle.
  TcpServer.prototype.close.call(server);
  await sleep(LAST_REQUEST_MILLISECONDS);
  server.closeIdleConnections();
  // The framework closes it later, and takes a server that is closed already for an error.
  server.close = (done) => {
    if (isClosed) done?.();
    else if (done !== undefined) server.once('close', done);
    return server;
  };
}
