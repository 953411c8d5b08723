// Pipelined requests (RFC 9112, section 9.3.2): each is worked on when those before it on its connection are
// answered, and their answers taken. What waits until then takes memory, so that no more are read than a few
// a connection. It must not know what is requested.
//
// Node stops reading only where answers are not taken, and it parses all that has come at once: 64 KiB are
// three thousand small requests of 2 kB each, and behind a request that takes long there is no end to them.
// So what comes goes to the parser in pieces.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { scaledToMemory } from '../memory.ts';

/** Where more wait, no more are read. */
const READ_AHEAD = 16;
/** Where more wait on all connections, no more are read on any that has one. */
const MAX_OF_A_PROCESS = 10_000;
/** So much is parsed at a time; most requests are smaller. */
const PIECE_BYTES = 2_048;

/** A socket, and whether Node has stopped reading it, as it notes that. */
type HttpSocket = Socket & { readonly _paused?: boolean };

/** The requests of a server that wait behind others on their connections. */
class Pipelines {
  readonly #maxInAll = scaledToMemory(MAX_OF_A_PROCESS);
  readonly #waiting = new WeakMap<Socket, number>();
  #inAll = 0;

  /** Parses what a connection sends piece by piece, as long as few of its requests wait. */
  watch(socket: HttpSocket): void {
    const [parse] = socket.listeners('data');
    if (parse === undefined) return;
    socket.off('data', parse as () => void);
    socket.on('data', (bytes: Buffer<ArrayBuffer>) =>
      this.#feed(socket, bytes, (piece) => parse.call(socket, piece)),
    );
    // Node resumes it behind every request.
    socket.on('resume', () => {
      if (this.#isAhead(socket)) socket.pause();
    });
    socket.once('close', () => this.#count(socket, -this.#waitingOn(socket)));
  }

  /** Handles a request at once, or when its response is the next on its connection. */
  take(request: IncomingMessage, response: ServerResponse, handle: RequestListener): void {
    if (response.socket !== null) return handle(request, response);
    const socket: HttpSocket = request.socket;
    this.#count(socket, 1);
    response.once('socket', () => {
      if (!socket.destroyed) this.#count(socket, -1);
      if (socket.isPaused() && !socket._paused && !this.#isAhead(socket)) socket.resume();
      handle(request, response);
    });
  }

  #feed(socket: HttpSocket, bytes: Buffer<ArrayBuffer>, parse: (piece: Buffer<ArrayBuffer>) => void): void {
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      // An answer that was the last one: what follows is not read.
      if (socket.destroyed || socket.writableEnded) return;
      if (socket._paused || this.#isAhead(socket)) {
        socket.pause();
        socket.unshift(bytes.subarray(start));
        return;
      }
      parse(bytes.length <= PIECE_BYTES ? bytes : bytes.subarray(start, start + PIECE_BYTES));
    }
  }

  #isAhead(socket: HttpSocket): boolean {
    return this.#waitingOn(socket) > (this.#inAll < this.#maxInAll ? READ_AHEAD : 0);
  }

  #waitingOn(socket: Socket): number {
    return this.#waiting.get(socket) ?? 0;
  }

  #count(socket: Socket, more: number): void {
    this.#waiting.set(socket, this.#waitingOn(socket) + more);
    this.#inAll += more;
  }
}

/** Limits how many requests of a connection are read before those before them are answered. */
export function limitPipelined({ server }: FastifyInstance): void {
  const pipelines = new Pipelines();
  const event = server instanceof TlsServer ? 'secureConnection' : 'connection';
  server.on(event, (socket: Socket) => pipelines.watch(socket));
  for (const handle of server.listeners('request') as RequestListener[]) {
    server.off('request', handle);
    server.on('request', (request, response) => pipelines.take(request, response, handle));
  }
}
