// Decides whose `X-Forwarded-For` is trusted.

import { BlockList, isIPv6 } from 'node:net';

type Trust = boolean | string[] | ((address: string | undefined) => boolean);

export function proxies(trustProxy: readonly string[]): (address: string | undefined) => boolean {
  const named = new BlockList();
  for (const one of trustProxy) {
    const [address = '', prefix] = one.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) named.addAddress(address, family);
    else named.addSubnet(address, Number(prefix), family);
  }
  return (address = '') => named.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
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
  const isProxy = proxies(trustProxy);
  return (address) => !address || isProxy(address);
}
