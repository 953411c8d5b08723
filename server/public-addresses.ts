// Networks of IP addresses, and which addresses are on the Internet: webhooks are sent to no others.

import { BlockList, isIPv4 } from 'node:net';

/** Private, loopback, link-local, multicast and reserved (IANA's registry of special-purpose addresses). */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];
/** Of IPv6 only this, less some of it; other spellings of IPv4 addresses are not in it. */
const GLOBAL_IPV6 = '2000::/3';
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

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

const special = networksOf([...SPECIAL_IPV4, ...SPECIAL_IPV6]);
const global = networksOf([GLOBAL_IPV6]);

/** @param allowed networks that count as public. */
export function isPublicAddress(address: string, allowed: BlockList): boolean {
  // The zone of a link-local address is part of no network.
  if (address.includes('%')) return false;
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  if (allowed.check(address, family)) return true;
  return !special.check(address, family) && (family === 'ipv4' || global.check(address, family));
}
