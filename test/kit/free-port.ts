// Ports of this machine that are free.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Lets a server listen on one; returns it. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** One that nothing listens on; another program may take it before it is used. */
export async function freePort(): Promise<number> {
  const nobody = createServer();
  const port = await listen(nobody);
  nobody.close();
  return port;
}
