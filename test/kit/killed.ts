// What a process leaves behind that is killed: the files as they are at every instant of some work, and what
// a server of PostgreSQL has got of its messages.

import { once } from 'node:events';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';

/** Whatever changes a file goes through one of these. */
const CALLS = [
  [DatabaseSync.prototype, 'exec'],
  [DatabaseSync.prototype, 'close'],
  [StatementSync.prototype, 'run'],
  [fs, 'renameSync'],
  [fs, 'rmSync'],
  [fs, 'copyFileSync'],
] as const;

/**
 * Does the work, and copies a folder before each call that may change a file in it, without the shared memory
 * that a killed process leaves to nobody. Returns the copies in their order.
 */
export async function everyInstant(folder: string, work: () => unknown): Promise<string[]> {
  const copies: string[] = [];
  let isCopying = false;
  const copyFile = fs.copyFileSync;
  const copy = () => {
    if (isCopying) return;
    isCopying = true;
    const to = `${folder}-${copies.length}`;
    fs.mkdirSync(to);
    for (const name of fs.readdirSync(folder).filter((one) => !one.endsWith('-shm')))
      copyFile(join(folder, name), join(to, name));
    copies.push(to);
    isCopying = false;
  };
  const restore = CALLS.map(([of, name]) => {
    const original = Reflect.get(of, name) as (...args: unknown[]) => unknown;
    Reflect.set(of, name, function (this: unknown, ...args: unknown[]) {
      copy();
      return original.apply(this, args);
    });
    return () => Reflect.set(of, name, original);
  });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    for (const one of restore) one();
    syncBuiltinESMExports();
  }
  return copies;
}

const LENGTH_BYTES = 4;
/** The types of the messages by which a server does something: others prepare what these execute. */
const ACTS = ['E', 'Q', 'S'].map((type) => type.charCodeAt(0));

/** Splits what a client of PostgreSQL sends over one connection into its messages. */
class Messages {
  #rest = Buffer.alloc(0);
  /** The first message has no type. */
  #typeBytes = 0;

  take(chunk: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    let rest = Buffer.concat([this.#rest, chunk]);
    while (rest.length >= this.#typeBytes + LENGTH_BYTES) {
      const end = this.#typeBytes + rest.readInt32BE(this.#typeBytes);
      if (rest.length < end) break;
      messages.push(rest.subarray(0, end));
      rest = rest.subarray(end);
      this.#typeBytes = 1;
    }
    this.#rest = rest;
    return messages;
  }
}

/** A proxy of PostgreSQL whose client can be killed before anything that it has the server do. */
export class MortalClient {
  readonly #server: Server;
  readonly #connections = new Set<readonly [client: Socket, upstream: Socket]>();
  #left = Number.POSITIVE_INFINITY;
  isKilled = false;
  /** What the client connects to in the place of the server. */
  readonly url: string;

  static async of(target: string): Promise<MortalClient> {
    const server = createServer({ noDelay: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new MortalClient(server, target);
  }

  private constructor(server: Server, target: string) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.url = Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(port) }).href;
    const { hostname: host, port: its } = new URL(target);
    server.on('connection', (client) => {
      if (this.isKilled) client.destroy();
      else this.#carry(client, connect({ host, port: Number(its), noDelay: true }));
    });
  }

  /** Is alive again, and killed when the server has got this number of acts more, over all connections. */
  live(acts = Number.POSITIVE_INFINITY): void {
    this.isKilled = false;
    this.#left = acts;
  }

  /** What it has sent arrives, and nothing more. */
  kill(): void {
    this.isKilled = true;
    for (const [client] of this.#connections) client.destroy();
  }

  close(): void {
    for (const pair of this.#connections) for (const one of pair) one.destroy();
    this.#server.close();
  }

  #carry(client: Socket, upstream: Socket): void {
    const pair = [client, upstream] as const;
    this.#connections.add(pair);
    const messages = new Messages();
    for (const one of pair) one.on('error', () => {});
    client.on('close', () => upstream.unpipe().resume().end());
    upstream.on('close', () => {
      client.destroy();
      this.#connections.delete(pair);
    });
    upstream.pipe(client);
    client.on('data', (chunk: Buffer) => {
      for (const message of messages.take(chunk)) {
        const isAct = ACTS.includes(message[0] ?? 0);
        if (isAct && this.#left === 0) this.kill();
        if (this.isKilled) return;
        if (isAct) this.#left -= 1;
        upstream.write(message);
      }
    });
  }
}
