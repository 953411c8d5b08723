// A server in between that lets so many bytes of the answers through, and then cuts the connection, holds it,
// or does something first. It must not know what the bytes mean.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CutProxy {
  /** The same address, through the proxy. */
  readonly url: string;
  /** How many bytes of answers have passed since the last connection. */
  readonly passed: () => number;
  close(): void;
}

/** What happens at some byte of the answers: the rest follows when it is done, unless it says `cut`. */
export type AtByte = () => 'cut' | Promise<void>;

export async function cutProxy(
  target: string,
  at = Number.POSITIVE_INFINITY,
  act?: AtByte,
): Promise<CutProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let passed = 0;
  const server = createServer((client) => {
    passed = 0;
    let done = false;
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      const room = done ? chunk.length : Math.max(0, Math.min(chunk.length, at - passed));
      const pass = (bytes: Buffer) => {
        passed += bytes.length;
        if (client.write(bytes)) return;
        upstream.pause();
        client.once('drain', () => upstream.resume());
      };
      pass(chunk.subarray(0, room));
      if (room === chunk.length) return;
      done = true;
      const wait = act?.() ?? 'cut';
      if (wait === 'cut') {
        client.end(() => client.destroy());
        upstream.destroy();
        return;
      }
      upstream.pause();
      void wait.then(() => {
        pass(chunk.subarray(room));
        upstream.resume();
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = Object.assign(new URL(target), {
    hostname: '127.0.0.1',
    port: String((server.address() as AddressInfo).port),
  }).href;
  return {
    url,
    passed: () => passed,
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
