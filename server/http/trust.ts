// Whose `X-Forwarded-For` is believed: that of the proxies named.

import { BlockList, isIPv6 } from 'node:net';

/** As the HTTP framework takes it. */
type Trust = boolean | string[] | ((address: string | undefined) => boolean);

/** Whether an address is that of a proxy that is named, by address or network. */
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

/**
 * `trustProxy` are addresses and networks. On a Unix socket the peer has no address: it is a proxy of this
 * machine, and is believed.
 */
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
