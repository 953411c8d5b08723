// The address that a request comes from, and the party that has it.

import { isIP, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** What stands for an address where a connection has none. */
const UNIX_SOCKET = 'unix socket';

/** A network of IPv6, the least that one party has, is the first four groups of an address. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;
const MAPPED = /^::ffff:(?=\d+\.)/i;

/**
 * The address of the client as a trusted proxy gives it, else that of the connection. What a proxy has passed
 * on unread may be any text, which is no address: it would stand in the log and in the audit.
 */
export function peerOf({ ip, socket: { remoteAddress } }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  // On a Unix socket without a proxy's word there is no address at all, whatever the framework's types say.
  return (ip === remoteAddress || isIP(ip) !== 0 ? ip : remoteAddress) ?? UNIX_SOCKET;
}

/** The address of IPv4, or the network of IPv6. */
export function partyOf(address: string): string {
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
