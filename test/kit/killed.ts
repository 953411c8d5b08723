// What a process leaves behind that is killed: the files as they are at every instant of some work, and what
// a server of PostgreSQL has got of its messages.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { listen } from './free-port.ts';

/** Whatever changes a file goes through one of these. */
const CALLS = [
  [DatabaseSync.prototype, 'exec'],
  [DatabaseSync.prototype, 'close'],
  [StatementSync.prototype, 'run'],
  [fs, 'renameSync'],
  [fs, 'rmSync'],
  [fs, 'copyFileSync'],
] as const;

/** The files of a folder with their bytes, but for shared memory, which a killed process leaves to nobody. */
const filesIn = (folder: string) =>
  fs
    .readdirSync(folder)
    .filter((name) => !name.endsWith('-shm'))
    .map((name) => [name, fs.readFileSync(join(folder, name))] as const);

/**
 * Does the work, and copies a folder before each call that may change a file in it, if one has changed since
 * the last copy. Returns the copies in their order.
 */
export async function everyInstant(folder: string, work: () => unknown): Promise<string[]> {
  const copies: string[] = [];
  let isCopying = false;
  let last: ReturnType<typeof filesIn> | undefined;
  const copy = () => {
    if (isCopying) return;
    isCopying = true;
    const files = filesIn(folder);
    if (!isDeepStrictEqual(files, last)) {
      const to = `${folder}-${copies.length}`;
      fs.mkdirSync(to);
      for (const [name] of files) fs.copyFileSync(join(folder, name), join(to, name));
      copies.push(to);
    }
    last = files;
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
function splitter(): (chunk: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0);
  // The first message has no type.
  let typeBytes = 0;
  return (chunk) => {
    const messages: Buffer[] = [];
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= typeBytes + LENGTH_BYTES) {
      const end = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < end) break;
      messages.push(rest.subarray(0, end));
      rest = rest.subarray(end);
      typeBytes = 1;
    }
    return messages;
  };
}

/** A proxy of PostgreSQL whose client can be killed before anything that it has the server do. */
export async function mortalClient(target: string) {
  const { hostname: host, port } = new URL(target);
  const clients = new Set<Socket>();
  const upstreams = new Set<Socket>();
  /** How many acts the server gets before the client is killed, over all connections. */
  let left = Number.POSITIVE_INFINITY;
  let isKilled = false;
  /** What it has sent arrives, and nothing more. */
  const kill = () => {
    isKilled = true;
    for (const client of clients) client.destroy();
  };
  const server = createServer({ noDelay: true }, (client) => {
    if (isKilled) return void client.destroy();
    const upstream = connect({ host, port: Number(port), noDelay: true });
    for (const one of [client, upstream]) one.on('error', () => {});
    clients.add(client);
    upstreams.add(upstream);
    client.on('close', () => upstream.unpipe().resume().end());
    upstream.on('close', () => {
      client.destroy();
      clients.delete(client);
      upstreams.delete(upstream);
    });
    upstream.pipe(client);
    const split = splitter();
    client.on('data', (chunk: Buffer) => {
      for (const message of split(chunk)) {
        const isAct = ACTS.includes(message[0] ?? 0);
        if (isAct && left === 0) kill();
        if (isKilled) return;
        if (isAct) left -= 1;
        upstream.write(message);
      }
    });
  });
  const own = { hostname: '127.0.0.1', port: String(await listen(server)) };
  return {
    /** What the client connects to in the place of the server. */
    url: Object.assign(new URL(target), own).href,
    isKilled: () => isKilled,
    kill,
    /** Is alive again, and killed when the server has got this number of acts more. */
    live(acts = Number.POSITIVE_INFINITY) {
      isKilled = false;
      left = acts;
    },
    close() {
      for (const one of [...clients, ...upstreams]) one.destroy();
      server.close();
    },
  };
}
