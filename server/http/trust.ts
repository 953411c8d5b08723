// Whether an address is in one of some networks: of proxies whose `X-Forwarded-For` is trusted, or of those
// that a token may be used from.

import { BlockList, isIPv6 } from 'node:net';

type Trust = boolean | string[] | ((address: string | undefined) => boolean);

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Whether an address is in one of these networks; `::ffff:192.0.2.1` is 192.0.2.1. */
export function inNetworks(networks: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const one of networks) {
    const [address = '', prefix] = one.split('/');
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (address = '') => list.check(address, familyOf(address));
}

/** Peers on a Unix socket, which have no address, are local proxies and trusted. */
export function trusted({
  trustProxy = [],
  isLocal = false,
}: {
  readonly trustProxy?: readonly string[] | undefined;
  readonly isLocal?: boolean | undefined;
}): Trust {
  if (!isLocal) return trustProxy.length === 0 ? false : [...trustProxy];
  const isProxy = inNetworks(trustProxy);
  return (address) => !address || isProxy(address);
}
