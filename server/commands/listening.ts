// Whether the service can listen where its settings say, and the sentence for why not.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Failed } from '../errors.ts';
import type { Settings } from '../settings.ts';

type Address = Pick<Settings, 'host' | 'port'>;

/** An error of listening as a sentence that says what to do; any other error as it is. */
export function listenFailure(error: unknown, { host, port }: Address): unknown {
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} of ${host} is already in use. Stop what uses it, or choose another port with --port.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Choose one with --host; 0.0.0.0 is all of them.`,
    EACCES: `This user may not listen on port ${port}. Choose a port from 1024 on with --port.`,
  };
  const { code, syscall } = error as NodeJS.ErrnoException;
  const sentence = syscall === 'listen' || syscall === 'bind' ? sentences[code ?? ''] : undefined;
  return sentence === undefined ? error : new Failed(`${sentence} (${code})`, { cause: error });
}

/**
 * Listens for an instant, to find out whether the service can.
 * @throws {Failed} when it cannot, with what to do about it.
 */
export async function assertCanListen({ host, port }: Address): Promise<void> {
  const server = createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    throw listenFailure(error, { host, port });
  }
  server.close();
  await once(server, 'close');
}

/** Where the service listens, as a URL that a person can open. */
export function urlOf({ address, family, port }: AddressInfo): string {
  const anywhere = address === '0.0.0.0' || address === '::';
  const host = anywhere ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
