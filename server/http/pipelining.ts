// Pipelined requests (RFC 9112, section 9.3.2): each is worked on when those before it on its connection are
// answered, and their answers taken. What waits until then takes memory, so that no more are read than a few
// a connection.
//
// Node stops reading only where answers are not taken, and it parses all that has come at once: 64 KiB are
// three thousand small requests of 2 kB each, and behind a request that takes long there is no end to them.
// So what comes goes to the parser in chunks, once more requests wait than a few: on a connection, or, of
// those of all connections, on every one. Before that the parser reads the socket by itself, which takes a
// tenth less of a cached answer.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { limits, onThisMachine } from '../limits/limits.ts';
import { scaledToMemory } from '../memory.ts';

declare module 'fastify' {
  interface FastifyInstance {
    pipelined: PipelinedCount;
  }
}

/** Where more wait, no more are read. */
const READ_AHEAD = limits.pipelined.each;
/** Where more wait on all connections, what comes on any is parsed in chunks from then on. */
const MANY_OF_A_PROCESS = 1_000;
/** So much is parsed at a time; most requests are smaller. */
const CHUNK_BYTES = 2_048;

/** A socket with what Node notes of it: the response that is next, and whether it has stopped reading. */
export type HttpSocket = Socket & {
  readonly _httpMessage?: ServerResponse | null;
  readonly _paused?: boolean;
};

/** Parses a chunk of what has come. */
type Parse = (chunk: Buffer<ArrayBuffer>) => void;

/** How many requests wait on all connections. */
export interface PipelinedCount {
  count: number;
}

/** A connection of which no more is read than a few requests that wait. */
class Pipeline {
  readonly #socket: HttpSocket;
  readonly #all: Pipelines;
  #parse: Parse | undefined;
  #count = 0;

  constructor(socket: HttpSocket, all: Pipelines) {
    this.#socket = socket;
    this.#all = all;
    socket.once('close', () => {
      this.#add(-this.#count);
      all.unlimited.delete(this);
    });
  }

  /** Calls back when the response is the next on the connection. */
  wait(response: ServerResponse, handle: () => void): void {
    const socket = this.#socket;
    this.#add(1);
    if (this.#count > READ_AHEAD) this.limit();
    response.once('socket', () => {
      if (!socket.destroyed) this.#add(-1);
      if (socket.isPaused() && !socket._paused && !this.#isAhead) socket.resume();
      handle();
    });
  }

  /** What comes is parsed in chunks from here on. */
  limit(): void {
    if (this.#parse !== undefined) return;
    const socket = this.#socket;
    const [parse] = socket.listeners('data') as [Parse];
    this.#parse = parse;
    this.#all.unlimited.delete(this);
    socket.off('data', parse);
    socket.on('data', (bytes: Buffer<ArrayBuffer>) => this.#feed(bytes));
    // Node resumes it behind every request.
    socket.on('resume', () => {
      if (this.#isAhead) socket.pause();
    });
    if (this.#isAhead) socket.pause();
  }

  #feed(bytes: Buffer<ArrayBuffer>): void {
    const socket = this.#socket;
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
      // An answer that was the last one: what follows is not read.
      if (socket.destroyed || socket.writableEnded) return;
      if (socket._paused || this.#isAhead) {
        socket.pause();
        socket.unshift(bytes.subarray(start));
        return;
      }
      const chunk = bytes.length <= CHUNK_BYTES ? bytes : bytes.subarray(start, start + CHUNK_BYTES);
      this.#parse?.call(socket, chunk);
    }
  }

  get #isAhead(): boolean {
    const { ofAll, max } = this.#all;
    return this.#count > (ofAll.count < max ? READ_AHEAD : 0);
  }

  #add(more: number): void {
    this.#count += more;
    this.#all.add(more);
  }
}

/** The connections of a server, and what waits on them. */
class Pipelines {
  readonly ofAll: PipelinedCount = { count: 0 };
  /** Where more wait on all connections, no more are read on any that has one. */
  readonly max = onThisMachine(limits.pipelined).total;
  /** Those whose sockets the parser reads by itself. */
  readonly unlimited = new Set<Pipeline>();
  readonly #many = scaledToMemory(MANY_OF_A_PROCESS);
  readonly #pipelines = new WeakMap<Socket, Pipeline>();

  begin(socket: Socket): void {
    const pipeline = new Pipeline(socket, this);
    this.#pipelines.set(socket, pipeline);
    this.unlimited.add(pipeline);
    if (this.ofAll.count > this.#many) pipeline.limit();
  }

  of(socket: Socket): Pipeline | undefined {
    return this.#pipelines.get(socket);
  }

  add(more: number): void {
    this.ofAll.count += more;
    if (more > 0 && this.ofAll.count > this.#many) for (const one of this.unlimited) one.limit();
  }
}

/** Limits how many requests of a connection are read before those before them are answered. */
export function limitPipelined(app: FastifyInstance): void {
  const { server } = app;
  const pipelines = new Pipelines();
  app.decorate('pipelined', pipelines.ofAll);
  const event = server instanceof TlsServer ? 'secureConnection' : 'connection';
  server.on(event, (socket: Socket) => pipelines.begin(socket));
  for (const handle of server.listeners('request') as RequestListener[]) {
    server.off('request', handle);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (response.socket !== null) handle(request, response);
      else pipelines.of(request.socket)?.wait(response, () => handle(request, response));
    });
  }
}
