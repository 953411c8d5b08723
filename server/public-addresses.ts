// Networks of IP addresses, and which addresses are on the Internet: webhooks are sent to no others.

import { BlockList, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** @param texts addresses, and networks in CIDR notation. */
export function networksOf(texts: readonly string[]): BlockList {
  const networks = new BlockList();
  for (const text of texts) {
    const [address = '', prefix] = text.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    networks.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return networks;
}

/** All of IPv6 that is given out; what is special in it, ipaddr.js knows, as it does for IPv4. */
const global = networksOf(['2000::/3']);

/** @param allowed networks that count as public. */
export function isPublicAddress(address: string, allowed: BlockList): boolean {
  // The zone of a link-local address is part of no network.
  if (address.includes('%')) return false;
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  if (allowed.check(address, family)) return true;
  return ipaddr.parse(address).range() === 'unicast' && (family === 'ipv4' || global.check(address, family));
}
