// Ports of this machine that are free.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Below the ports that systems give to connections, and to servers that name none. */
const [FIRST, LAST] = [20_000, 32_000];

/** Lets a server listen on a port, or on any that is free; returns it. */
export async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** One that nothing listens on; hardly another program takes it before it is used. */
export async function freePort(): Promise<number> {
  const nobody = createServer();
  try {
    return await listen(nobody, '127.0.0.1', randomInt(FIRST, LAST));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return await freePort();
  } finally {
    nobody.close();
  }
}
