// A TCP server in between that does what networks do: it is slow, passes bytes in slices, falls silent,
// resets, refuses; or lets some bytes of the answers through and then cuts the connection, holds it, or
// does something first.

import { connect, createServer, type Socket } from 'node:net';
import { listen } from './free-port.ts';

/** What happens to every byte from now on, in both directions. */
export interface NetworkFault {
  /** How much later each byte comes. */
  readonly latency_ms?: number;
  /** How many bytes come at once, at most; the next in another turn of the event loop. */
  readonly slice?: number;
  /**
   * Nothing comes, and nobody says so: neither end, nor a new connection. What was sent comes when it is
   * over.
   */
  readonly isHole?: boolean;
  /** New connections are reset. */
  readonly isRefusing?: boolean;
}

/** What happens at some byte of the answers: the rest follows when it is done, unless it says `cut`. */
export type AtByte = () => 'cut' | Promise<void>;

/** How many bytes wait in the proxy before it reads no more. */
const MAX_WAITING_BYTES = 65_536;

/** Bytes on their way, or the end of them. */
interface Parcel {
  readonly bytes: Buffer;
  readonly due: number;
  readonly after?: Promise<void> | undefined;
  readonly ending?: 'end' | 'cut';
}

const NOTHING = Buffer.alloc(0);

/** Carries the bytes of one direction, each as late and in as small slices as the fault of now says. */
class Carrier {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #fault: () => NetworkFault;
  readonly #waiting: Parcel[] = [];
  #waitingBytes = 0;
  #isCarrying = false;

  constructor(from: Socket, to: Socket, fault: () => NetworkFault) {
    this.#from = from;
    this.#to = to;
    this.#fault = fault;
    from.on('end', () => this.end('end'));
  }

  /** Whatever comes later waits as well until `after` is done. */
  pass(bytes: Buffer, after?: Promise<void>): void {
    if (bytes.length > 0) this.#take({ bytes, due: this.#due(), after });
  }

  end(ending: 'end' | 'cut'): void {
    this.#take({ bytes: NOTHING, due: this.#due(), ending });
  }

  /** Carries what is due, in order; where nothing may pass, none of it. */
  async carry(): Promise<void> {
    if (this.#isCarrying) return;
    this.#isCarrying = true;
    while (this.#waiting.length > 0 && !this.#fault().isHole && !this.#to.destroyed) {
      const { due = 0, after } = this.#waiting[0] ?? {};
      const early = due - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      if (after !== undefined) await after;
      // It may have become a hole meanwhile.
      const next = this.#fault().isHole ? undefined : this.#waiting.shift();
      if (next !== undefined) await this.#write(next);
    }
    this.#isCarrying = false;
  }

  #due(): number {
    return performance.now() + (this.#fault().latency_ms ?? 0);
  }

  #take(parcel: Parcel): void {
    this.#waiting.push(parcel);
    this.#waitingBytes += parcel.bytes.length;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#from.pause();
    void this.carry();
  }

  async #write({ bytes, ending }: Parcel): Promise<void> {
    if (ending === 'end') return void this.#to.end();
    if (ending === 'cut') return void this.#to.end(() => this.#to.destroy());
    for (let from = 0; from < bytes.length && !this.#to.destroyed; ) {
      const { slice = bytes.length } = this.#fault();
      if (!this.#to.write(bytes.subarray(from, from + slice))) await this.#drained();
      else if (slice < bytes.length) await new Promise((resolve) => setImmediate(resolve));
      from += slice;
    }
    this.#waitingBytes -= bytes.length;
    if (this.#waitingBytes <= MAX_WAITING_BYTES && this.#from.isPaused()) this.#from.resume();
  }

  async #drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#to.once('drain', resolve).once('close', resolve);
    await promise;
  }
}

/**
 * Resets a connection. One whose end is on its way is closed: Node.js would never release the socket (of
 * libuv's EINVAL while it is shut down it says that it is closing), and its process could not end.
 */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** Between its caller and `target`; `act` is done at byte `at` of the answers of each connection. */
export async function faultProxy(target: string, at = Number.POSITIVE_INFINITY, act?: AtByte) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const carriers = new Set<Carrier>();
  let fault: NetworkFault = {};
  let passed = 0;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (fault.isRefusing) return reset(client);
    passed = 0;
    let done = false;
    const upstream = connect({ port: Number(port), host: hostname, allowHalfOpen: true, noDelay: true });
    const requests = new Carrier(client, upstream, () => fault);
    const answers = new Carrier(upstream, client, () => fault);
    carriers.add(requests).add(answers);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        for (const one of [client, upstream]) {
          sockets.delete(one);
          one.destroy();
        }
        carriers.delete(requests);
        carriers.delete(answers);
      });
    }
    client.on('data', (chunk: Buffer) => requests.pass(chunk));
    upstream.on('data', (chunk: Buffer) => {
      const room = done ? chunk.length : Math.max(0, Math.min(chunk.length, at - passed));
      const pass = (bytes: Buffer) => {
        passed += bytes.length;
        answers.pass(bytes);
      };
      pass(chunk.subarray(0, room));
      if (room === chunk.length) return;
      done = true;
      const wait = act?.() ?? 'cut';
      if (wait !== 'cut') return answers.pass(chunk.subarray(room), wait);
      upstream.removeAllListeners('data').removeAllListeners('end').resume();
      answers.end('cut');
    });
  });
  const own = { hostname: '127.0.0.1', port: String(await listen(server)) };
  return {
    /** The same address, through the proxy. */
    url: Object.assign(new URL(target), own).href,
    /** How many bytes of answers have passed since the last connection. */
    passed: () => passed,
    /** How many connections are open. */
    open: () => sockets.size / 2,
    /** What happens from now on, in place of what did; nothing where it is empty. */
    set(next: NetworkFault) {
      fault = next;
      for (const one of carriers) void one.carry();
    },
    /** Resets every connection. */
    reset() {
      for (const socket of sockets) reset(socket);
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

export type FaultProxy = Awaited<ReturnType<typeof faultProxy>>;
