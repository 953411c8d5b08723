// The address of a client, and the key under which its requests are limited.

import { isIP, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

const UNIX_SOCKET = 'unix socket';

/** IPv6 clients have at least a /64 network, the first four groups of an address. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;
const MAPPED = /^::ffff:(?=\d+\.)/i;

export type PeerSource = Pick<FastifyRequest, 'ip' | 'socket'>;

/**
 * The address of the client according to a trusted proxy, or else of the connection. A value of the proxy
 * that is not an IP address is ignored, because it would appear in the log and in the audit.
 */
export function peerOf({ ip, socket: { remoteAddress } }: PeerSource): string {
  // On a Unix socket both may be undefined, whatever the types of Fastify say.
  return (ip === remoteAddress || isIP(ip) !== 0 ? ip : remoteAddress) ?? UNIX_SOCKET;
}

/** An IPv4 address, or the network of an IPv6 address. */
export function networkOf(address: string): string {
  const plain = address.replace(MAPPED, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, GROUPS - groups.length - rest.length);
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...rest];
  return all
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
