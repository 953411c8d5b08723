// Which proxy the environment names for an address, by HTTPS_PROXY, HTTP_PROXY and NO_PROXY as curl and
// others read them. It must not connect, and reads no environment of its own.

import { deepestOf, ThroughProxy } from './failure.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface NamedProxy {
  /** Its address, which may hold a password. */
  readonly url: string;
  /** Its address without a password, and the variable that names it. */
  readonly shown: string;
}

/** A variable that names no proxy that can be used; the message says which, and what to do. */
export class UnusableProxy extends Error {
  override readonly name = 'UnusableProxy';
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/** This machine is never behind a proxy. */
const LOOPBACK = /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** A variable in either case, the lower one first; an empty one counts as not set. */
function variableOf(
  name: string,
  environment: Environment,
): readonly [name: string, value: string] | undefined {
  const given = [name.toLowerCase(), name].find((one) => environment[one]?.trim());
  return given === undefined ? undefined : [given, (environment[given] as string).trim()];
}

const NETWORK = /^((?:\d{1,3}\.){3}\d{1,3})\/(\d{1,2})$/;
const ADDRESS_BITS = 32;

/** Whether an IPv4 address is of a network such as `10.0.0.0/8`. */
function isWithin(hostname: string, network: string, bits: number): boolean {
  const prefixOf = (address: string) =>
    Math.floor(
      address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) / 2 ** (ADDRESS_BITS - bits),
    );
  return /^[\d.]+$/.test(hostname) && prefixOf(hostname) === prefixOf(network);
}

/** Whether NO_PROXY has the host: `example.com` and `.example.com` have what is below it too. */
function isExempt({ hostname, port, protocol }: URL, environment: Environment): boolean {
  const [, list = ''] = variableOf('NO_PROXY', environment) ?? [];
  const entries = list.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => {
    if (entry === '*') return true;
    const [, network, bits] = NETWORK.exec(entry) ?? [];
    if (network !== undefined) return isWithin(hostname, network, Number(bits));
    // An IPv6 address without brackets has no port.
    const [, name = entry, only] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
    if (name === '' || (only !== undefined && only !== (port || DEFAULT_PORTS[protocol]))) return false;
    const bare = name.replace(/^\*?\./, '').replace(/^(?=[^[]*:)(.*)$/, '[$1]');
    return hostname === bare || hostname.endsWith(`.${bare}`);
  });
}

/**
 * The proxy for an address; `undefined` where it is connected to directly.
 * @throws {UnusableProxy}
 */
export function proxyFor(address: string | URL, environment: Environment): NamedProxy | undefined {
  const target = new URL(address);
  const named = variableOf(target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY', environment);
  if (named === undefined || LOOPBACK.test(target.hostname) || isExempt(target, environment))
    return undefined;
  const [variable, value] = named;
  const url = URL.parse(SCHEME.test(value) ? value : `http://${value}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new UnusableProxy(
      `${variable} must be the address of an HTTP proxy, such as http://proxy.example.com:3128. Correct it, or set NO_PROXY=${target.hostname} to connect directly.`,
    );
  return { url: url.href, shown: `${url.origin} (${variable})` };
}

/** For the options of Node that take the variables: this proxy, for every address. */
export const environmentOf = ({ url }: NamedProxy) => ({ http_proxy: url, https_proxy: url, no_proxy: '' });

/** Of a request that failed: the same, with what the proxy had to do with it. */
export function throughProxy(proxy: NamedProxy, error: unknown): ThroughProxy {
  const { message = '', statusCode } = (deepestOf(error).deepest ?? {}) as Partial<
    Error & { statusCode: number }
  >;
  const [, status] = /^Proxy (?:response|Authentication Required) \((\d+)\)/.exec(message) ?? [];
  return new ThroughProxy(proxy.shown, error, status === undefined ? statusCode : Number(status));
}
