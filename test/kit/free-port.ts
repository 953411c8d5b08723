// A port that nothing listens on.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Another program may take it before it is used. */
export async function freePort(): Promise<number> {
  const nobody = createServer().listen(0, '127.0.0.1');
  await once(nobody, 'listening');
  const { port } = nobody.address() as AddressInfo;
  nobody.close();
  return port;
}
