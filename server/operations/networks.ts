// Networks in CIDR notation, as an operator may write them to limit a token, and as they are stored.

import { isIP } from 'node:net';
import { count } from '@linecard/client/contract/wording';
import ipaddr from 'ipaddr.js';
import { withoutBrackets } from '../settings/kinds.ts';
import { type Field, Wrong } from './field.ts';

const MAX_NETWORKS = 20;
const BITS_A_BYTE = 8;
const NETWORK = /^([\da-f:.]+)(?:\/(0|[1-9]\d{0,2}))?$/i;
/** `::ffff:192.0.2.1` is 192.0.2.1. */
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** A network as it is stored; an address alone is a network of one. A fault says what to write instead. */
export function networkOf(text: string): string | Wrong {
  const [, address = '', prefix] = NETWORK.exec(withoutBrackets(text)) ?? [];
  let bytes = isIP(address) === 0 ? [] : ipaddr.parse(address).toByteArray();
  let length = Number(prefix ?? BITS_A_BYTE * bytes.length);
  if (bytes.length === 0 || length > BITS_A_BYTE * bytes.length)
    return new Wrong(
      `must be a network such as 203.0.113.0/24 or 2001:db8::/32, but was ${JSON.stringify(text)}`,
    );
  const mappedBits = BITS_A_BYTE * MAPPED.length;
  if (length >= mappedBits && MAPPED.every((byte, i) => bytes[i] === byte)) {
    bytes = bytes.slice(MAPPED.length);
    length -= mappedBits;
  }
  if (length === 0) return new Wrong(`${text} is every address: leave it out to allow them all`);
  const own = ipaddr.fromByteArray(bytes).toString();
  const family = bytes.length > 4 ? ipaddr.IPv6 : ipaddr.IPv4;
  const masked = family.networkAddressFromCIDR(`${own}/${length}`).toString();
  const network = `${masked}/${length}`;
  if (masked === own) return network;
  return new Wrong(
    `${text} names an address within a network: write ${network} for the network, or ${own} for that address alone`,
  );
}

/** Each network once. */
function networksOf(value: unknown): readonly string[] | Wrong {
  if (!Array.isArray(value) || value.length === 0 || !value.every((one) => typeof one === 'string'))
    return new Wrong('must be an array of networks such as 203.0.113.0/24');
  const read = value.map(networkOf);
  const wrong = read.find((one) => one instanceof Wrong);
  if (wrong !== undefined) return wrong;
  const networks = [...new Set(read as string[])];
  if (networks.length <= MAX_NETWORKS) return networks;
  return new Wrong(
    `may name at most ${MAX_NETWORKS} networks, but names ${count(networks.length)}: name larger ones, or create two tokens`,
  );
}

export const networksField = (about: string): Field<readonly string[]> => ({
  about,
  example: ['203.0.113.0/24'],
  schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_NETWORKS },
  read: networksOf,
});
