// Load on a port from a process of its own, so that it delays nobody who measures: raw requests over some
// connections, again and again, or at a rate, whether they are answered or not.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from './many.ts';
import { type RawAnswer, RawConnection } from './sockets.ts';

export interface LoadOrder {
  readonly port: number;
  /** Whole requests with their bodies, as they are sent. */
  readonly requests: readonly string[];
  /** How many connections, or at most how many where `rate` is given. */
  readonly connections: number;
  readonly ms: number;
  /** Requests a second; without it each connection asks as soon as it is answered. */
  readonly rate?: number;
  /** What is before it is not counted: the first second of a queue is not like the others. */
  readonly from_ms?: number;
}

export interface LoadOutcome {
  /** How often each status came; 0 for connections that broke amid a request. */
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

/** One connection that is made again whenever it is closed. */
class Lane {
  readonly #port: number;
  /** The loopback address that it comes from. */
  readonly #from: string;
  #connection: RawConnection | undefined;

  constructor(port: number, nth: number) {
    this.#port = port;
    this.#from = `127.0.0.${1 + Math.floor(nth / OF_AN_ADDRESS)}`;
  }

  async ask(request: string): Promise<RawAnswer> {
    if (this.#connection?.socket.destroyed !== false)
      this.#connection = await RawConnection.open(this.#port, this.#from);
    const answer = await this.#connection.ask(request);
    if (answer.status === 0) await sleep(PAUSE_MS);
    return answer;
  }

  close(): void {
    this.#connection?.close();
  }
}

async function load(order: LoadOrder): Promise<LoadOutcome> {
  const { requests, connections, ms, rate, from_ms = 0 } = order;
  const begin = performance.now();
  const statuses: Record<string, number> = {};
  const took: number[] = [];
  let [without_retry, unsent, nth, sent] = [0, 0, 0, 0];
  const isOver = () => performance.now() >= begin + ms;
  const next = () => requests[nth++ % requests.length] ?? '';
  const idle: Lane[] = [];
  let made = 0;
  const make = () => new Lane(order.port, made++);
  const ask = async (one: Lane) => {
    const sentAt = performance.now();
    const { status, hasRetry } = await one.ask(next());
    const now = performance.now();
    if (now >= begin + from_ms) {
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 200) took.push(now - sentAt);
      if (REFUSALS.has(status) && !hasRetry) without_retry += 1;
    }
    if (isOver()) one.close();
    else if (rate !== undefined) idle.push(one);
  };
  const askOn = async (one: Lane) => {
    while (!isOver()) await ask(one);
  };
  if (rate === undefined) for (let i = 0; i < connections; i++) void askOn(make());
  while (!isOver()) {
    await sleep(TICK_MS);
    const due = rate === undefined ? 0 : ((performance.now() - begin) / 1_000) * rate;
    for (; sent < due; sent++) {
      const one = idle.pop() ?? (made < connections ? make() : undefined);
      if (one === undefined) unsent += 1;
      else void ask(one);
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
