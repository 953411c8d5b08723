// Whose `X-Forwarded-For` is believed: that of the proxies named. It must not know what the address is for.

import { BlockList, isIPv6 } from 'node:net';

/** As the HTTP framework takes it. */
type Trust = boolean | string[] | ((address: string | undefined) => boolean);

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
  const proxies = new BlockList();
  for (const one of trustProxy) {
    const [address = '', prefix] = one.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(prefix), family);
  }
  return (address) => !address || proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
