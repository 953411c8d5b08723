// The limits of a new token as its options say them, and those of a stored one as text.

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { WrongUsage } from '../errors.ts';
import { optionOf } from '../settings/config.ts';
import { withoutBrackets } from '../settings/kinds.ts';
import type { OptionName, Options } from '../settings/options.ts';
import type { ListName } from '../store/tables.ts';
import { NO_LIMITS, type TokenLimits } from '../store/token-scopes.ts';
import { count } from './print.ts';

const MAX_NETWORKS = 20;
const BITS_A_BYTE = 8;
const NETWORK = /^([\da-f:.]+)(?:\/(0|[1-9]\d{0,2}))?$/i;
/** `::ffff:192.0.2.1` is 192.0.2.1. */
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

const OF_CUSTOMERS = ['lists', 'without_charges', 'addresses', 'reach'] as const satisfies OptionName[];
const OF_OPERATORS = ['may'] as const satisfies OptionName[];

/** The options that limit a customer token, or an operator token. */
export const LIMITS = [...OF_CUSTOMERS, ...OF_OPERATORS] as const;

type LimitOptions = Pick<Options, (typeof LIMITS)[number]>;

/**
 * A network in CIDR notation as it is stored; an address alone is a network of one.
 * @throws {WrongUsage} with what to write instead.
 */
export function networkOf(text: string): string {
  const [, address = '', prefix] = NETWORK.exec(withoutBrackets(text)) ?? [];
  let bytes = isIP(address) === 0 ? [] : ipaddr.parse(address).toByteArray();
  let length = Number(prefix ?? BITS_A_BYTE * bytes.length);
  if (bytes.length === 0 || length > BITS_A_BYTE * bytes.length)
    throw new WrongUsage(
      `--from must be a network such as 203.0.113.0/24 or 2001:db8::/32, but was "${text}".`,
    );
  const mappedBits = BITS_A_BYTE * MAPPED.length;
  if (length >= mappedBits && MAPPED.every((byte, i) => bytes[i] === byte)) {
    bytes = bytes.slice(MAPPED.length);
    length -= mappedBits;
  }
  if (length === 0)
    throw new WrongUsage(`--from ${text} is every address: leave --from out to allow them all.`);
  const own = ipaddr.fromByteArray(bytes).toString();
  const family = bytes.length > 4 ? ipaddr.IPv6 : ipaddr.IPv4;
  const masked = family.networkAddressFromCIDR(`${own}/${length}`).toString();
  const network = `${masked}/${length}`;
  if (masked === own) return network;
  throw new WrongUsage(
    `--from ${text} names an address within a network: write ${network} for the network, or ${own} for that address alone.`,
  );
}

function networksOf(texts: readonly string[]): readonly string[] {
  const networks = [...new Set(texts.map(networkOf))];
  if (networks.length <= MAX_NETWORKS) return networks;
  throw new WrongUsage(
    `A token may be limited to at most ${MAX_NETWORKS} networks, but --from names ${count(networks.length)}: name larger ones, or create two tokens.`,
  );
}

/** @throws {WrongUsage} if an option is given that the kind of token does not have. */
export function mustSuit(operator: boolean, given: LimitOptions): void {
  const without: readonly unknown[] = [undefined, false, NO_LIMITS.reach];
  const isGiven = (name: (typeof LIMITS)[number]) => !without.includes(given[name]);
  const wrong = (operator ? OF_CUSTOMERS : OF_OPERATORS).filter(isGiven).map(optionOf);
  if (wrong.length === 0) return;
  throw new WrongUsage(
    operator
      ? `An operator token reads nothing, so ${wrong.join(' and ')} cannot limit it: use --account and --may.`
      : 'Only an operator token has --may: add --operator.',
  );
}

/** @throws {WrongUsage} */
export function limitsOf({
  lists,
  without_charges,
  addresses,
  reach,
}: Omit<LimitOptions, 'may'>): TokenLimits {
  return {
    lists: lists?.map((word) => word.replaceAll('-', '_') as ListName) ?? null,
    charges: !without_charges,
    addresses: addresses === undefined ? null : networksOf(addresses),
    reach,
  };
}

/** The limits of a customer token in one cell of a table; empty if it has none. */
export function limitsText({ lists, charges, addresses, reach }: TokenLimits): string {
  return [
    ...(lists === null ? [] : [lists.map((name) => name.replaceAll('_', '-')).join(' and ')]),
    ...(charges ? [] : ['no charges']),
    ...(addresses === null ? [] : [`from ${addresses.join(' ')}`]),
    ...(reach === NO_LIMITS.reach ? [] : [reach]),
  ].join(', ');
}
