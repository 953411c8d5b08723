// Pipelined requests (RFC 9112, section 9.3.2) are handled one by one, once the previous answer is sent. This
// limits how many are read ahead, because each takes memory.
//
// Node parses everything that has arrived and stops reading only if answers are not read. 64 KiB can contain
// thousands of small requests of 2 kB each in memory, and more keep arriving while a slow request is running.
// So once a connection, or the process, has too many queued requests, data is passed to the parser in chunks.
// Until then the parser reads from the socket itself, which saves a tenth of the cost of a cached answer.

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

/** No more requests of a connection are read while this many are queued. */
const READ_AHEAD = limits.pipelined.each;
/** Above this, the data of all connections is parsed in chunks. */
const CHUNKED_ABOVE = 1_000;
/** Most requests are smaller. */
const CHUNK_BYTES = 2_048;

/** A socket with Node's internal state: the response in progress, and whether reading is paused. */
export type HttpSocket = Socket & {
  readonly _httpMessage?: ServerResponse | null;
  readonly _paused?: boolean;
};

type Parse = (chunk: Buffer<ArrayBuffer>) => void;

export interface PipelinedCount {
  count: number;
}

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

  limit(): void {
    if (this.#parse !== undefined) return;
    const socket = this.#socket;
    const [parse] = socket.listeners('data') as [Parse];
    this.#parse = parse;
    this.#all.unlimited.delete(this);
    socket.off('data', parse);
    socket.on('data', (bytes: Buffer<ArrayBuffer>) => this.#feed(bytes));
    // Node resumes the socket after every request.
    socket.on('resume', () => {
      if (this.#isAhead) socket.pause();
    });
    if (this.#isAhead) socket.pause();
  }

  #feed(bytes: Buffer<ArrayBuffer>): void {
    const socket = this.#socket;
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
      // After the last answer on a connection nothing more is read.
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

class Pipelines {
  readonly ofAll: PipelinedCount = { count: 0 };
  /** While more are queued, no more requests are read on connections that have any queued. */
  readonly max = onThisMachine(limits.pipelined).total;
  /** Connections whose sockets the parser reads itself. */
  readonly unlimited = new Set<Pipeline>();
  readonly #chunkedAbove = scaledToMemory(CHUNKED_ABOVE);
  readonly #pipelines = new WeakMap<Socket, Pipeline>();

  begin(socket: Socket): void {
    const pipeline = new Pipeline(socket, this);
    this.#pipelines.set(socket, pipeline);
    this.unlimited.add(pipeline);
    if (this.ofAll.count > this.#chunkedAbove) pipeline.limit();
  }

  of(socket: Socket): Pipeline | undefined {
    return this.#pipelines.get(socket);
  }

  add(more: number): void {
    this.ofAll.count += more;
    if (more > 0 && this.ofAll.count > this.#chunkedAbove) for (const one of this.unlimited) one.limit();
  }
}

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
