// The limits of a new token as its options say them, and those of a stored one as text.

import { isIPv4, isIPv6 } from 'node:net';
import { WrongUsage } from '../errors.ts';
import { optionOf } from '../settings/config.ts';
import type { SettingName, Settings } from '../settings/settings.ts';
import type { ListName } from '../store/tables.ts';
import { NO_LIMITS, type TokenLimits } from '../store/token-scopes.ts';
import { count } from './print.ts';

const MAX_NETWORKS = 20;
const BITS_A_BYTE = 8;
const NETWORK = /^([\da-f:.]+)(?:\/(0|[1-9]\d{0,2}))?$/i;
/** `::ffff:192.0.2.1` is 192.0.2.1. */
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

const OF_CUSTOMERS = ['lists', 'without_charges', 'addresses', 'reach'] as const satisfies SettingName[];
const OF_OPERATORS = ['may'] as const satisfies SettingName[];

/** The settings that limit a customer token, or an operator token. */
export const LIMITS = [...OF_CUSTOMERS, ...OF_OPERATORS] as const;

type LimitSettings = Pick<Settings, (typeof LIMITS)[number]>;

/** The bytes of an address: 4, 16, or none if it is not valid. */
function bytesOf(address: string): number[] {
  if (isIPv4(address)) return address.split('.').map(Number);
  if (!isIPv6(address)) return [];
  // The URL parser rewrites a part in the form of IPv4.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text = '') => (text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array<string>(BITS_A_BYTE - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> BITS_A_BYTE, value & 0xff];
  });
}

function addressOf(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.');
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return new URL(`http://[${hex.match(/.{4}/g)?.join(':')}]`).hostname.slice(1, -1);
}

/**
 * A network in CIDR notation as it is stored; an address alone is a network of one.
 * @throws {WrongUsage} with what to write instead.
 */
export function networkOf(text: string): string {
  const [, address = '', prefix] = NETWORK.exec(text) ?? [];
  let bytes = bytesOf(address);
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
  const masked = bytes.map((byte, i) => {
    const size = Math.min(BITS_A_BYTE, Math.max(0, length - BITS_A_BYTE * i));
    return byte & (0xff << (BITS_A_BYTE - size)) & 0xff;
  });
  const network = `${addressOf(masked)}/${length}`;
  if (masked.every((byte, i) => byte === bytes[i])) return network;
  throw new WrongUsage(
    `--from ${text} names an address within a network: write ${network} for the network, or ${addressOf(bytes)} for that address alone.`,
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
export function mustSuit(operator: boolean, settings: LimitSettings): void {
  const without: readonly unknown[] = [undefined, false, NO_LIMITS.reach];
  const isGiven = (name: (typeof LIMITS)[number]) => !without.includes(settings[name]);
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
}: Omit<LimitSettings, 'may'>): TokenLimits {
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
