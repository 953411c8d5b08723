// The address of a client, the proxies that may name it, and the key under which its requests are limited.

import { isIP, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { networksOf } from '../public-addresses.ts';
import { Refusal } from '../store/access/refusals.ts';

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

export interface TrustSettings {
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustProxy?: readonly string[] | undefined;
  /** Whether it listens on a Unix socket, which only a local proxy uses. */
  readonly isLocal?: boolean | undefined;
}

/** Whether an address is in one of these networks; `::ffff:192.0.2.1` is 192.0.2.1. */
function inNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = networksOf(networks);
  return (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** Compiling the networks of a token takes up to 0.2 ms. */
const MAX_COMPILED = 1_000;
const compiled = new Map<string, ReturnType<typeof inNetworks>>();

/**
 * @param networks those that a token may be used from; `null` for all
 * @throws {Refusal} `forbidden`
 */
export function mustBeFrom(networks: readonly string[] | null, peer: string): void {
  if (networks === null) return;
  const key = networks.join();
  let includes = compiled.get(key);
  if (includes === undefined) {
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    includes = inNetworks(networks);
    compiled.set(key, includes);
  }
  if (includes(peer)) return;
  throw new Refusal('forbidden', 'This token may not be used from this address.', 'address');
}

/** Whether an address is that of a trusted proxy. Peers on a Unix socket have no address, and are trusted. */
export function proxies({ trustProxy = [], isLocal = false }: TrustSettings) {
  const isNamed = inNetworks(trustProxy);
  return (address: string | undefined) => (address ? isNamed(address) : isLocal);
}

/** Requests that name a client and are not trusted: all clients of their proxy count as one address. */
export class UntrustedForwards {
  readonly #isProxy: (address: string | undefined) => boolean;
  count = 0;

  constructor(settings: TrustSettings) {
    this.#isProxy = proxies(settings);
  }

  /** Counts a request whose client is not taken from its headers, and logs the first. */
  look({ headers, socket: { remoteAddress: peer }, log }: FastifyRequest): void {
    const isNamed = headers['x-forwarded-for'] !== undefined;
    if (!isNamed && headers['forwarded'] === undefined) return;
    if (isNamed && this.#isProxy(peer)) return;
    this.count += 1;
    if (this.count > 1) return;
    log.warn(
      { peer },
      'the address of the client is only taken from X-Forwarded-For of a proxy that --trust-proxy names: all requests from this peer count as one client',
    );
  }
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
