// Connections below HTTP, for what no client does: bytes that are no request, requests sent ahead, answers
// that are not read.

import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, type RequestOptions, request } from 'node:http';
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

/** What became of a request. */
export interface Outcome {
  /** `none` where the connection was refused or closed before any byte of the answer. */
  readonly outcome: 'whole' | 'part' | 'none';
  readonly status: number;
  readonly body: string;
  /** When its last byte was given to the machine. */
  readonly sent_at: number;
  /** Why there is no answer. */
  readonly code?: string | undefined;
}

/** Asks, on a connection of its own unless there is an agent, and never fails; gives up after a time. */
export async function ask(
  url: string,
  { body, giveUpMs, ...how }: RequestOptions & { readonly body?: string; readonly giveUpMs?: number },
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const seen = { outcome: 'none' as const, status: 0, body: '', sent_at: Number.POSITIVE_INFINITY };
  const outgoing = request(url, { agent: false, ...how }, (answer) => {
    seen.status = answer.statusCode ?? 0;
    answer.setEncoding('utf8').on('data', (text: string) => {
      seen.body += text;
    });
    answer.on('error', () => {});
    answer.on('close', () => resolve({ ...seen, outcome: answer.complete ? 'whole' : 'part' }));
  });
  outgoing.on('error', ({ code }: NodeJS.ErrnoException) => resolve({ ...seen, code }));
  outgoing.on('finish', () => {
    seen.sent_at = performance.now();
  });
  outgoing.end(body);
  const timer = giveUpMs === undefined ? undefined : setTimeout(() => outgoing.destroy(), giveUpMs);
  return promise.finally(() => clearTimeout(timer));
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

/** What came back of a request: a status of 0 where the connection was closed instead. */
export interface RawAnswer {
  readonly status: number;
  readonly etag?: string | undefined;
  readonly hasRetry: boolean;
}

const CLOSED: RawAnswer = { status: 0, hasRetry: false };
const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** Reads one answer after the other from a connection, and throws its bytes away. */
class Answers {
  #head = Buffer.alloc(0);
  /** Of a body whose length is known; negative in chunks. */
  #left = -1;
  #tail = Buffer.alloc(0);
  #answer: RawAnswer | undefined;
  readonly #onAnswer: (answer: RawAnswer) => void;

  constructor(onAnswer: (answer: RawAnswer) => void) {
    this.#onAnswer = onAnswer;
  }

  read(chunk: Buffer): void {
    if (this.#answer !== undefined) return this.#body(chunk);
    this.#head = Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.#head.toString('latin1', 0, end);
    const body = this.#head.subarray(end + HEAD_END.length);
    this.#head = Buffer.alloc(0);
    const status = Number(head.slice(9, 12));
    const etag = /\r\netag: (\S+)/i.exec(head)?.[1];
    this.#answer = { status, etag, hasRetry: /\r\nretry-after: /i.test(head) };
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    const isEmpty = status === 304 || status === 204;
    this.#left = /\r\ntransfer-encoding: chunked/i.test(head) ? -1 : isEmpty ? 0 : Number(length ?? 0);
    this.#body(body);
  }

  #body(chunk: Buffer): void {
    if (this.#left >= 0) {
      this.#left -= chunk.length;
      if (this.#left <= 0) this.#end();
      return;
    }
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length);
    if (this.#tail.equals(LAST_CHUNK)) this.#end();
  }

  #end(): void {
    const answer = this.#answer ?? CLOSED;
    this.#answer = undefined;
    this.#tail = Buffer.alloc(0);
    this.#onAnswer(answer);
  }
}

/** One connection, on which a request is sent when the one before is answered. */
export class RawConnection {
  readonly socket: Socket;
  #answer: PromiseWithResolvers<RawAnswer> | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    const answers = new Answers((answer) => this.#answer?.resolve(answer));
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => answers.read(chunk));
    socket.on('close', () => this.#answer?.resolve(CLOSED));
  }

  /** `from`: an address of this machine, so that not all connections come from one. */
  static async open(port: number, from = '127.0.0.1'): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true });
    const connection = new RawConnection(socket);
    await once(socket, 'connect').catch(() => {});
    return connection;
  }

  ask(request: string): Promise<RawAnswer> {
    this.#answer = Promise.withResolvers<RawAnswer>();
    if (this.socket.destroyed) this.#answer.resolve(CLOSED);
    else this.socket.write(request, 'latin1');
    return this.#answer.promise;
  }

  close(): void {
    this.socket.destroy();
  }
}
