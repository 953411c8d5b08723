// Connections below HTTP, for what no client does: bytes that are no request, requests sent ahead, answers
// that are not read.

import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';

/**
 * Sends bytes, and ends its half, waits for the other end to close, or breaks the connection off.
 * @returns what came back until it was closed, a character to a byte.
 */
export async function sendBytes(
  port: number,
  bytes: Buffer,
  then: 'end' | 'wait' | 'destroy' = 'end',
): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let text = '';
  socket
    .on('error', () => {})
    .on('data', (some: string) => {
      text += some;
    });
  const closed = once(socket, 'close');
  await new Promise((resolve) => socket.write(bytes, resolve));
  if (then !== 'wait') socket[then]();
  await closed;
  return text;
}

/** Asks on a connection of its own; what comes is not read, and may break off. */
export async function begin(
  port: number,
  path: string,
  headers: OutgoingHttpHeaders,
): Promise<IncomingMessage> {
  const outgoing = request({ port, path, headers, agent: false }).end();
  outgoing.on('error', () => {});
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  answer.on('error', () => {});
  return answer;
}

/** What came back of a request. */
export interface RawAnswer {
  readonly status: number;
  readonly etag: string | undefined;
}

const HEAD_END = '\r\n\r\n';

/** One connection, on which a request is sent when the one before is answered. */
export class RawConnection {
  readonly socket: Socket;
  #text = '';
  #left = 0;
  #answer: PromiseWithResolvers<RawAnswer> | undefined;
  #head: RawAnswer | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('error', () => {});
    socket.on('data', (text: unknown) => this.#take(String(text)));
    socket.on('close', () => this.#answer?.resolve({ status: 0, etag: undefined }));
  }

  /** `from`: an address of this machine, so that not all connections come from one. */
  static async open(port: number, from = '127.0.0.1'): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    const connection = new RawConnection(socket);
    await once(socket, 'connect').catch(() => {});
    return connection;
  }

  /** The status is 0 where the connection was closed instead. */
  ask(request: string): Promise<RawAnswer> {
    this.#answer = Promise.withResolvers<RawAnswer>();
    if (this.socket.destroyed) this.#answer.resolve({ status: 0, etag: undefined });
    else this.socket.write(request, 'latin1');
    return this.#answer.promise;
  }

  close(): void {
    this.socket.destroy();
  }

  #take(text: string): void {
    if (this.#head !== undefined) {
      this.#left -= text.length;
    } else {
      this.#text += text;
      const end = this.#text.indexOf(HEAD_END);
      if (end < 0) return;
      const head = this.#text.slice(0, end);
      const status = Number(head.slice(9, 12));
      const length = status === 304 ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      this.#head = { status, etag: /\r\netag: (\S+)/i.exec(head)?.[1] };
      this.#left = length - (this.#text.length - end - HEAD_END.length);
      this.#text = '';
    }
    if (this.#left > 0) return;
    const answer = this.#head;
    this.#head = undefined;
    this.#answer?.resolve(answer);
  }
}
