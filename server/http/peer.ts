// The address that a request comes from.

import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** What stands for an address where a connection has none. */
const UNIX_SOCKET = 'unix socket';

/**
 * The address of the client as a trusted proxy gives it, else that of the connection. What a proxy has passed
 * on unread may be any text, which is no address: it would stand in the log and in the audit.
 */
export function peerOf({ ip, socket: { remoteAddress } }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  // On a Unix socket without a proxy's word there is no address at all, whatever the framework's types say.
  return (ip === remoteAddress || isIP(ip) !== 0 ? ip : remoteAddress) ?? UNIX_SOCKET;
}
