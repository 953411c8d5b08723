// Load on a port from a process of its own, so that it delays nobody who measures: raw requests over some
// connections, again and again, or at a rate, whether they are answered or not.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Answers } from './sockets.ts';

export interface LoadOrder {
  readonly port: number;
  /** Whole requests with their bodies, as they are sent. */
  readonly requests: readonly string[];
  /** How many connections, or at most how many where `rate` is given. */
  readonly connections: number;
  readonly ms: number;
  /** Requests a second; without it each connection asks as soon as it is answered. */
  readonly rate?: number;
  /** Gives up, and closes, after so long. */
  readonly patience_ms?: number;
  /** What is before it is not counted: the first second of a queue is not like the others. */
  readonly from_ms?: number;
}

export interface LoadOutcome {
  /** How often each status came; 0 for connections that broke amid a request, -1 for requests given up. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Refusals (429, 503) without `Retry-After`. */
  readonly without_retry: number;
  /** Of what was answered 200, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  /** Requests that could not be sent, since every connection was in use. */
  readonly unsent: number;
}

const REFUSALS = new Set([429, 503]);
const TICK_MS = 5;
/** How many connections come from one address, as of one customer: a service takes no more than 500. */
const OF_AN_ADDRESS = 250;
/** After a connection could not be made. */
const PAUSE_MS = 20;

type OnDone = (status: number, hasRetry: boolean, ms: number) => void;

/** One connection that is made again whenever it is closed. */
class Connection {
  #socket: Socket | undefined;
  #answers: Answers | undefined;
  #sentAt = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #port: number;
  /** The loopback address that it comes from; the usual one where it is left out. */
  readonly #localAddress: string | undefined;
  readonly #patience_ms: number | undefined;
  readonly #onDone: OnDone;
  isBusy = false;

  constructor({ port, patience_ms }: LoadOrder, nth: number, onDone: OnDone) {
    this.#port = port;
    const address = Math.floor(nth / OF_AN_ADDRESS);
    this.#localAddress = address === 0 ? undefined : `127.0.0.${1 + address}`;
    this.#patience_ms = patience_ms;
    this.#onDone = onDone;
  }

  ask(request: string): void {
    this.isBusy = true;
    this.#sentAt = performance.now();
    const socket = this.#socket ?? this.#connect();
    if (this.#patience_ms !== undefined) this.#timer = setTimeout(() => this.#giveUp(), this.#patience_ms);
    socket.write(request);
  }

  close(): void {
    this.#socket?.destroy();
  }

  #connect(): Socket {
    const socket = connect({
      port: this.#port,
      host: '127.0.0.1',
      noDelay: true,
      ...(this.#localAddress === undefined ? {} : { localAddress: this.#localAddress }),
    });
    this.#answers = new Answers(({ status, hasRetry }) => this.#done(status, hasRetry));
    const answers = this.#answers;
    socket.on('data', (chunk: Buffer) => answers.read(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      if (this.isBusy) setTimeout(() => this.#done(0, true), PAUSE_MS);
    });
    this.#socket = socket;
    return socket;
  }

  #giveUp(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
    this.#done(-1, true);
  }

  #done(status: number, hasRetry: boolean): void {
    if (!this.isBusy) return;
    clearTimeout(this.#timer);
    this.isBusy = false;
    this.#onDone(status, hasRetry, performance.now() - this.#sentAt);
  }
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function load(order: LoadOrder): Promise<LoadOutcome> {
  const { requests, connections, ms, rate, from_ms = 0 } = order;
  const begin = performance.now();
  const statuses: Record<string, number> = {};
  const took: number[] = [];
  let [without_retry, unsent, nth, sent] = [0, 0, 0, 0];
  const isOver = () => performance.now() >= begin + ms;
  const next = () => requests[nth++ % requests.length] ?? '';
  const idle: Connection[] = [];
  let made = 0;
  const make = () => {
    const one: Connection = new Connection(order, made++, (status, hasRetry, after_ms) => {
      if (performance.now() >= begin + from_ms) {
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status === 200) took.push(after_ms);
        if (REFUSALS.has(status) && !hasRetry) without_retry += 1;
      }
      if (isOver()) return one.close();
      if (rate === undefined) one.ask(next());
      else idle.push(one);
    });
    return one;
  };
  if (rate === undefined) for (let i = 0; i < connections; i++) make().ask(next());
  while (!isOver()) {
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    const due = rate === undefined ? 0 : ((performance.now() - begin) / 1_000) * rate;
    for (; sent < due; sent++) {
      const one = idle.pop() ?? (made < connections ? make() : undefined);
      if (one === undefined) unsent += 1;
      else one.ask(next());
    }
  }
  took.sort((a, b) => a - b);
  const [p50, p99, slowest] = [quantile(took, 0.5), quantile(took, 0.99), took.at(-1) ?? 0];
  return { statuses, without_retry, p50, p99, slowest, unsent };
}

/** Loads a port from a process of its own. */
export async function loadFrom(order: LoadOrder): Promise<LoadOutcome> {
  const child = fork(import.meta.filename, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.send(order);
  const [outcome] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('The load has ended without a result.');
    }),
  ])) as [LoadOutcome];
  child.kill();
  return outcome;
}

if (process.argv[1] === import.meta.filename) {
  const [order] = (await once(process, 'message')) as [LoadOrder];
  process.send?.(await load(order));
}

/** A request on the wire. */
export function raw(
  path: string,
  token: string,
  more: { method?: string; headers?: string; body?: string } = {},
): string {
  const { method = 'GET', headers = '', body } = more;
  const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n${headers}${length}\r\n${body ?? ''}`;
}
