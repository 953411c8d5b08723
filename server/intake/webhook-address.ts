// The address of a webhook endpoint: what it must be like. Which addresses its name leads to is checked at
// each connection; here only what is written as an address.

import { BlockList, isIP, isIPv4 } from 'node:net';

const MAX_CHARACTERS = 2_000;
const BLANK = /[\s\p{Cc}]/u;
/** Names that lead to the machine itself, or to machines next to it. */
const LOCAL = /^(?:.+\.)?(?:localhost|local|internal)\.?$/;

/** What is not on the Internet (IANA, special-purpose addresses): private, loopback, link-local, others. */
const RESERVED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Of IPv6 only this is on the Internet, less some of it. */
const GLOBAL_V6 = '2000::/3';
const RESERVED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

function networksOf(texts: readonly string[]): BlockList {
  const networks = new BlockList();
  for (const text of texts) {
    const [address = '', prefix] = text.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    networks.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return networks;
}

const reserved = networksOf([...RESERVED_V4, ...RESERVED_V6]);
const global = networksOf([GLOBAL_V6]);

function isPrivate(address: string): boolean {
  if (isIPv4(address)) return reserved.check(address);
  return !global.check(address, 'ipv6') || reserved.check(address, 'ipv6');
}

/** Why the host of a URL cannot be delivered to, if it is written as an address. */
function hostFault({ hostname }: URL, allow: readonly string[]): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  if (family === 0) return LOCAL.test(host) ? 'must not lead to a local name such as localhost' : undefined;
  if (!isPrivate(host)) return undefined;
  if (networksOf(allow).check(host, family === 4 ? 'ipv4' : 'ipv6')) return undefined;
  return `must not be the private or reserved address ${host}; --deliver-allow allows one`;
}

/**
 * What is wrong with an address, as it reads after its name.
 * @param allow private networks that may be delivered to.
 */
export function addressFaults(text: string, allow: readonly string[]): string[] {
  const url = URL.parse(text);
  if (url === null || BLANK.test(text))
    return ['must be a URL such as https://crm.example.com/hook, without spaces'];
  const faults = [
    url.protocol === 'https:' ? undefined : 'must begin with https://',
    url.username === '' && url.password === ''
      ? undefined
      : 'must not contain a user name or a password: the signature says who sends',
    text.includes('#') ? 'must not contain a fragment (#…)' : undefined,
    url.href.length > MAX_CHARACTERS ? `must not have more than ${MAX_CHARACTERS} characters` : undefined,
    hostFault(url, allow),
  ];
  return faults.filter((fault) => fault !== undefined);
}
